package predict_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The engine's likelihood is float32, the test's float64: log-likelihoods of a few units differ by
// some 1e-6.
const tolerance = 2e-5

// An evaluation holds the arguments of a call of Evaluate.
type evaluation struct {
	predict.Trained
	predict.EvalOptions
	Source *datasets.Source
}

func options(t *testing.T, model string, s *datasets.Source) evaluation {
	m, params := tiny(t, model)
	return evaluation{Source: s, Trained: predict.Trained{Model: m, Params: params, NumTau: levels, Levels: predict.RandomLevels,
		Bootstraps: levels, Seed: 11, Device: device.CPU(2)}}
}

// evaluate returns the result of Evaluate without its seconds.
func evaluate(t *testing.T, o evaluation) run.Eval {
	t.Helper()
	e := must.Get(o.Evaluate(t.Context(), o.Source, o.EvalOptions))(t)
	e.Seconds = 0
	return e
}

// drawn returns a model's levels or bootstraps for a batch. The batch's group `first` draws as
// group 0 of a step.
func drawn(m *models.Model, b *datasets.Batch, step uint64, first int) map[string][]float32 {
	switch {
	case m.Quantile():
		u := make([]float32, b.Groups*b.Points*levels)
		random.New(11, random.Levels|random.Evaluation).Fill(step, 0, u[first*b.Points*levels:])
		return map[string][]float32{"u": u}
	case m.Bootstrap():
		const residuals = 1 << 33 // where their indices begin
		n, g := b.Groups*b.Context*levels, random.New(11, random.Bootstrap|random.Evaluation)
		context, residual := make([]float32, n), make([]float32, n)
		at := first * b.Context * levels
		for i := range n - at {
			context[at+i] = float32(g.IntN(step, uint64(i), b.Context))
			residual[at+i] = float32(g.IntN(step, residuals+uint64(i), b.Context))
		}
		return map[string][]float32{"resample_context": context, "resample_residual": residual}
	}
	return nil
}

// densities returns log p of every point of a batch [B][N], from the model's raw outputs and
// package likelihood.
func densities(t *testing.T, o predict.Trained, b *datasets.Batch, drawn map[string][]float32) [][]float64 {
	t.Helper()
	m, params := o.Model, o.Params
	e := ops.Extents{Groups: b.Groups, Context: b.Context, Points: b.Points}
	if m.Quantile() || m.Bootstrap() {
		e.Levels = levels
	}
	graph := must.Get(m.Build(tensor.Float32, e, models.Prediction))(t)
	program := must.Get(cpu.New(graph, 1))(t)
	defer program.Close()
	copy(program.Params(), params)
	copy(program.Input("x"), b.X)
	var known []float32
	for f := range b.Groups {
		for n := range b.Context {
			p := f*b.Points + n
			known = append(known, b.X[p], b.Y[2*p], b.Y[2*p+1])
		}
	}
	copy(program.Input("context"), known)
	for name, v := range drawn {
		copy(program.Input(name), v)
	}
	must.Do(t, program.Run(e))
	all := make([][]float64, b.Groups)
	raw := program.Output("components")
	for at := range b.Groups * b.Points {
		sum := 0.0
		joint := make([]float64, levels) // of both channels under each bootstrap
		for c := range 2 {
			y := float64(b.Y[2*at+c])
			switch {
			case m.Quantile():
				z := program.Output("logit")[at*levels:][:levels]
				sum += likelihood.NewMixture(raw[at*levels*6:][:levels*6], z, 2, c, m.Scale()).LogDensity(y)
			case m.Bootstrap():
				for k := range joint {
					joint[k] += likelihood.NewGaussian(raw[(at*levels+k)*4:][:4], 2, c, m.SigmaFloor()).LogDensity(y)
				}
			default:
				sum += likelihood.NewGaussian(raw[at*4:][:4], 2, c, m.SigmaFloor()).LogDensity(y)
			}
		}
		if m.Bootstrap() {
			sum = likelihood.LogSumExp(joint) - math.Log(levels)
		}
		all[at/b.Points] = append(all[at/b.Points], sum)
	}
	return all
}

func TestEvaluateSplitsContextAndTarget(t *testing.T) {
	for _, name := range models.Names() {
		t.Run(name, func(t *testing.T) {
			s := source{batches: 5}.of()
			o := options(t, name, s)
			got := evaluate(t, o)
			if len(got.PerBatch) != 5 {
				t.Fatalf("%d batches", len(got.PerBatch))
			}
			var contexts, targets []float64
			for i, result := range got.PerBatch {
				var b datasets.Batch
				must.Do(t, s.Eval.Make(i, &b))
				var context, target, contexts1, targets1 float64
				for _, points := range densities(t, o.Trained, &b, drawn(o.Model, &b, uint64(i), 0)) {
					for n, ll := range points {
						if n < b.Context {
							context, contexts1 = context+ll, contexts1+1
						} else {
							target, targets1 = target+ll, targets1+1
						}
					}
				}
				want := run.BatchResult{NumPoints: b.Points, NumContext: b.Context, ContextLL: context / contexts1, TargetLL: target / targets1}
				if result.NumPoints != want.NumPoints || result.NumContext != want.NumContext ||
					math.Abs(result.ContextLL-want.ContextLL) > tolerance || math.Abs(result.TargetLL-want.TargetLL) > tolerance {
					t.Errorf("batch %d: got %+v, want %+v", i, result, want)
				}
				contexts, targets = append(contexts, result.ContextLL), append(targets, result.TargetLL)
			}
			checkEstimate(t, "context", got.ContextLL, contexts)
			checkEstimate(t, "target", got.TargetLL, targets)
		})
	}
}

// checkEstimate compares an estimate with the mean of v and √(Σ(v−mean)²/(n−1)/n).
func checkEstimate(t *testing.T, what string, got run.Estimate, v []float64) {
	t.Helper()
	var mean, variance float64
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / (n - 1)
	}
	if want := math.Sqrt(variance / n); math.Abs(got.Mean-mean) > 1e-12 || got.StdError == nil || math.Abs(*got.StdError-want) > 1e-12 {
		t.Errorf("%s: got %+v, want %v ± %v", what, got, mean, want)
	}
}

// The result states the model, the data and the settings.
func TestEvaluateStatesTheWholeResult(t *testing.T) {
	o := options(t, "acqnp", source{batches: 2}.of())
	step := 12
	o.Benchmark, o.Weights, o.Version = "lissajous", run.Weights{Path: "step-12.safetensors", Step: &step}, "test"
	o.Units.Scaling.YScale = []float64{2, 0.5}
	got := must.Get(o.Evaluate(t.Context(), o.Source, o.EvalOptions))(t)
	want := run.Eval{Schema: run.EvalSchema, Benchmark: "lissajous", Model: "acqnp", Seed: 11, NumTau: levels, Levels: predict.RandomLevels,
		Batches: 2, Weights: o.Weights, Device: "cpu", Version: "test"}
	if got.Seconds <= 0 || len(got.PerBatch) != 2 || got.TargetLL.StdError == nil {
		t.Errorf("got %+v", got)
	}
	got.Seconds, got.PerBatch, got.ContextLL, got.TargetLL = 0, nil, run.Estimate{}, run.Estimate{}
	if diff := cmp.Diff(want, got); diff != "" { // the two channels' scales cancel: raw units are not stated twice
		t.Error(diff)
	}
	o.Units.Scaling.YScale = []float64{2, 2}
	scaled := evaluate(t, o)
	if scaled.Raw == nil {
		t.Fatal("no raw units")
	}
	if d := scaled.Raw.TargetLL.Mean - scaled.TargetLL.Mean; math.Abs(d+2*math.Ln2) > 1e-12 {
		t.Errorf("raw units differ by %v, want the logarithms of two scales of 2", d)
	}
}

// One batch has no standard error, no more batches are evaluated than there are, and a CNP has no levels.
func TestBatchesOfAnEvaluation(t *testing.T) {
	for asked, want := range []int{2, 1, 2, 2} {
		o := options(t, "cnp", source{batches: 2}.of())
		o.Batches, o.NumTau, o.Levels = asked, 0, ""
		e := evaluate(t, o)
		if single := want == 1; len(e.PerBatch) != want || (e.ContextLL.StdError == nil) != single || (e.TargetLL.StdError == nil) != single ||
			e.NumTau != 0 || e.Levels != "" {
			t.Errorf("%d batches asked: %+v", asked, e)
		}
		if want == 1 && e.TargetLL.Mean != e.PerBatch[0].TargetLL {
			t.Errorf("the mean of one batch is %v, want %v", e.TargetLL.Mean, e.PerBatch[0].TargetLL)
		}
	}
}

func TestLevelsOfATasksFileAreUsed(t *testing.T) {
	drawn := options(t, "acqnp", source{batches: 4}.of())
	drawn.Seed, drawn.JointTargets = 5, 1
	brought := drawn
	brought.NumTau, brought.Levels, brought.Seed = 2, predict.GridLevels, 99 // must not matter
	brought.Source = source{batches: 4, levels: func(i int, dst []float32) int {
		random.New(5, random.Levels|random.Evaluation).Fill(uint64(i), 0, dst)
		return levels
	}}.of()
	got, want := evaluate(t, brought), evaluate(t, drawn)
	if got.Levels != predict.TaskLevels || got.NumTau != levels || want.Levels != predict.RandomLevels {
		t.Errorf("levels %q (%d) and %q", got.Levels, got.NumTau, want.Levels)
	}
	if diff := cmp.Diff(want.PerBatch, got.PerBatch); diff != "" {
		t.Error(diff)
	}
}

func TestGridLevelsAreEvenlySpacedTau(t *testing.T) {
	// For CQNP the grid is of τ = 0.001 + 0.998·u, so u is from 0 to 1. For ACQNP u itself is from
	// 0.001 to 0.999.
	for name, u := range map[string][2]float32{"cqnp": {0, 1}, "acqnp": {0.001, 0.998}} {
		grid := options(t, name, source{batches: 2}.of())
		grid.Levels = predict.GridLevels
		brought := options(t, name, source{batches: 2, levels: func(_ int, dst []float32) int {
			for i := range dst {
				dst[i] = u[0] + u[1]*float32(i%levels)/(levels-1)
			}
			return levels
		}}.of())
		got, want := evaluate(t, grid), evaluate(t, brought)
		if got.Levels != predict.GridLevels || got.NumTau != levels {
			t.Errorf("%s: %d levels, %q", name, got.NumTau, got.Levels)
		}
		if d := math.Abs(got.TargetLL.Mean - want.TargetLL.Mean); d > 1e-6 { // the u differ by a rounding
			t.Errorf("%s: grid and brought levels differ by %v", name, d)
		}
	}
}

func TestMoreLevelsThanAskedForFit(t *testing.T) {
	o := options(t, "acqnp", source{batches: 3, levels: func(i int, dst []float32) int {
		random.New(1, random.Levels).Fill(0, 0, dst)
		return 2 + 4*i // grows past the capacity
	}}.of())
	o.NumTau = 1
	if e := evaluate(t, o); e.NumTau != 10 {
		t.Errorf("%d levels", e.NumTau)
	}
}

func TestThreadsDoNotChangeTheResult(t *testing.T) {
	o := options(t, "acqnp", source{batches: 3}.of())
	o.JointTargets, o.Orders = 3, 2
	many := evaluate(t, o)
	o.Device = device.CPU(1)
	if diff := cmp.Diff(evaluate(t, o), many); diff != "" {
		t.Error(diff)
	}
}

func TestModelsWithBootstraps(t *testing.T) {
	o := options(t, "bnp", source{batches: 2}.of())
	o.NumTau, o.Levels = 0, ""
	drawn := evaluate(t, o)
	if drawn.NumTau != 0 || drawn.Levels != "" || drawn.Bootstraps != levels {
		t.Errorf("%d levels, %q, %d bootstraps", drawn.NumTau, drawn.Levels, drawn.Bootstraps)
	}
	all := o.Source.Eval.Make
	o.Source.Eval.Make = func(i int, b *datasets.Batch) error { // with seven bootstraps, of the first context point alone
		err := all(i, b)
		b.Bootstraps, b.Resample = 7, make([]int32, 2*b.Groups*b.Context*7)
		return err
	}
	if own := evaluate(t, o); own.Bootstraps != 7 || own.TargetLL.Mean == drawn.TargetLL.Mean {
		t.Errorf("%d bootstraps, target %v and %v drawn", own.Bootstraps, own.TargetLL, drawn.TargetLL)
	}
}

func TestEvaluateReportsProgressAndStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := options(t, "acqnp", source{batches: 50}.of())
	seen := &stopper{cancel: cancel}
	o.Progress = seen
	_, err := o.Evaluate(ctx, o.Source, o.EvalOptions)
	if !errors.Is(err, context.Canceled) || cmp.Diff(seen.done, []int{50, 1, 2, 3, 0}) != "" {
		t.Errorf("error %v after %v", err, seen.done)
	}
}

// A stopper notes the total, the states and the end of a task, of which it stops after three units.
type stopper struct {
	progress.Reporter
	cancel func()
	done   []int
}

func (s *stopper) Begin(_, _ string, _, total int) { s.done = append(s.done, total) }
func (s *stopper) End()                            { s.done = append(s.done, 0) }
func (s *stopper) Update(at progress.State) {
	if s.done = append(s.done, at.Done); at.Done == 3 {
		s.cancel()
	}
}

func TestEvaluateRefuses(t *testing.T) {
	broken := errors.New("no such batch")
	for name, c := range map[string]struct {
		change func(o *evaluation)
		bad    bool // the user's mistake
		words  string
	}{
		"zero levels":     {func(o *evaluation) { o.NumTau = 0 }, true, "num-quantiles"},
		"unknown levels":  {func(o *evaluation) { o.Levels = "even" }, true, "random, grid or midpoints"},
		"no batches":      {func(o *evaluation) { o.Source = source{}.of() }, true, "at least one"},
		"failing source":  {func(o *evaluation) { o.Source = source{batches: 9, failAt: 2, err: broken}.of() }, false, "no such batch"},
		"NaN weights":     {func(o *evaluation) { o.Params[4] = float32(math.NaN()) }, false, "batch 0"},
		"missing weights": {func(o *evaluation) { o.Params = o.Params[1:] }, false, "parameters"},
		"other dimensions": {func(o *evaluation) {
			m := must.Get(models.New(config.Model{Name: "cnp", Representation: 4, Encoder: []int{4}, Decoder: []int{4}}, 2, 2))(t)
			o.Model = m
		}, true, "dimensions"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, "acqnp", source{batches: 3}.of())
			c.change(&o)
			_, err := o.Evaluate(t.Context(), o.Source, o.EvalOptions)
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Fatalf("error %v, want one with %q", err, c.words)
			}
			var bad *invalid.Input
			if errors.As(err, &bad) != c.bad {
				t.Errorf("%v: bad input %v, want %v", err, !c.bad, c.bad)
			}
		})
	}
}
