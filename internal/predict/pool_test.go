package predict_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// pooled returns models with a simple one beside the network, the data that they are evaluated on, and
// the same networks alone.
func pooled(t *testing.T, name string, mixed bool, networks int) (with, alone predict.Trained, source datasets.Source) {
	t.Helper()
	e := ofLines(t, name)
	e.Postprocessing.PoolWeight = 0.3
	if name == "cnp" {
		e.Postprocessing.TailDF, e.Eval.NumTau = 5, 0
	}
	if mixed {
		e.Data.Baseline = []int{1, 1}
	} else {
		e.Postprocessing.PoolKernel = []float64{0.8, 0.2}
	}
	source, err := datasets.Open(e, "")
	if err != nil {
		t.Fatal(err)
	}
	of := func(e config.Experiment) predict.Trained {
		dx, dy := source.Dims()
		m, err := models.New(e.Model, dx, dy)
		if err != nil {
			t.Fatal(err)
		}
		o := predict.New(e, m, m.Initial(3), run.UnitsOf(e, source), nil)
		for i := 1; i < networks; i++ {
			o.Others = append(o.Others, m.Initial(uint64(3+i)))
		}
		o.Levels = predict.GridLevels
		return o
	}
	with = of(e)
	e.Postprocessing.PoolWeight = 0
	return with, of(e), source
}

// simple returns the density of log y, and its weight, that the simple model has at the targets of a
// function, from the formulas.
func simple(o predict.Trained, f predict.Function, mixed bool, y float64) (density, weight float64) {
	cx, cy, tx := o.Units.Scaling.Model(f.ContextX, f.ContextY, f.TargetX)
	offset, scale := o.Units.Scaling.YUnits(tx, 0)
	z := (math.Log(y) - offset) / scale
	k := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	if o.Model.Quantile() {
		k = func(z float64) float64 { return math.Exp(-math.Sqrt2*math.Abs(z)) / math.Sqrt2 }
	}
	if mixed {
		return k(z) / scale, 1
	}
	n := 0.0
	for i, x := range cx {
		d := float64(x-tx[0]) / 0.8
		near := math.Max(0, 1-d*d)
		n += near
		density += near * k((z-float64(cy[i]))/0.2) / 0.2 / scale
	}
	return density / (n + 1), n / (n + 1)
}

// Predictions are the network's and the simple model's by their weights, and the evaluation has the same
// log density: for both kinds of mixtures and of simple models, and for ensembles.
func TestPooledPredictions(t *testing.T) {
	for _, name := range []string{"cnp", "cqnp"} {
		for _, mixed := range []bool{false, true} {
			o, alone, source := pooled(t, name, mixed, 2)
			found, err := o.Evaluate(t.Context(), source, predict.EvalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			mean, weights := 0.0, 0.0
			for i := range source.EvalBatches() {
				var b datasets.Batch
				if err := source.Eval(i, &b); err != nil {
					t.Fatal(err)
				}
				for f := range b.Functions {
					x, y := o.Units.Scaling.Raw(b.X[f*b.Points*b.DX:][:b.Points*b.DX], b.Y[f*b.Points:][:b.Points])
					for n := b.Context; n < b.Points; n++ {
						function := predict.Function{ContextX: x[:b.Context], ContextY: y[:b.Context], TargetX: x[n : n+1]}
						got := collect(t, o, function)[0].Channels[0].LogDensity(y[n])
						density, weight := simple(o, function, mixed, y[n])
						network := math.Exp(collect(t, alone, function)[0].Channels[0].LogDensity(y[n]))
						want := math.Log((1-0.3*weight)*network + 0.3*density/y[n])
						if math.Abs(got-want) > 1e-5 { // x and y pass through float32
							t.Errorf("%s, mixed %v: log density %v, want %v", name, mixed, got, want)
						}
						weights += weight
						mean += got / float64((b.Points-b.Context)*b.Functions*source.EvalBatches())
					}
				}
			}
			if math.Abs(found.Raw.TargetLL.Mean-mean) > 1e-4 { // raw y pass through exp, log and float32
				t.Errorf("%s, mixed %v: evaluation %v, predictions %v", name, mixed, found.Raw.TargetLL.Mean, mean)
			}
			if weights == 0 {
				t.Error("no point is near another")
			}
		}
	}
}

// Joint draws of several functions at once read the context of their own, and the chain rule holds.
func TestJointDensityOfPooledPredictions(t *testing.T) {
	for _, name := range []string{"cnp", "cqnp"} {
		o, _, _ := pooled(t, name, false, 1)
		f := predict.Function{ContextX: []float64{0.1, -0.4}, ContextY: []float64{7.38, 7.4}, TargetX: []float64{0.3, 0.2, -0.1}}
		y, want := []float64{7.39, 7.37, 7.41}, 0.0
		for i := range y {
			known := predict.Function{ContextX: append(f.ContextX[:2:2], f.TargetX[:i]...), ContextY: append(f.ContextY[:2:2], y[:i]...), TargetX: f.TargetX[i : i+1]}
			want += collect(t, o, known)[0].Channels[0].LogDensity(y[i])
		}
		got, err := o.JointLogDensity(f, y)
		if err != nil || math.Abs(got-want) > 1e-5*math.Abs(want) {
			t.Errorf("%s: %v, want %v (%v)", name, got, want, err)
		}
		many, one := jointly(t, o, 5, f), jointly(t, o, 1, f)
		for i := range many {
			if many[i].Draws[0] != one[i].Draws[0] {
				t.Errorf("%s, target %d: the first draw is %v of five, %v alone", name, i, many[i].Draws[0], one[i].Draws[0])
			}
		}
	}
}

// Components with levels come first and have their u; those of the simple model have none.
func TestComponentsOfPooledPredictions(t *testing.T) {
	o, alone, _ := pooled(t, "cqnp", false, 2)
	f := predict.Function{ContextX: []float64{0.1, -0.4, 9}, ContextY: []float64{7.38, 7.4, 7.5}, TargetX: []float64{0}}
	d := collect(t, o, f)[0].Channels[0]
	parts, levels := d.Components(), d.NumLevels()
	if levels != collect(t, alone, f)[0].Channels[0].NumLevels() || len(parts) != levels+2 {
		t.Fatalf("%d components, %d of them with levels, want two more for the points nearby", len(parts), levels)
	}
	if most := o.MostComponents(3); most != levels+3 || alone.MostComponents(3) != levels {
		t.Errorf("at most %d components, %d of the networks alone", most, alone.MostComponents(3))
	}
	for k, p := range parts {
		if math.IsNaN(p.U) == (k < levels) || k >= levels && p.Tau != 0.5 {
			t.Errorf("component %d has u = %v, τ = %v", k, p.U, p.Tau)
		}
	}
}
