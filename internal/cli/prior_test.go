package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contextOf returns a CSV file of a line at n points. x and y are multiplied and shifted.
func contextOf(n int, xScale, xShift, yScale, yShift float64) string {
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range n {
		x := float64(i*7%n) / float64(n-1)
		fmt.Fprintf(&b, "%g,%g\n", xShift+xScale*x, yShift+yScale*(x+0.1*math.Sin(float64(9*i))))
	}
	return b.String()
}

// TestPredictWithPrior predicts a noisy line without training. The noise has a deviation of 0.07, a
// fifth of that of y.
func TestPredictWithPrior(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "q.csv")
	sample := func(context, grid string) (means, low, high []float64) {
		succeed(t, "sample-quantiles", "--pretrained", "--context", write(t, dir, "context.csv", context), "--grid="+grid,
			"--quantiles", "0.05,0.95", "--level-spacing", "grid", "--num-quantiles", "50", "--out", out, "--overwrite", "--quiet")
		for _, r := range readRows(t, out) {
			switch {
			case r["kind"] == "mean":
				means = append(means, r.number(t, "value"))
			case r["level"] == "0.05":
				low = append(low, r.number(t, "value"))
			case r["level"] == "0.95":
				high = append(high, r.number(t, "value"))
			}
		}
		return means, low, high
	}
	means, low, high := sample(contextOf(20, 1, 0, 1, 0), "0.1:0.9:5")
	for i, m := range means {
		truth := 0.1 + 0.2*float64(i)
		if math.Abs(m-truth) > 0.15 || low[i] > truth || high[i] < truth || high[i]-low[i] > 0.6 {
			t.Errorf("at %.1f the mean is %.3f, between %.3f and %.3f", truth, m, low[i], high[i])
		}
	}
	// Other units of x and y change nothing but the units.
	raw, rawLow, _ := sample(contextOf(20, 1000, -5000, 40, 300), "-4900:-4100:5")
	for i := range means {
		for _, c := range [][2]float64{{raw[i], means[i]}, {rawLow[i], low[i]}} {
			if want := 300 + 40*c[1]; math.Abs(c[0]-want) > 0.02 { // 5e-4 of y's range: rounding of float32 inputs
				t.Errorf("%g in other units, want %g", c[0], want)
			}
		}
	}
}

func TestPriorRefuses(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "q.csv")
	for name, c := range map[string]struct{ context, says string }{
		"one point":   {"x,y\n1,2\n", "1 context point"},
		"no point":    {"x,y\n", "0 context points"},
		"the same x":  {"x,y\n1,2\n1,3\n", "x = 1 in all"},
		"the same y":  {"x,y\n1,2\n2,2\n", "y = 2 in all"},
		"other names": {"age,height\n1,2\n2,3\n", "age, height"},
	} {
		o := acqnp("sample-quantiles", "--pretrained", "--context", write(t, dir, "c.csv", c.context), "--grid=0:1:3", "--out", out, "--quiet")
		checkRefusal(t, name, o, 2, c.says)
	}
	checkRefusal(t, "no context", acqnp("sample-quantiles", "--pretrained", "--grid=0:1:3", "--out", out), 2, "--context")
	context := write(t, dir, "c.csv", "x,y\n1,2\n2,3\n")
	checkRefusal(t, "a run too", acqnp("sample-quantiles", "--pretrained", "--run", "r", "--context", context, "--grid=0:1:3", "--out", out), 2, "--pretrained")
}

// TestFineTunePrior trains from the program's own weights: one step at a tiny rate keeps what they
// predict, which is far better than an untrained model.
func TestFineTunePrior(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "prices.csv")
	succeed(t, "data", "example", "--out", data)
	config, err := filepath.Abs(filepath.Join("..", "..", "configs", "csv", "acqnp-attention-small.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"train", "--config", config, "--set", "data.file=" + data, "--set", "train.steps=1", "--set", "train.batch_size=2",
		"--set", "train.learning_rate=1e-9", "--set", "eval.batches=1", "--set", "eval.batch_size=2", "--set", "eval.num_tau=8", "--quiet", "--json"}
	before := func(args ...string) float64 {
		var s struct {
			Evaluation struct {
				Before struct {
					Target struct{ Mean float64 } `json:"target_ll"`
				}
			}
		}
		if err := json.Unmarshal([]byte(succeed(t, args...).out), &s); err != nil {
			t.Fatal(err)
		}
		return s.Evaluation.Before.Target.Mean
	}
	untrained := before(append(args, "--run-dir", filepath.Join(dir, "a"))...)
	prior := before(append(args, "--run-dir", filepath.Join(dir, "b"), "--pretrained")...)
	if !(prior > untrained+0.3) { // nats a point; an untrained model is below a standard normal
		t.Errorf("the prior's log-likelihood is %.3f, that of an untrained model %.3f", prior, untrained)
	}
	if same := before(append(args, "--run-dir", filepath.Join(dir, "d"), "--set", "train.weights=prior")...); same != prior {
		t.Errorf("with train.weights: prior the log-likelihood is %.3f, want %.3f", same, prior)
	}
	o := acqnp(append(args[:len(args)-1], "--run-dir", filepath.Join(dir, "c"), "--pretrained", "--set", "model.representation=48")...)
	checkRefusal(t, "another shape", o, 2, "model.representation: 48 and 64")
	if _, err := os.Stat(filepath.Join(dir, "c")); err == nil {
		t.Error("a refused training left a run directory")
	}
}
