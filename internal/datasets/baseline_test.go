package datasets_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models/mixed"
	"github.com/acqnp/acqnp/internal/random"
)

// linesData returns the experiment on a number of functions of seven points. Each is a line with noise,
// with its own intercept and slope. y2 is exp of another line.
func linesData(t testing.TB, functions uint64) config.Experiment {
	t.Helper()
	g := random.New(5, random.Data)
	text := []byte("name,x,y,y2\n")
	for f := range functions {
		a, b := g.Normal(f, 0), g.Normal(f, 1)
		for i := range uint64(7) {
			x := g.Normal(f, 10+i)
			text = fmt.Appendf(text, "f%d,%g,%g,%g\n", f, 40+10*x, 5+3*x+a+b*x+0.3*g.Normal(f, 20+i), math.Exp(a-x/2+0.1*g.Normal(f, 30+i)))
		}
	}
	path := filepath.Join(t.TempDir(), "lines.csv")
	put(t, path, text)
	return config.Experiment{
		Benchmark: "csv",
		Data: config.Data{Seed: 43, File: path, Group: "name", XColumns: []string{"x"}, YColumns: []string{"y", "y2"}, Log: []string{"y2"},
			SplitBy: "function", TrainFraction: 0.7, Scale: "standard", Sizes: config.AllSizes, Baseline: []int{2, 1}},
		Train: config.Train{BatchSize: 3, Seed: 1},
		Eval:  config.Eval{BatchSize: 2, Seed: 43},
	}
}

// plain returns the same source without a baseline. It makes batches of the same points.
func plain(t *testing.T, e config.Experiment) datasets.Source {
	t.Helper()
	e.Data.Baseline = nil
	return opened(t, e)
}

func opened(t testing.TB, e config.Experiment) datasets.Source {
	t.Helper()
	s, err := datasets.Open(e, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The columns of a baseline and the y of a test function are those of a mixed model fitted to the
// training functions, by hand here. In training, the model is one that does not know the function.
func TestBaselineStandardisesYByAMixedModel(t *testing.T) {
	e := linesData(t, 10)
	with, without := opened(t, e), plain(t, e)
	if dx, dy := with.Dims(); dx != 5 || dy != 2 {
		t.Fatalf("found %d columns of x and %d of y, expected x, two means, two deviations and 2", dx, dy)
	}
	fitted := make([]*mixed.Fitted, 2)
	var functions [2][]mixed.Function
	seen := map[float32]int{} // from a training function's first y to its number in the order of the files
	order := trainingOrder(t, e)
	for k, b := range order {
		for c := range 2 {
			g := mixed.Function{DX: 1}
			for i := range b.Points {
				g.X, g.Y = append(g.X, float64(b.X[i])), append(g.Y, float64(b.Y[2*i+c]))
			}
			functions[c] = append(functions[c], g)
		}
		for i := range b.Points {
			seen[b.Y[2*i]] = k
		}
	}
	for c := range fitted {
		var err error
		if fitted[c], err = mixed.Fit(functions[c], mixed.FormOf(functions[c], 2, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for name, make := range map[string][2]func(int, *datasets.Batch) error{
		"training": {with.Train, without.Train}, "evaluation": {with.Eval, without.Eval},
	} {
		for i := range 2 {
			got, want := makeCSV(t, make[0], i), makeCSV(t, make[1], i)
			for f := range got.Functions {
				for c := range 2 {
					m := fitted[c].Model
					if name == "training" {
						m = fitted[c].Without(seen[want.Y[2*f*want.Points]])
					}
					compare(t, name, got, want, f, c, m)
				}
			}
		}
	}
}

// trainingOrder returns the training functions in the order of the files, each as a batch of all its
// points.
func trainingOrder(t *testing.T, e config.Experiment) (all []*datasets.Batch) {
	t.Helper()
	e.Data.Baseline, e.Data.SplitColumn = nil, ""
	s := opened(t, e)
	test := map[float32]bool{}
	for i := range s.EvalBatches() {
		for _, y := range makeCSV(t, s.Eval, i).Y {
			test[y] = true
		}
	}
	scaling := datasets.ScalingOf(s, 1, 2)
	layout := datasets.Layout{X: []string{"x"}, Y: []string{"y", "y2"}, YForms: scaling.YForms, Functions: []string{"name"}}
	read, err := layout.Read(e.Data.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range read {
		b := &datasets.Batch{Points: f.N, X: scaling.ModelX(f.X), Y: scaling.ModelY(f.Y)}
		if !test[b.Y[0]] {
			all = append(all, b)
		}
	}
	return all
}

// compare compares function f of a batch with the mixed model m of channel c. The batch is float32.
func compare(t *testing.T, name string, got, want *datasets.Batch, f, c int, m mixed.Model) {
	t.Helper()
	var x, y []float64
	for i := f * want.Points; i < (f+1)*want.Points; i++ {
		x, y = append(x, float64(want.X[i])), append(y, float64(want.Y[2*i+c]))
	}
	given := m.Given(x[:want.Context], y[:want.Context])
	for i := range x {
		mean, sd := given.Predict(x[i:][:1])
		row, at := got.X[5*(f*want.Points+i):][:5], 2*(f*want.Points+i)+c
		for _, v := range []struct {
			what        string
			found, want float64
		}{{"x", float64(row[0]), x[i]}, {"mean", float64(row[1+c]), mean}, {"log deviation", float64(row[3+c]), math.Log(sd)},
			{"y", float64(got.Y[at]), (y[i] - mean) / sd}} {
			if math.Abs(v.found-v.want) > 1e-4 {
				t.Errorf("%s, point %d, channel %d: %s is %v, expected %v", name, i, c, v.what, v.found, v.want)
			}
		}
	}
}

// Raw and Model are each other's inverse, and agree with the batches of a source.
func TestBaselineConvertsBothWays(t *testing.T) {
	s := opened(t, linesData(t, 10))
	scaling := datasets.ScalingOf(s, 5, 2)
	b := makeCSV(t, s.Eval, 1)
	x, y := scaling.Raw(b.X[:5*b.Points], b.Y[:2*b.Points])
	cx, cy, tx := scaling.Model(x[:b.Context], y[:2*b.Context], x[b.Context:])
	for name, v := range map[string][2][]float32{"context's x": {cx, b.X[:5*b.Context]}, "context's y": {cy, b.Y[:2*b.Context]}, "targets' x": {tx, b.X[5*b.Context : 5*b.Points]}} {
		for i := range v[0] {
			if len(v[0]) != len(v[1]) || math.Abs(float64(v[0][i]-v[1][i])) > 1e-4 { // float32, there and back
				t.Fatalf("%s: found %v, expected %v", name, v[0], v[1])
			}
		}
	}
	for i := range b.Points {
		if y[2*i+1] <= 0 {
			t.Errorf("found %v for a column with a logarithm", y[2*i+1])
		}
	}
}

func TestBaselineBeyondTheData(t *testing.T) {
	e := linesData(t, 40)
	e.Data.YColumns, e.Data.Log, e.Data.Baseline = []string{"y"}, nil, nil
	choice, ok := datasets.MixedModel(opened(t, e))
	if !ok || choice.Random != 1 { // the functions are lines
		t.Errorf("found %+v, %v, expected random slopes", choice, ok)
	}
	e.Data.SplitBy = "point"
	if _, ok := datasets.MixedModel(opened(t, e)); ok {
		t.Error("found a mixed model where points are held out")
	}
	put(t, e.Data.File, []byte("name,x,y\na,1,2\nb,2,5\nc,1,3\nd,4,4\n"))
	e.Data.SplitBy, e.Data.Baseline = "function", []int{3, 0}
	refused(t, e, t.TempDir(), "lower degrees")
}
