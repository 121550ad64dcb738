package predict_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A table is a quantiles.csv: its columns by name, its rows by group, target, channel and kind.
type table map[string][]map[string]string

func key(group string, target int, channel, kind string) string {
	return fmt.Sprint(group, "/", target, "/", channel, "/", kind)
}

func write(t *testing.T, q predict.Quantiles, o predict.Trained) table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "quantiles.csv")
	must.Do(t, q.Write(path, o.Predict(t.Context(), q.Questions)))
	header, rows := readRows(t, path)
	want := []string{"group", "target", "x", "channel", "kind", "u", "tau", "mu", "sigma", "weight", "level", "value"}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Fatal(diff)
	}
	all := table{}
	for _, cells := range rows {
		target := must.Get(strconv.Atoi(cells["target"]))(t)
		k := key(cells["group"], target, cells["channel"], cells["kind"])
		all[k] = append(all[k], cells)
	}
	return all
}

// readRows returns the columns of a CSV file, and its rows by column.
func readRows(t *testing.T, path string) (header []string, rows []map[string]string) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	lines := must.Get(csv.NewReader(f).ReadAll())(t)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return lines[0], rows
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	v := must.Get(strconv.ParseFloat(text, 64))(t)
	return v
}

// empty checks that these columns are empty in a row, and no others.
func empty(t *testing.T, row map[string]string, columns ...string) {
	t.Helper()
	want := map[string]bool{}
	for _, c := range columns {
		want[c] = true
	}
	for c, v := range row {
		if (v == "") != want[c] {
			t.Errorf("%s row: %s is %q", row["kind"], c, v)
		}
	}
}

// lanes returns two groups with two channels of y.
func lanes() []points.Question {
	return []points.Question{
		{Name: "lane 2", Known: points.New(1, 2, []float64{100, 900, 1700}, []float64{60, 1, 50, 2, 20, 3}), Targets: points.New(1, 0, []float64{0, 1000.5}, nil)},
		{Name: "lane, \"3\"", Known: points.New(1, 2, []float64{400}, []float64{55, 4}), Targets: points.New(1, 0, []float64{500, 600, 700}, nil)},
	}
}

// askLanes predicts with a small model with its initial weights, in raw units that differ a lot
// from the model's.
func askLanes(t *testing.T, model string) predict.Trained {
	t.Helper()
	m, params := tiny(t, model)
	return predict.Trained{
		Model: m, Params: params, NumTau: 4, Levels: predict.RandomLevels, Seed: 43, Device: device.CPU(1),
		Units: run.Units{XNames: []string{"x"}, YNames: []string{"speed", "weight"}, Scaling: datasets.Scaling{XOffset: []float64{-100}, XScale: []float64{2000}, YOffset: []float64{0, 10}, YScale: []float64{70, 70}}},
	}
}

func asked() predict.Quantiles {
	return predict.Quantiles{
		Names:  predict.Names{XNames: []string{"x"}, YNames: []string{"speed", "noise"}, Questions: lanes()},
		Levels: []float64{0.05, 0.5, 0.95}, Draws: 2, Seed: 43,
	}
}

func TestQuantilesHoldTheMixture(t *testing.T) {
	q, o := asked(), askLanes(t, "acqnp")
	rows := write(t, q, o)
	kinds := 4
	if n := 5 * 2 * kinds; len(rows) != n { // targets, channels, kinds
		t.Errorf("%d groups of rows, want %d", len(rows), n)
	}
	for _, prediction := range collect(t, o, q.Questions...) {
		f := q.Questions[prediction.Group]
		for c, d := range prediction.Channels {
			of := func(kind string) []map[string]string { return rows[key(f.Name, prediction.Target, q.YNames[c], kind)] }
			sum, mean := 0.0, 0.0
			var parts []likelihood.AsymmetricLaplace
			var logits []float64
			if n := len(of("component")); n != 4 {
				t.Fatalf("%d components", n)
			}
			for _, row := range of("component") {
				empty(t, row, "level", "value")
				tau, weight := float(t, row["tau"]), float(t, row["weight"])
				part := likelihood.AsymmetricLaplace{Location: float(t, row["mu"]), Scale: float(t, row["sigma"]), Logit: math.Log(tau / (1 - tau))}
				sum += weight
				mean += weight * likelihood.MixtureOf([]likelihood.AsymmetricLaplace{part}, []float64{0}).Mean()
				parts, logits = append(parts, part), append(logits, math.Log(weight))
				if u := float(t, row["u"]); !(u >= 0 && u < 1) || float(t, row["x"]) != f.Targets.X[prediction.Target] {
					t.Errorf("u = %v at x = %s", u, row["x"])
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("weights sum to %v", sum)
			}
			empty(t, of("mean")[0], "u", "tau", "mu", "sigma", "weight", "level")
			if got := float(t, of("mean")[0]["value"]); math.Abs(got-mean) > 1e-9*math.Abs(mean) {
				t.Errorf("mean %v, components have %v", got, mean)
			}
			// The mixture of the rows' components, in raw units, has the rows' quantiles.
			mixture := likelihood.MixtureOf(parts, logits)
			for i, row := range of("quantile") {
				empty(t, row, "u", "tau", "mu", "sigma", "weight")
				if p := float(t, row["level"]); p != q.Levels[i] || math.Abs(mixture.CDF(float(t, row["value"]))-p) > 1e-9 {
					t.Errorf("quantile %v lies at %v", p, mixture.CDF(float(t, row["value"])))
				}
			}
			if n := len(of("draw")); n != 2 || of("draw")[0]["value"] == of("draw")[1]["value"] {
				t.Errorf("draws %v", of("draw"))
			}
			for _, row := range of("draw") {
				empty(t, row, "u", "tau", "mu", "sigma", "weight", "level")
				if p := d.CDF(float(t, row["value"])); !(p > 0 && p < 1) {
					t.Errorf("a draw lies at %v", p)
				}
			}
		}
	}
}

func TestMoreDrawsKeepTheFirst(t *testing.T) {
	q, o := asked(), askLanes(t, "acqnp")
	two := write(t, q, o)
	q.Draws = 5
	five := write(t, q, o)
	q.Seed++
	other := write(t, q, o)
	k := key("lane 2", 1, "noise", "draw")
	if cmp.Diff(two[k], five[k][:2]) != "" || cmp.Diff(five[k], other[k]) == "" || len(five[k]) != 5 {
		t.Errorf("draws %v, then %v, then %v", two[k], five[k], other[k])
	}
}

func TestChannelsHaveDrawsOfTheirOwn(t *testing.T) {
	q, o := asked(), askLanes(t, "cnp")
	q.Draws = 3
	rows := write(t, q, o)
	seen := map[int]bool{}
	for _, channel := range q.YNames {
		part := rows[key("lane 2", 0, channel, "component")][0]
		for _, row := range rows[key("lane 2", 0, channel, "draw")] {
			z := (float(t, row["value"]) - float(t, part["mu"])) / float(t, part["sigma"])
			seen[int(math.Round(1e6*z))] = true
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d different standard normal numbers in 6 draws", len(seen))
	}
}

func TestFailedPredictionsLeaveNoFile(t *testing.T) {
	q, o := asked(), askLanes(t, "acqnp")
	failed := errors.New("failed half way")
	var half iter.Seq2[predict.Target, error] = func(yield func(predict.Target, error) bool) {
		for target, err := range o.Predict(t.Context(), q.Questions) {
			if target.Group == 1 {
				yield(predict.Target{}, failed)
				return
			}
			if !yield(target, err) {
				return
			}
		}
	}
	dir := t.TempDir()
	if err := q.Write(filepath.Join(dir, "quantiles.csv"), half); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v behind", left)
	}
}
