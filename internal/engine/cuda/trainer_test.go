//go:build simt || gpu

package cuda_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

func trainer(t testing.TB, m *models.Model, capacity ops.Extents, o cuda.Options) engine.Trainer {
	t.Helper()
	tr := must.Get(cuda.NewTrainer(openDevice(t), graph(t, m, capacity, models.Training), o))(t)
	closing(t, tr)
	load(t, tr, engine.State{Params: m.Initial(1)})
	return tr
}

func load(t testing.TB, tr engine.Trainer, s engine.State) {
	t.Helper()
	must.Do(t, tr.Load(s))
}

// step makes the step of a batch, whose number determines its contents.
func step(t testing.TB, tr engine.Trainer, m *models.Model, e ops.Extents, batch int) {
	t.Helper()
	inputs(tr.Input, m, e, uint64(batch))
	must.Do(t, tr.Step(e, batch, 0.01))
}

func loss(t testing.TB, tr engine.Trainer) float32 {
	t.Helper()
	return must.Get(tr.Loss())(t)
}

func state(t testing.TB, tr engine.Trainer) engine.State {
	t.Helper()
	s := must.Get(tr.State())(t)
	s.Params, s.M, s.V = slices.Clone(s.Params), slices.Clone(s.M), slices.Clone(s.V)
	return s
}

func sameState(a, b engine.State) bool {
	return slices.Equal(a.Params, b.Params) && slices.Equal(a.M, b.M) && slices.Equal(a.V, b.V) &&
		a.Updates == b.Updates && a.LossScale == b.LossScale
}

// smaller is the size of every other batch.
func smaller(e ops.Extents, batch int) ops.Extents {
	if batch%2 == 1 {
		e.Groups, e.Context, e.Points = 1, e.Context-1, e.Points-1
	}
	return e
}

// TestTrainsLikeTheCPU makes ten steps on both engines. Adam divides by the root of the second
// moment, so even a gradient that is only a rounding error makes a step of full size, 0.01, in either
// direction. At these seeds the largest difference seen is a tenth of the bound. The biases of a
// transformer's keys are left out: a softmax does not depend on them, so their gradients are only
// rounding errors.
func TestTrainsLikeTheCPU(t *testing.T) {
	for _, name := range variants() {
		t.Run(name, func(t *testing.T) {
			s := small(name)
			m := build(t, s)
			got := trainer(t, m, s.e, cuda.Options{WeightDecay: 1e-3})
			want := engine.NewTrainer(onCPU(t, m, s.e, models.Training), m.Tensors(), 1e-3)
			load(t, want, engine.State{Params: m.Initial(1)})
			for batch := range 10 {
				e := smaller(s.e, batch)
				step(t, got, m, e, batch)
				step(t, want, m, e, batch)
				if g, w := loss(t, got), loss(t, want); !(math.Abs(float64(g-w)) <= 1e-4*max(1, math.Abs(float64(w)))) {
					t.Errorf("batch %d: loss %v, want %v", batch, g, w)
				}
			}
			g, w := state(t, got), state(t, want)
			if d := worst(withoutKeyBiases(m, g.Params), withoutKeyBiases(m, w.Params)); !(d <= 1e-4) || g.Updates != w.Updates {
				t.Errorf("parameters differ by %.2g after %d and %d updates", d, g.Updates, w.Updates)
			}
		})
	}
}

// withoutKeyBiases returns a copy of parameters with zeros for the biases of a transformer's keys,
// the second third of in_proj_bias.
func withoutKeyBiases(m *models.Model, params []float32) []float32 {
	params = slices.Clone(params)
	for _, p := range m.Tensors() {
		if strings.HasSuffix(p.Name, ".in_proj_bias") {
			clear(params[p.Offset+p.Size()/3 : p.Offset+2*p.Size()/3])
		}
	}
	return params
}

// TestSameBitsTwice trains twice without reading the loss, so that steps run ahead, and once
// reading it after every step.
func TestSameBitsTwice(t *testing.T) {
	for _, name := range []string{"acqnp", "acqnp residual transformer"} {
		s := small(name)
		m := build(t, s)
		var want engine.State
		for attempt := range 3 {
			tr := trainer(t, m, s.e, cuda.Options{})
			for batch := range 5 {
				step(t, tr, m, smaller(s.e, batch), batch)
				if attempt == 2 {
					loss(t, tr)
				}
			}
			if got := state(t, tr); attempt == 0 {
				want = got
			} else if !sameState(got, want) {
				t.Errorf("%s: attempt %d gives other bits", name, attempt)
			}
		}
	}
}

// TestStateGoesOn loads the state of one trainer into another in the middle of a run.
func TestStateGoesOn(t *testing.T) {
	s := small("canp")
	m := build(t, s)
	through, first, second := trainer(t, m, s.e, cuda.Options{}), trainer(t, m, s.e, cuda.Options{}), trainer(t, m, s.e, cuda.Options{})
	for batch := range 6 {
		step(t, through, m, s.e, batch)
		if batch < 3 {
			step(t, first, m, s.e, batch)
			step(t, second, m, s.e, batch+7) // other batches, whose effect Load must remove
		}
	}
	load(t, second, state(t, first))
	for batch := range 3 {
		step(t, second, m, s.e, 3+batch)
	}
	if !sameState(state(t, second), state(t, through)) || loss(t, second) != loss(t, through) {
		t.Error("a trainer that took up a state went elsewhere than the one that made it")
	}
}

// TestLevelsAreTheHosts draws the levels on the device and on the host. The steps must have the
// same bits.
func TestLevelsAreTheHosts(t *testing.T) {
	for _, name := range []string{"cqnp", "acqnp", "acqnp residual"} {
		s := small(name)
		m := build(t, s)
		g := random.New(1<<40+3, random.Levels)
		made, given := trainer(t, m, s.e, cuda.Options{DrawLevels: &g}), trainer(t, m, s.e, cuda.Options{})
		if made.Input("u") != nil {
			t.Errorf("%s: an input for levels that are made on the device", name)
		}
		for batch := range 3 {
			e := smaller(s.e, batch)
			step(t, made, m, e, batch)
			inputs(given.Input, m, e, uint64(batch))
			g.Fill(uint64(batch), 0, given.Input("u")[:e.Rows(ops.Row)])
			must.Do(t, given.Step(e, batch, 0.01))
		}
		if !sameState(state(t, made), state(t, given)) {
			t.Errorf("%s: other levels on the device", name)
		}
	}
}

// TestStopsAtNaN trains on a batch whose loss is a NaN, between batches with finite losses.
func TestStopsAtNaN(t *testing.T) {
	s := small("acqnp")
	m := build(t, s)
	tr := trainer(t, m, s.e, cuda.Options{})
	step(t, tr, m, s.e, 0)
	before := state(t, tr)
	inputs(tr.Input, m, s.e, 1)
	tr.Input("y")[3] = float32(math.Inf(1))
	must.Do(t, tr.Step(s.e, 1, 0.01))
	step(t, tr, m, s.e, 2)
	for range 2 {
		_, lossErr := tr.Loss()
		_, stateErr := tr.State()
		for _, err := range []error{lossErr, stateErr} {
			var bad *engine.NonFiniteError
			if !errors.As(err, &bad) || bad.Batch != 1 || bad.Quantity != "loss" || bad.Value-bad.Value == 0 {
				t.Fatalf("got %v, want that the loss of batch 1 is no number", err)
			}
		}
	}
	load(t, tr, before)
	step(t, tr, m, s.e, 1)
	if got := state(t, tr); got.Updates != 2 {
		t.Errorf("%d updates after going on, want 2", got.Updates)
	}
}

// TestNamesTheTensorOfABadNumber makes steps that overflow float32, here and on the CPU, and names the
// same tensor. The mean lies so far from y, and σ so near its floor of 0.1, that the loss is 5e37, but its
// gradient with respect to σ, 1e39, is too large. Or a second moment overflows, by a finite gradient whose
// square is not finite, or a weight. Later steps do not change the report.
func TestNamesTheTensorOfABadNumber(t *testing.T) {
	m, e := build(t, small("cnp")), ops.Extents{Groups: 1, Context: 1, Points: 1}
	last := m.Tensors()[len(m.Tensors())-1] // the decoder's last bias: μ and s of three channels
	moved := func(mu, s float32) []float32 {
		params := m.Initial(1)
		params[last.Offset] += mu
		params[last.Offset+3] += s
		return params
	}
	for _, c := range []struct {
		quantity string
		params   []float32
		rate     float64
	}{{"gradient", moved(1e18, -100), 0.01}, {"v", moved(1e14, 0), 1e-3}, {"weight", moved(0, 0), 3e38}} {
		var bad [2]*engine.NonFiniteError
		for i, tr := range []engine.Trainer{trainer(t, m, e, cuda.Options{}), engine.NewTrainer(onCPU(t, m, e, models.Training), m.Tensors(), 0)} {
			load(t, tr, engine.State{Params: c.params})
			inputs(tr.Input, m, e, 0)
			err := tr.Step(e, 5, c.rate)
			if err == nil {
				inputs(tr.Input, m, e, 1)
				must.Do(t, tr.Step(e, 6, 1e-3))
				_, err = tr.State()
			}
			if !errors.As(err, &bad[i]) {
				t.Fatalf("%s: got %v", c.quantity, err)
			}
		}
		sameValue := bad[0].Value == bad[1].Value || c.quantity == "gradient" && bad[0].Value-bad[0].Value != 0
		if bad[0].Batch != 5 || bad[0].Quantity != c.quantity || bad[0].Tensor != bad[1].Tensor || !sameValue {
			t.Errorf("got %v, want %v", bad[0], bad[1])
		}
	}
}

func TestRefusesStatesAndGraphsThatDoNotFit(t *testing.T) {
	s := small("cnp")
	m := build(t, s)
	tr := trainer(t, m, s.e, cuda.Options{})
	before := state(t, tr)
	for _, bad := range []engine.State{{}, {Params: make([]float32, 3)}, {Params: before.Params, M: make([]float32, 1)}} {
		if tr.Load(bad) == nil {
			t.Errorf("Load accepted a state of %d parameters and %d moments", len(bad.Params), len(bad.M))
		}
	}
	if !sameState(state(t, tr), before) {
		t.Error("a state that was refused left traces")
	}
	if tr.Step(ops.Extents{Groups: 9, Context: 1, Points: 1}, 0, 0.01) == nil {
		t.Error("ran beyond its capacity")
	}
	if _, err := cuda.NewTrainer(openDevice(t), graph(t, m, s.e, models.Evaluation), cuda.Options{}); err == nil {
		t.Error("trains a graph without gradients")
	}
	must.Do(t, tr.Close())
	if _, err := tr.Loss(); err == nil {
		t.Error("a closed trainer has a loss")
	}
	if tr.Load(before) == nil || tr.Step(s.e, 0, 0.01) == nil {
		t.Error("a closed trainer goes on")
	}
}
