package cli_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// jsonParts is a row of predict --components --format json.
type jsonParts struct {
	CDF        float64 `json:"cdf250"`
	Components struct {
		Tau, Mu, Sigma, Weight []float64
		Log                    []bool
	}
}

func partsOf(t *testing.T, args ...string) (rows []jsonParts) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "predictions.json")
	succeed(t, append([]string{"predict", "--quiet", "--components", "--out", out}, args...)...)
	content := must.Get(os.ReadFile(out))(t)
	for line := range strings.Lines(string(content)) {
		var row jsonParts
		must.Do(t, json.Unmarshal([]byte(line), &row))
		rows = append(rows, row)
	}
	return rows
}

// The parts that predict adds to JSON are Gaussians of y and of log y, and give the distribution function.
func TestComponentsOfAFitAsJSON(t *testing.T) {
	file, dir := "testdata/kettles.csv", t.TempDir()
	out := filepath.Join(dir, "kettles.fit")
	succeed(t, "fit", file, "price ~ age | product", "--budget", "0.3", "--no-picture", "--out", out, "--quiet")
	if _, err := os.Stat(filepath.Join(out, "fit.png")); err == nil {
		t.Error("fit --no-picture drew one")
	}
	context := must.Write(t, "product,age,price\nx,0.5,278\nx,3,190\n", dir, "context.csv")
	rows := partsOf(t, out, "--raw", "--context", context, "--grid=1:3:2", "--cdf=250:300:2")
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows {
		c, sum, cdf := row.Components, 0.0, 0.0
		if len(c.Mu) == 0 || len(c.Sigma) != len(c.Mu) || len(c.Weight) != len(c.Mu) || len(c.Log) != len(c.Mu) || c.Tau != nil {
			t.Fatalf("row %d: %+v", i, c)
		}
		for k, w := range c.Weight {
			y := 250.0
			if c.Log[k] {
				y = math.Log(y)
			}
			sum += w
			cdf += w * math.Erfc((c.Mu[k]-y)/c.Sigma[k]/math.Sqrt2) / 2
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(cdf-row.CDF) > 1e-12 { // sums of some hundred numbers below 1
			t.Errorf("row %d: weights of %v, and P(y ≤ 250) of %v, want 1 and %v", i, sum, cdf, row.CDF)
		}
	}
	checkRefusal(t, "CSV", acqnp("predict", out, "--grid=1:3:2", "--components"), 2, "--format json")
}

// The parts of a network in JSON are those of sample-quantiles.
func TestComponentsOfANetworkAsJSON(t *testing.T) {
	s, long := share(t), filepath.Join(t.TempDir(), "quantiles.csv")
	model := []string{"--run", s.run, "--context", s.context, "--grid=-2:2:2"}
	succeed(t, append([]string{"sample-quantiles", "--out", long, "--quiet"}, model...)...)
	var want []quantileRow
	for _, r := range readRows(t, long) {
		if r["kind"] == "component" {
			want = append(want, r)
		}
	}
	rows, at := partsOf(t, model...), 0
	if len(rows) != 2 || len(want) != 2*len(rows[0].Components.Tau) {
		t.Fatalf("%d rows, %d components", len(rows), len(want))
	}
	for _, row := range rows {
		for k, tau := range row.Components.Tau {
			r := want[at]
			at++
			if tau != r.number(t, "tau") || row.Components.Mu[k] != r.number(t, "mu") || row.Components.Sigma[k] != r.number(t, "sigma") || row.Components.Weight[k] != r.number(t, "weight") {
				t.Errorf("component %d: %v, want %v", k, row.Components, r)
			}
		}
	}
	checkRefusal(t, "CSV", acqnp(append([]string{"predict", "--components", "--modes"}, model...)...), 2, "--modes")
	parts := filepath.Join(t.TempDir(), "parts")
	succeed(t, append([]string{"predict", "--components", "--format", "parquet", "--out", parts, "--quiet"}, model...)...)
	if content, err := os.ReadFile(parts); err != nil || !strings.HasPrefix(string(content), "PAR1") {
		t.Errorf("found %.20q, %v, expected a Parquet file", content, err)
	}
}
