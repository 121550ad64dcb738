package cli_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// TestNaturalScaleNeedsNoLevels trains models of csv, whose scale is natural. The standard deviation and the
// CRPS of a target hardly depend on the number of levels, and its density integrates to 1.
func TestNaturalScaleNeedsNoLevels(t *testing.T) {
	t.Chdir(t.TempDir())
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	must.Write(t, "age,price\n0.4,376\n0.85,666\n4.9,185\n1.88,294\n", ".", "context.csv")
	must.Write(t, "age,price\n0.5,300\n1,500\n2,200\n4,100\n5.5,60\n", ".", "targets.csv")
	for model, config := range map[string]string{
		"acqnp": ownConfig,
		"cqnp":  strings.NewReplacer("acqnp", "cqnp", "adaptor: [8], ", "").Replace(ownConfig),
	} {
		config = strings.Replace(config, "steps: 80", "steps: 200", 1)
		succeed(t, "train", "--config", must.Write(t, config, ".", model+".yaml"), "--run-dir", model, "--no-eval", "--quiet")
		scored := func(targets, levels string) []quantileRow {
			out := filepath.Join(t.TempDir(), "scores.csv")
			succeed(t, "score", "--run", model, "--context", "context.csv", "--targets", targets, "--num-quantiles", levels, "--out", out, "--quiet")
			return readRows(t, out)
		}
		most := scored("targets.csv", "200")
		for _, levels := range []string{"50", "100"} {
			for i, r := range scored("targets.csv", levels) {
				for _, column := range []string{"sd", "crps"} {
					// Seen: 5e-4. With the paper's scale the standard deviations differ by 20 to 100%.
					got, want := r.number(t, column), most[i].number(t, column)
					if !(math.Abs(got/want-1) < 0.02) {
						t.Errorf("%s, target %d: %s is %g with %s levels and %g with 200", model, i, column, got, levels, want)
					}
				}
			}
		}
		var many strings.Builder
		many.WriteString("age,price\n")
		const step = 4.0
		for y := -3000.0; y < 6000; y += step {
			fmt.Fprintf(&many, "2,%g\n", y)
		}
		sum := 0.0
		for _, r := range scored(must.Write(t, many.String(), ".", "many.csv"), "100") {
			sum += step * math.Exp(r.number(t, "log_density"))
		}
		// A component's short side can be narrower than the step; its share of the mass is below 1/100.
		if !(math.Abs(sum-1) < 0.01) {
			t.Errorf("%s: the density integrates to %g", model, sum)
		}
	}
}

// TestServeOfTheNaturalScale asks a server of a model with the natural scale for what predict writes: both
// take midpoints as levels, in as many digits.
func TestServeOfTheNaturalScale(t *testing.T) {
	t.Chdir(t.TempDir())
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	succeed(t, "train", "--config", must.Write(t, ownConfig, ".", "own.yaml"), "--run-dir", "run", "--no-eval", "--quiet")
	if content, err := os.ReadFile("run/config.yaml"); err != nil || !strings.Contains(string(content), "scale_form: natural") {
		t.Fatalf("%v: no natural scale in %s", err, content)
	}
	must.Write(t, "age,price\n0.4,376\n4.9,185\n", ".", "context.csv")
	common := []string{"--run", "run", "--context", "context.csv", "--grid=2:2:1", "--quantiles", "0.05,0.5", "--device", "cpu", "--quiet"}
	succeed(t, append([]string{"predict", "--out", "predictions.csv"}, common...)...)
	even := readRows(t, "predictions.csv")[0]
	spaced := func(way string) map[string]string { // the mean and the quantiles by sample-quantiles
		out := filepath.Join(t.TempDir(), "quantiles.csv")
		succeed(t, append([]string{"sample-quantiles", "--level-spacing", way, "--out", out}, common...)...)
		values := map[string]string{}
		for _, r := range readRows(t, out) {
			switch r["kind"] {
			case "mean":
				values["mean"] = r["value"]
			case "quantile":
				values["q"+r["level"]] = r["value"]
			}
		}
		return values
	}
	_, url, _, _ := served(t, "--run", "run")
	answer := fetch(t, url+"/v1/predict",
		`{"groups": [{"context": {"x": [[0.4], [4.9]], "y": [[376], [185]]}, "targets": {"x": [[2]]}}], "quantiles": [0.05, 0.5]}`)
	grid, midpoints := spaced("grid"), spaced("midpoints")
	for _, name := range []string{"mean", "q0.05", "q0.5"} {
		if even[name] == "" || !strings.Contains(answer, even[name]) || even[name] == grid[name] ||
			math.Abs(value(t, even[name])-value(t, midpoints[name])) > 1e-9 { // two ways to find a quantile, each to the last digits
			t.Errorf("%s is %q by predict, %q with levels on the grid, %q with midpoints, and the server answers %s",
				name, even[name], grid[name], midpoints[name], answer)
		}
	}
	if !strings.Contains(answer, even["sd"]) {
		t.Errorf("sd is %q by predict, and the server answers %s", even["sd"], answer)
	}
}

func value(t *testing.T, text string) float64 {
	t.Helper()
	return must.Get(strconv.ParseFloat(text, 64))(t)
}
