package predict_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
)

// ofLines returns the configuration of a model of lines with an intercept each, whose log y is modelled.
func ofLines(t *testing.T, name string) config.Experiment {
	t.Helper()
	// log y hardly varies: the tails of an untrained model are so long that exp of them is too large
	g := random.New(3, random.Data)
	text := []byte("name,x,y\n")
	for f := range uint64(8) {
		for i := range uint64(6) {
			x := g.Normal(f, 10+i)
			text = fmt.Appendf(text, "f%d,%g,%g\n", f, x, math.Exp(2+(x/4+g.Normal(f, 0)+0.3*g.Normal(f, 20+i))/200))
		}
	}
	path := filepath.Join(t.TempDir(), "lines.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Experiment{Benchmark: "csv",
		Model: config.Model{Name: name, Representation: 6, Encoder: []int{7}, Decoder: []int{7}},
		Data: config.Data{Seed: 43, File: path, Group: "name", XColumns: []string{"x"}, YColumns: []string{"y"}, Log: []string{"y"},
			SplitBy: "function", TrainFraction: 0.7, Scale: "standard", Sizes: config.AllSizes},
		Train: config.Train{BatchSize: 3}, Eval: config.Eval{BatchSize: 2, NumTau: 5, Seed: 43}}
}

// With a baseline, the log-likelihood of the evaluation in raw units is the mean log density of the
// predictions at the raw y.
func TestRawLikelihoodWithABaseline(t *testing.T) {
	e := ofLines(t, "cqnp")
	e.Data.Baseline = []int{1, 1}
	source, err := datasets.Open(e, "")
	if err != nil {
		t.Fatal(err)
	}
	dx, dy := source.Dims()
	m, err := models.New(e.Model, dx, dy)
	if err != nil {
		t.Fatal(err)
	}
	o := predict.New(e, m, m.Initial(3), run.UnitsOf(e, source), nil)
	o.Levels = predict.GridLevels
	found, err := o.Evaluate(t.Context(), source, predict.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for i := range source.EvalBatches() {
		var b datasets.Batch
		if err := source.Eval(i, &b); err != nil {
			t.Fatal(err)
		}
		for f := range b.Functions {
			x, y := o.Units.Scaling.Raw(b.X[f*b.Points*dx:][:b.Points*dx], b.Y[f*b.Points:][:b.Points])
			function := predict.Function{ContextX: x[:b.Context], ContextY: y[:b.Context], TargetX: x[b.Context:]}
			for p, err := range o.Predict(t.Context(), []predict.Function{function}) {
				if err != nil {
					t.Fatal(err)
				}
				want += p.Channels[0].LogDensity(y[b.Context+p.Target]) / float64((b.Points-b.Context)*b.Functions*source.EvalBatches())
			}
		}
	}
	if math.Abs(found.Raw.TargetLL.Mean-want) > 1e-4 { // raw y pass through exp, log and float32
		t.Errorf("found %v, expected %v", found.Raw.TargetLL.Mean, want)
	}
}
