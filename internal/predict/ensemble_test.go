package predict_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
)

const networks = 3

// ensemble returns three networks of a model.
func ensemble(t *testing.T, model string) predict.Trained {
	o := asking(t, model)
	o.Levels = predict.GridLevels
	for seed := range uint64(networks - 1) {
		o.Others = append(o.Others, o.Model.Initial(20+seed))
	}
	return o
}

// alone returns one network of an ensemble.
func alone(o predict.Trained, i int) predict.Trained {
	o.Params, o.Others = o.Networks()[i], nil
	return o
}

// every calls f for each model, and for one with tails.
func every(t *testing.T, f func(t *testing.T, model string)) {
	for _, name := range append(models.Names(), "cnp with tails") {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

// mean returns the logarithm of the mean of exp(logs).
func mean(logs []float64) float64 { return likelihood.LogSumExp(logs) - math.Log(float64(len(logs))) }

func TestAnEnsembleHasTheMeanDensity(t *testing.T) {
	every(t, func(t *testing.T, model string) {
		o, b := ensemble(t, model), batch(t)
		functions := []predict.Function{functionOf(b, 0), functionOf(b, 1)}
		var each [networks][]predict.Target
		for i := range each {
			each[i] = collect(t, alone(o, i), functions...)
		}
		for k, target := range collect(t, o, functions...) {
			for c, d := range target.Channels {
				y, weight, moment, number := 0.3-0.2*float64(k%5), 0.0, 0.0, 0
				var logs []float64
				for _, a := range each {
					logs = append(logs, a[k].Channels[c].LogDensity(y))
					moment += a[k].Channels[c].Mean() / networks
					number += len(a[k].Channels[c].Components())
				}
				for _, part := range d.Components() {
					weight += part.Weight
				}
				// All is computed in float64 from the same float32 outputs.
				if got, want := d.LogDensity(y), mean(logs); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Fatalf("target %d, channel %d: log density %v, expected %v", k, c, got, want)
				}
				if math.Abs(d.Mean()-moment) > 1e-12*(1+math.Abs(moment)) || math.Abs(weight-1) > 1e-12 || len(d.Components()) != number {
					t.Fatalf("target %d, channel %d: mean %v of %d components with weights of %v, expected %v, %d and 1",
						k, c, d.Mean(), len(d.Components()), weight, moment, number)
				}
			}
		}
	})
}

// single has batches of one function with two context points and one target.
type single struct{ source }

func (s single) EvalSize() datasets.Size { return datasets.Size{Functions: 1, Points: 3, Context: 2} }
func (s single) Eval(i int, dst *datasets.Batch) error {
	err := s.source.Eval(i, dst)
	dst.Functions, dst.Points, dst.Context = 1, 3, 2
	dst.X, dst.Y = dst.X[:3], dst.Y[:6]
	return err
}

// The density of an ensemble in an evaluation is the mean of those of its networks.
func TestEvaluationOfAnEnsemble(t *testing.T) {
	every(t, func(t *testing.T, model string) {
		o := evaluation{Trained: ensemble(t, model), Source: single{source{batches: 4}}}
		together := evaluate(t, o).PerBatch
		var each [networks]evaluation
		for i := range each {
			each[i] = o
			each[i].Trained = alone(o.Trained, i)
		}
		for b, got := range together {
			var logs []float64
			for _, a := range each {
				logs = append(logs, evaluate(t, a).PerBatch[b].TargetLL)
			}
			if want := mean(logs); math.Abs(got.TargetLL-want) > tolerance*(1+math.Abs(want)) {
				t.Errorf("batch %d: %v, expected %v", b, got.TargetLL, want)
			}
			if slices.Max(logs)-slices.Min(logs) < 100*tolerance {
				t.Errorf("batch %d: the networks agree, which tests nothing", b)
			}
		}
	})
}

// The joint density of two targets is that of the first times that of the second with the first in its
// context, each the mean over the networks.
func TestJointDensityOfAnEnsemble(t *testing.T) {
	o, b := ensemble(t, "acqnp"), batch(t)
	f := functionOf(b, 0)
	f.TargetX = f.TargetX[:2]
	y := []float64{0.3, -0.1, 0.2, 0.4}
	log := func(f predict.Function, y []float64) float64 {
		target := collect(t, o, f)[0]
		return target.Channels[0].LogDensity(y[0]) + target.Channels[1].LogDensity(y[1])
	}
	first, second := f, f
	first.TargetX, second.TargetX = f.TargetX[:1], f.TargetX[1:]
	second.ContextX, second.ContextY = append(slices.Clone(f.ContextX), f.TargetX[0]), append(slices.Clone(f.ContextY), y[:2]...)
	want := log(first, y[:2]) + log(second, y[2:])
	got, err := o.JointLogDensity(f, y)
	if err != nil || math.Abs(got-want) > tolerance {
		t.Errorf("found %v (%v), expected %v", got, err, want)
	}
}

func TestNetworksOfAnEnsemble(t *testing.T) {
	o := ensemble(t, "cqnp")
	if got, want := o.NumParams(), networks*o.Model.NumParams(); got != want {
		t.Errorf("%d parameters, expected %d", got, want)
	}
	for i, want := range append([][]float32{o.Params}, o.Others...) {
		if !slices.Equal(o.Networks()[i], want) {
			t.Errorf("network %d has other weights", i)
		}
	}
}
