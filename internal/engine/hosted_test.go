package engine_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// hosted is a trainer on the CPU beside a program of the same model with the same parameters and
// inputs.
func hosted(t *testing.T, e ops.Extents) (engine.Trainer, engine.Program[float32]) {
	t.Helper()
	m := build(t, shape{model: small, dx: 1, dy: 1})
	p, twin := compiled(t, m, e, models.Training, 1), compiled(t, m, e, models.Training, 1)
	fill(p, m, e, 4)
	fill(twin, m, e, 4)
	return engine.NewTrainer(p, m.Tensors(), 1e-3), twin
}

var few = ops.Extents{Groups: 2, Context: 3, Points: 6, Levels: 3}

func TestTrainerIsProgramAndAdam(t *testing.T) {
	trainer, twin := hosted(t, few)
	adam := engine.NewAdam[float32](len(twin.Params()), 1e-3)
	for k := range 3 {
		must.Do(t, trainer.Step(few, k, 0.01))
		run(t, twin, few)
		if loss, err := trainer.Loss(); err != nil || loss != twin.Output("cost")[0] {
			t.Errorf("step %d: loss %v, %v, want %v", k, loss, err, twin.Output("cost")[0])
		}
		adam.Update(twin.Params(), twin.Grads(), 0.01)
	}
	s, err := trainer.State()
	if err != nil || s.Updates != 3 || !slices.Equal(s.Params, twin.Params()) || !slices.Equal(s.M, adam.M) || !slices.Equal(s.V, adam.V) {
		t.Errorf("another state than the program's and Adam's: %d updates, %v", s.Updates, err)
	}
}

func TestStateMovesBetweenTrainers(t *testing.T) {
	one, _ := hosted(t, few)
	other, _ := hosted(t, few)
	step := func(tr engine.Trainer, k int) {
		must.Do(t, tr.Step(few, k, 0.01))
	}
	step(one, 0)
	for k := range 4 { // at other values, which Load must replace
		step(other, k)
	}
	s := must.Get(one.State())(t)
	s.LossScale = engine.LossScale{Scale: 1024, Good: 7}
	must.Do(t, other.Load(s))
	step(one, 1)
	step(other, 1)
	a, _ := one.State()
	b, _ := other.State()
	if !slices.Equal(a.Params, b.Params) || !slices.Equal(a.M, b.M) || !slices.Equal(a.V, b.V) || b.Updates != 2 || b.LossScale != s.LossScale {
		t.Errorf("the state did not move as a whole: %d updates, %v", b.Updates, b.LossScale)
	}
	fresh := engine.State{Params: slices.Clone(a.Params)}
	must.Do(t, other.Load(fresh))
	if b, _ = other.State(); b.Updates != 0 || slices.ContainsFunc(b.M, func(x float32) bool { return x != 0 }) ||
		slices.ContainsFunc(b.V, func(x float32) bool { return x != 0 }) {
		t.Error("moments of before")
	}
	for _, bad := range []engine.State{{}, {Params: a.Params[1:]}, {Params: a.Params, M: a.M[1:]}, {Params: a.Params, V: a.V[1:]}} {
		if other.Load(bad) == nil {
			t.Error("Load accepted a state of another length")
		}
	}
}

func TestTrainerStopsAtWhatIsNoNumber(t *testing.T) {
	trainer, _ := hosted(t, few)
	must.Do(t, trainer.Step(few, 0, 0.01))
	before, _ := trainer.State()
	kept := slices.Clone(before.Params)
	trainer.Input("y")[0] = float32(math.NaN())
	var bad *engine.NonFiniteError
	if err := trainer.Step(few, 1, 0.01); !errors.As(err, &bad) || bad.Batch != 1 || bad.Quantity != "loss" {
		t.Fatalf("error %v", err)
	}
	trainer.Input("y")[0] = 0
	if err := trainer.Step(few, 2, 0.01); !errors.As(err, &bad) || bad.Batch != 1 {
		t.Errorf("the step after: %v", err)
	}
	if _, err := trainer.Loss(); err == nil {
		t.Error("a loss after all")
	}
	after, err := trainer.State()
	if err == nil || !slices.Equal(after.Params, kept) {
		t.Errorf("the bad update was applied, or nothing is said: %v", err)
	}
}

// TestTrainerStopsAtAnUpdateThatOverflows makes updates that overflow float32. The trainer must stop
// at that step and name what overflowed: a weight, or the second moment of a finite gradient whose
// square is infinite.
func TestTrainerStopsAtAnUpdateThatOverflows(t *testing.T) {
	m := build(t, shape{model: sized("cnp", 8, []int{8}, 0), dx: 1, dy: 1})
	last := m.Tensors()[len(m.Tensors())-1] // the decoder's last bias: μ and s
	apart := m.Initial(1)
	apart[last.Offset] = 1e14 // far from y: the gradient with respect to s is about 1e28
	for _, c := range []struct {
		quantity string
		params   []float32
		rate     float64
	}{{"v", apart, 1e-3}, {"weight", m.Initial(1), 3e38}} {
		p := compiled(t, m, few, models.Training, 1)
		fill(p, m, few, 4)
		trainer := engine.NewTrainer(p, m.Tensors(), 0)
		must.Do(t, trainer.Load(engine.State{Params: c.params}))
		var bad *engine.NonFiniteError
		if err := trainer.Step(few, 7, c.rate); !errors.As(err, &bad) || bad.Batch != 7 || bad.Quantity != c.quantity ||
			bad.Tensor == "" || bad.Value-bad.Value == 0 {
			t.Errorf("%s: error %v", c.quantity, err)
			continue
		}
		if _, err := trainer.State(); !errors.As(err, &bad) || bad.Batch != 7 {
			t.Errorf("%s: the state after it: %v", c.quantity, err)
		}
		if err := trainer.Step(few, 8, 1e-3); !errors.As(err, &bad) || bad.Batch != 7 {
			t.Errorf("%s: the step after it: %v", c.quantity, err)
		}
	}
}

// TestFirstNonFinite puts a NaN or an infinity at various places among large numbers, whose sums are
// infinite.
func TestFirstNonFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, n := range []int{0, 1, 17, 1023, 1024, 1025, 5000} {
		v := make([]float32, n)
		for i := range v {
			v[i] = math.MaxFloat32
		}
		if i := engine.FirstNonFinite(v); i != -1 {
			t.Errorf("%d finite numbers: found %d", n, i)
		}
		for _, at := range []int{0, 16, 1022, 1023, 1024, n - 1} {
			if at < 0 || at >= n {
				continue
			}
			for _, bad := range []float32{inf, -inf, nan} {
				v[at], v[n-1] = bad, bad
				if i := engine.FirstNonFinite(v); i != at {
					t.Errorf("%g at %d of %d: found %d", bad, at, n, i)
				}
				v[at], v[n-1] = 1, 1
			}
		}
	}
}
