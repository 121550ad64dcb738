//go:build simt || gpu

package cuda_test

import (
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// float32Rounding bounds the error of float32 sums in these tests. The longest sums have some
// hundred terms of both signs, up to 10 in size, each with a relative rounding error of 6e-8. The
// tests of the CPU engine have the same bound.
const float32Rounding = 2e-5

// shapes returns small shapes, because the emulator is slow, with edge cases: one level and one
// point, widths that are no multiple of a tile, several channels, full width, no context points, and
// more of them than a warp has lanes.
func shapes() []shape {
	var all []shape
	for _, name := range variants() {
		floored := small(name)
		floored.model.SigmaFloor = 0.3
		all = append(all, small(name), floored,
			shape{sized(name, 20), 1, 1, ops.Extents{Groups: 1, Context: 1, Points: 1, Levels: 1}},
			shape{sized(name, 64), 1, 2, ops.Extents{Groups: 3, Context: 5, Points: 7, Levels: 1}})
		if name != "bnp" {
			all = append(all, shape{sized(name, 20), 1, 2, ops.Extents{Groups: 3, Context: 0, Points: 7, Levels: 4}})
		}
	}
	all = append(all, shape{sized("acqnp", 128), 1, 1, ops.Extents{Groups: 1, Context: 4, Points: 9, Levels: 5}},
		shape{sized("cqnp transformer", 12), 1, 1, ops.Extents{Groups: 2, Context: 37, Points: 41, Levels: 2}})
	for i := range all {
		all[i] = all[i].levelled()
	}
	return all
}

// TestAgreesWithTheReference compares values and all gradients with the float64 reference and with
// the CPU engine.
func TestAgreesWithTheReference(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.String(), func(t *testing.T) {
			m := build(t, s)
			got := onDevice(t, m, s.e, models.Training, cuda.Options{})
			fill(got, m, s.e, 1)
			run(t, got, s.e)
			want := truth(t, m, s.e, models.Training)
			fill(want, m, s.e, 1)
			run(t, want, s.e)
			agree(t, "reference", m, got, want)
			cpu := onCPU(t, m, s.e, models.Training)
			fill(cpu, m, s.e, 1)
			run(t, cpu, s.e)
			agree(t, "CPU engine", m, got, cpu)
		})
	}
}

// agree compares the CUDA engine with another one, whose name is other.
func agree[T engine.Float](t *testing.T, other string, m *models.Model, got engine.Program[float32], want engine.Program[T]) {
	t.Helper()
	for _, name := range []string{"cost", "loglik"} {
		if d := worst(got.Output(name), want.Output(name)); !(d < float32Rounding) {
			t.Errorf("%s differs from the %s by %.2g", name, other, d)
		}
	}
	for _, p := range m.Tensors() {
		to := p.Offset + p.Size()
		if d := worst(got.Grads()[p.Offset:to], want.Grads()[p.Offset:to]); !(d < float32Rounding) {
			t.Errorf("gradient of %s differs from the %s by %.2g", p.Name, other, d)
		}
	}
}

// TestEvaluatesAndPredicts compares the graphs for evaluation and prediction, with fused branches.
func TestEvaluatesAndPredicts(t *testing.T) {
	for _, name := range variants() {
		t.Run(name, func(t *testing.T) {
			s := small(name)
			m := build(t, s)
			for mode, outputs := range map[models.Mode][]string{
				models.Evaluation: {"loglik"}, models.Prediction: {"components", "logit"},
			} {
				got, want := onDevice(t, m, s.e, mode, cuda.Options{Fused: true}), truth(t, m, s.e, mode)
				fill(got, m, s.e, 2)
				fill(want, m, s.e, 2)
				run(t, got, s.e)
				run(t, want, s.e)
				if got.Grads() != nil {
					t.Error("gradients where the graph has none")
				}
				for _, output := range outputs {
					if len(got.Output(output)) != len(want.Output(output)) {
						t.Errorf("%d numbers of %s, want %d", len(got.Output(output)), output, len(want.Output(output)))
					}
					if d := worst(got.Output(output), want.Output(output)); !(d < float32Rounding) {
						t.Errorf("%s differs by %.2g", output, d)
					}
				}
			}
		})
	}
}

// TestExtentsWithinCapacity runs one program at changing sizes. Each run must have the bits of a
// program compiled for its size.
func TestExtentsWithinCapacity(t *testing.T) {
	for _, name := range variants() {
		t.Run(name, func(t *testing.T) {
			s := small(name)
			m := build(t, s)
			capacity := ops.Extents{Groups: 3, Context: 5, Points: 9, Levels: 4}
			runs := []ops.Extents{capacity, {Groups: 1, Context: 1, Points: 2, Levels: 1}, {Groups: 2, Context: 5, Points: 7, Levels: 4}}
			if name != "bnp" {
				runs = append(runs, ops.Extents{Groups: 2, Context: 0, Points: 7, Levels: 4})
			}
			if s.e.Levels == 0 {
				capacity.Levels = 0
				for i := range runs {
					runs[i].Levels = 0
				}
			}
			withinCapacity(t, m, capacity, runs, cuda.Options{})
		})
	}
}

func withinCapacity(t *testing.T, m *models.Model, capacity ops.Extents, runs []ops.Extents, o cuda.Options) {
	p := onDevice(t, m, capacity, models.Training, o)
	for i, e := range append(runs, capacity) {
		exact := onDevice(t, m, e, models.Training, o)
		fill(p, m, e, uint64(i))
		fill(exact, m, e, uint64(i))
		run(t, p, e)
		run(t, exact, e)
		if !slices.Equal(p.Grads(), exact.Grads()) || !slices.Equal(p.Output("loglik"), exact.Output("loglik")) {
			t.Errorf("%v: results depend on the capacity or on earlier runs", e)
		}
	}
}

func TestRunRefusesWhatDoesNotFit(t *testing.T) {
	m := build(t, small("acqnp"))
	capacity := ops.Extents{Groups: 2, Context: 4, Points: 8, Levels: 3}
	p := onDevice(t, m, capacity, models.Evaluation, cuda.Options{})
	for _, e := range []ops.Extents{
		{Groups: 3, Context: 4, Points: 8, Levels: 3}, {Groups: 2, Context: 5, Points: 8, Levels: 3},
		{Groups: 2, Context: 4, Points: 9, Levels: 3}, {Groups: 2, Context: 4, Points: 8, Levels: 4},
		{Groups: 2, Context: -1, Points: 8, Levels: 3}, {Groups: 2, Context: 4, Points: 8, Levels: 0}, {},
	} {
		if p.Run(e) == nil {
			t.Errorf("%v: ran", e)
		}
	}
	must.Do(t, p.Close())
	if p.Run(capacity) == nil {
		t.Error("a closed program ran")
	}
}
