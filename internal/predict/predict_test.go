package predict_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// unscaled returns the scaling with offset 0 and scale 1.
func unscaled() datasets.Scaling { return datasets.Unscaled(1, 2) }

func asking(t *testing.T, model string) predict.Trained {
	m, params := tiny(t, model)
	return predict.Trained{
		Model: m, Params: params, NumTau: levels, Levels: predict.RandomLevels, Bootstraps: levels, Seed: 11, Device: device.CPU(2),
		Units: run.Units{Scaling: unscaled()},
	}
}

// groupOf returns group i of a batch, with all points of the batch as targets.
func groupOf(b *datasets.Batch, i int) points.Question {
	f := points.Question{Known: points.New(1, 2, nil, nil), Targets: points.New(1, 0, nil, nil)}
	for n := range b.Points {
		p := i*b.Points + n
		if n < b.Context {
			f.Known.X = append(f.Known.X, float64(b.X[p]))
			f.Known.Y = append(f.Known.Y, float64(b.Y[2*p]), float64(b.Y[2*p+1]))
		}
		f.Targets.X = append(f.Targets.X, float64(b.X[p]))
	}
	return f
}

func collect(t *testing.T, o predict.Trained, groups ...points.Question) []predict.Target {
	t.Helper()
	var all []predict.Target
	for target, err := range o.Predict(t.Context(), groups) {
		must.Do(t, err)
		all = append(all, target)
	}
	return all
}

func batch(t *testing.T) *datasets.Batch {
	t.Helper()
	var b datasets.Batch
	must.Do(t, source{batches: 9}.of().Eval.Make(3, &b))
	return &b
}

func TestPredictionsHaveTheModelsDensity(t *testing.T) {
	for _, name := range models.Names() {
		o, b := asking(t, name), batch(t)
		for i := range b.Groups {
			// densities runs all groups of the batch, with the levels or bootstraps that
			// Predict draws for group 0.
			want := densities(t, o, b, drawn(o.Model, b, 0, i))[i]
			got := collect(t, o, groupOf(b, i))
			if len(got) != b.Points {
				t.Fatalf("%d targets of %d", len(got), b.Points)
			}
			for n, target := range got {
				sum := logDensity(target, b.Y[2*(i*b.Points+n):])
				if target.Group != 0 || target.Target != n || math.Abs(sum-want[n]) > tolerance {
					t.Errorf("%s: target %d/%d has log density %v, want %v", name, target.Group, target.Target, sum, want[n])
				}
			}
		}
	}
}

// logDensity returns the log density of all channels of y. A bootstrap is of a point, not of a
// channel.
func logDensity(target predict.Target, y []float32) (sum float64) {
	if d := target.Channels[0]; d.HasLevels() || len(d.Components()) == 1 {
		for c, d := range target.Channels {
			sum += d.LogDensity(float64(y[c]))
		}
		return sum
	}
	joint := make([]float64, levels)
	for c, d := range target.Channels {
		for k, g := range d.Components() {
			joint[k] += likelihood.Gaussian{Mean: g.Mu, Scale: g.Sigma}.LogDensity(float64(y[c]))
		}
	}
	return likelihood.LogSumExp(joint) - math.Log(levels)
}

func TestBootstrapsAreComponentsOfEqualWeight(t *testing.T) {
	for _, target := range collect(t, asking(t, "bnp"), groupOf(batch(t), 0)) {
		d := target.Channels[1]
		mean, squares, below, density := 0.0, 0.0, 0.0, 0.0
		const y = 0.4
		for _, c := range d.Components() {
			g := likelihood.Gaussian{Mean: c.Mu, Scale: c.Sigma}
			mean, squares = mean+c.Mu/levels, squares+(c.Mu*c.Mu+c.Sigma*c.Sigma)/levels
			below, density = below+g.CDF(y)/levels, density+math.Exp(g.LogDensity(y))/levels
			if c.Weight != 1.0/levels || !math.IsNaN(c.U) || !math.IsNaN(c.Tau) || c.Sigma < 0.15 {
				t.Fatalf("component %+v", c)
			}
		}
		if len(d.Components()) != levels || d.HasLevels() || d.Components()[0] == d.Components()[1] {
			t.Fatalf("components %v", d.Components())
		}
		for name, off := range map[string]float64{
			"mean": d.Mean() - mean, "variance": d.Variance() - (squares - mean*mean), "CDF": d.CDF(y) - below,
			"density": math.Exp(d.LogDensity(y)) - density, "quantile": d.CDF(d.Quantile(0.3)) - 0.3,
		} {
			if math.Abs(off) > 1e-12 { // rounding of a few terms of order 1
				t.Errorf("%s is %g off", name, off)
			}
		}
	}
}

func TestComponentsTellLevels(t *testing.T) {
	o, f := asking(t, "acqnp"), groupOf(batch(t), 0)
	drawn := random.New(11, random.Levels|random.Evaluation)
	for i, target := range collect(t, o, f, f) {
		n := i % len(f.Targets.X)
		for _, d := range target.Channels {
			sum, mean := 0.0, 0.0
			for k, c := range d.Components() {
				if want := drawn.Float(uint64(target.Group), uint64(n*levels+k)); c.U != want {
					t.Fatalf("group %d, target %d, level %d: u = %v, want %v", target.Group, n, k, c.U, want)
				}
				if !(c.Tau > 0 && c.Tau < 1 && c.Sigma > 0.01) {
					t.Errorf("component %+v", c)
				}
				sum += c.Weight
				mean += c.Weight * (c.Mu + (1-2*c.Tau)/(c.Tau*(1-c.Tau))*c.Sigma) // METHOD's mixture mean
			}
			if math.Abs(sum-1) > 1e-12 || math.Abs(mean-d.Mean()) > 1e-9 || !d.HasLevels() {
				t.Errorf("weights sum to %v, mean %v, want %v", sum, d.Mean(), mean)
			}
			if p := d.CDF(d.Quantile(0.3)); math.Abs(p-0.3) > 1e-9 {
				t.Errorf("quantile 0.3 lies at %v", p)
			}
		}
		if a, b := target.Channels[0].Components()[0], target.Channels[1].Components()[0]; a.Tau != b.Tau || a.Mu == b.Mu {
			t.Errorf("channels share τ alone: %+v and %+v", a, b)
		}
	}
}

func TestGaussianIsItsOneComponent(t *testing.T) {
	o := asking(t, "cnp")
	o.NumTau, o.Levels = 0, ""
	for _, target := range collect(t, o, groupOf(batch(t), 0)) {
		d := target.Channels[1]
		c := d.Components()
		if len(c) != 1 || d.HasLevels() || c[0].Mu != d.Mean() || c[0].Weight != 1 || !math.IsNaN(c[0].U) || !math.IsNaN(c[0].Tau) {
			t.Fatalf("components %+v, mean %v", c, d.Mean())
		}
		const oneSigma = 0.8413447460685429 // Φ(1)
		if got := d.CDF(c[0].Mu + c[0].Sigma); math.Abs(got-oneSigma) > 1e-12 || math.Abs(d.Quantile(oneSigma)-c[0].Mu-c[0].Sigma) > 1e-9 {
			t.Errorf("one sigma lies at %v", got)
		}
	}
}

func TestRawUnitsAreUndone(t *testing.T) {
	for _, name := range models.Names() {
		o, f := asking(t, name), groupOf(batch(t), 1)
		model := collect(t, o, f)

		o.Units.Scaling = datasets.Scaling{XOffset: []float64{-4}, XScale: []float64{8}, YOffset: []float64{16, 0}, YScale: []float64{4, 32}}
		raw := points.Question{Known: points.New(1, 2, o.Units.Scaling.RawX(f.Known.X), o.Units.Scaling.RawY(f.Known.Y)), Targets: points.New(1, 0, o.Units.Scaling.RawX(f.Targets.X), nil)}
		close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*(1+math.Abs(b)) } // offsets cost float32 inputs digits
		for i, target := range collect(t, o, raw) {
			for ch, d := range target.Channels {
				was, scale, offset := model[i].Channels[ch], o.Units.Scaling.YScale[ch], o.Units.Scaling.YOffset[ch]
				if !close(d.Mean(), was.Mean()*scale+offset) || !close(d.Quantile(0.9), was.Quantile(0.9)*scale+offset) {
					t.Errorf("%s: mean %v and quantile %v of %v and %v", name, d.Mean(), d.Quantile(0.9), was.Mean(), was.Quantile(0.9))
				}
				for k, c := range d.Components() {
					b := was.Components()[k]
					if !close(c.Mu, b.Mu*scale+offset) || !close(c.Sigma, b.Sigma*scale) || !close(c.Weight, b.Weight) {
						t.Errorf("%s: component %+v of %+v", name, c, b)
					}
				}
			}
		}
	}
}

func TestTargetsAreIndependentOfEachOther(t *testing.T) {
	// More targets than in one run: each prediction is the same as alone, and so are its levels.
	o, f := asking(t, "acqnp"), groupOf(batch(t), 0)
	f.Targets.X = nil
	for i := range 1100 {
		f.Targets.X = append(f.Targets.X, float64(i)/1024)
	}
	all := collect(t, o, f)
	if len(all) != 1100 {
		t.Fatalf("%d targets", len(all))
	}
	drawn := random.New(11, random.Levels|random.Evaluation)
	for n, target := range all {
		for k, c := range target.Channels[0].Components() {
			if want := drawn.Float(0, uint64(n*levels+k)); c.U != want {
				t.Fatalf("target %d, level %d: u = %v, want %v", n, k, c.U, want)
			}
		}
	}
	few := f
	few.Targets.X = f.Targets.X[:600]
	for i, target := range collect(t, o, few) {
		if diff := cmp.Diff(all[i].Channels[0].Components(), target.Channels[0].Components()); diff != "" {
			t.Fatalf("target %d changes with the number of targets: %s", i, diff)
		}
	}
	o.Levels = predict.GridLevels
	last := f
	last.Targets.X = f.Targets.X[1099:]
	if diff := cmp.Diff(collect(t, o, f)[1099].Channels[0].Components(), collect(t, o, last)[0].Channels[0].Components()); diff != "" {
		t.Errorf("with grid levels, a target alone differs: %s", diff)
	}
}

func TestDrawsFollowTheDistribution(t *testing.T) {
	for _, name := range []string{"cnp", "bnp", "cqnp"} {
		d := collect(t, asking(t, name), groupOf(batch(t), 0))[0].Channels[0]
		g := random.New(1, random.Draws)
		const n = 4000
		below := 0.0
		for i := range uint64(n) {
			if d.Draw(g, 2, i) <= d.Quantile(0.25) {
				below += 1.0 / n
			}
		}
		if bound := 5 * math.Sqrt(0.25*0.75/n); math.Abs(below-0.25) > bound { // five standard errors
			t.Errorf("%s: %v of the draws below the quartile", name, below)
		}
	}
}

func TestPredictRefuses(t *testing.T) {
	good := groupOf(batch(t), 0)
	for name, change := range map[string]func(f *points.Question, o *predict.Trained){
		"half a point":    func(f *points.Question, _ *predict.Trained) { f.Known.Y = f.Known.Y[1:] },
		"x without y":     func(f *points.Question, _ *predict.Trained) { f.Known.X = f.Known.X[1:] },
		"zero levels":     func(_ *points.Question, o *predict.Trained) { o.NumTau = 0 },
		"unknown levels":  func(_ *points.Question, o *predict.Trained) { o.Levels = "" },
		"negative levels": func(_ *points.Question, o *predict.Trained) { o.NumTau = -3 },
	} {
		o, f := asking(t, "acqnp"), good
		change(&f, &o)
		var bad *invalid.Input
		calls := 0
		for _, err := range o.Predict(t.Context(), []points.Question{good, f}) {
			if calls++; !errors.As(err, &bad) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		if calls != 1 {
			t.Errorf("%s: %d results", name, calls)
		}
	}
}

// TestPredictWithoutContext compares the density of an empty context with the float64 reference. BNP
// refuses one.
func TestPredictWithoutContext(t *testing.T) {
	for _, name := range models.Names() {
		o, f := asking(t, name), groupOf(batch(t), 0)
		f.Known.X, f.Known.Y, o.Levels = nil, nil, predict.GridLevels
		if name == "bnp" {
			for _, err := range o.Predict(t.Context(), []points.Question{f}) {
				must.Refuse(t, err, "bnp")
			}
			continue
		}
		got := collect(t, o, groupOf(batch(t), 1), f)[len(f.Targets.X):] // after a group with a context
		want := withoutContext(t, o, f)
		for i, target := range got {
			for channel, d := range target.Channels {
				k := max(1, len(d.Components()))
				for j, c := range d.Components() {
					width := len(want) / len(got) / k
					// float32 against float64, in networks of one hidden layer
					if mu := want[(i*k+j)*width+channel]; math.Abs(c.Mu-mu) > 1e-5 {
						t.Errorf("%s: target %d, component %d: μ = %v, want %v", name, i, j, c.Mu, mu)
					}
				}
			}
		}
	}
}

// withoutContext returns the components of a group without a context, by the reference engine.
func withoutContext(t *testing.T, o predict.Trained, f points.Question) []float64 {
	t.Helper()
	e := ops.Extents{Groups: 1, Points: len(f.Targets.X)}
	if o.Model.Quantile() {
		e.Levels = o.NumTau
	}
	p, err := reference.New[float64](func(e ops.Extents) (*ops.Graph, error) {
		return o.Model.Build(tensor.Float64, e, models.Prediction)
	}, e)
	must.Do(t, err)
	for i, v := range o.Params {
		p.Params()[i] = float64(v)
	}
	copy(p.Input("x"), f.Targets.X)
	for i := range p.Input("u") {
		u := float64(i%o.NumTau) / float64(o.NumTau-1)
		if o.Model.Name() != "cqnp" {
			u = 0.001 + 0.998*u
		}
		p.Input("u")[i] = u
	}
	must.Do(t, p.Run(e))
	return p.Output("components")
}

func TestPredictionsThatAreNoNumbersAreErrors(t *testing.T) {
	o, f := asking(t, "acqnp"), groupOf(batch(t), 0)
	f.Targets.X[1] = math.MaxFloat32
	n := 0
	for _, err := range o.Predict(t.Context(), []points.Question{f}) {
		if n++; n == 2 && err == nil || n == 1 && err != nil || n > 2 {
			t.Fatalf("result %d: %v", n, err)
		}
	}
}

func TestPredictStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range asking(t, "acqnp").Predict(ctx, []points.Question{groupOf(batch(t), 0)}) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}
