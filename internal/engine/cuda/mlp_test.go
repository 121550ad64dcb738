//go:build simt || gpu

package cuda_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// TestFusedMLPsAgree compares gradients with the float64 reference, where encoders and decoders of points
// run by the kernels of an MLP. They are float32, whatever is asked for. A model with levels has its encoder
// alone. An encoder before attention, whose result the next layer reads, has none.
func TestFusedMLPsAgree(t *testing.T) {
	for _, c := range []struct {
		variant string
		width   int
		e       ops.Extents
		mlps    int
	}{
		{"cnp", 64, ops.Extents{Groups: 3, Context: 5, Points: 7}, 2},
		{"cnp", 128, ops.Extents{Groups: 2, Context: 9, Points: 41}, 2},
		{"cnp", 64, ops.Extents{Groups: 2, Context: 0, Points: 3}, 2},
		{"canp", 64, ops.Extents{Groups: 2, Context: 3, Points: 9}, 1},
		{"cqnp", 64, ops.Extents{Groups: 2, Context: 3, Points: 5, Levels: 7}, 1},
		{"acqnp residual", 64, ops.Extents{Groups: 2, Context: 3, Points: 5, Levels: 7}, 1},
	} {
		s := shape{sized(c.variant, c.width), 1, 2, c.e}
		m := build(t, s)
		want := truth(t, m, s.e, models.Training)
		fill(want, m, s.e, 1)
		run(t, want, s.e)
		for _, p := range []cuda.Precision{cuda.FP32, cuda.FP16} {
			t.Run(s.String()+" "+p.String(), func(t *testing.T) {
				got, d := fusedProgram(t, m, s.e, p)
				fill(got, m, s.e, 1)
				run(t, got, s.e)
				for _, kernel := range []string{"mlp_forward_f32", "mlp_backward_f32"} {
					if n := d.count(kernel); n != c.mlps {
						t.Errorf("%d launches of %s, want %d: %v", n, kernel, c.mlps, d.launched)
					}
				}
				if p == cuda.FP32 || c.e.Levels == 0 {
					agree(t, "reference", m, got, want)
					return
				}
				roughly(t, m, got, want)
			})
		}
	}
}

// count returns the number of launches of kernels whose names begin so.
func (l *listening) count(prefix string) (n int) {
	for _, name := range l.launched {
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n
}

// TestFusedMLPsOfEvaluation compares a graph without gradients, in which BNP's encoders and decoders can
// be fused too, because nothing else reads its parameters' gradients.
func TestFusedMLPsOfEvaluation(t *testing.T) {
	for variant, least := range map[string]int{"cnp": 2, "bnp": 4} {
		s := shape{sized(variant, 64), 1, 2, ops.Extents{Groups: 2, Context: 3, Points: 5, Levels: 3}}.levelled()
		m := build(t, s)
		d := &listening{Driver: openDevice(t), names: map[gpu.Func]string{}}
		got := must.Get(cuda.New(d, graph(t, m, s.e, models.Evaluation), cuda.Options{Fused: true}))(t)
		closing(t, got)
		want := truth(t, m, s.e, models.Evaluation)
		fill(got, m, s.e, 2)
		fill(want, m, s.e, 2)
		run(t, got, s.e)
		run(t, want, s.e)
		if n := d.count("mlp_forward_f32"); n < least {
			t.Errorf("%s: %d fused, want at least %d: %v", variant, n, least, d.launched)
		}
		if off := worst(got.Output("loglik"), want.Output("loglik")); !(off < float32Rounding) {
			t.Errorf("%s: loglik differs by %.2g", variant, off)
		}
	}
}

// TestFusedMLPsWithinCapacity is TestExtentsWithinCapacity of fused MLPs.
func TestFusedMLPsWithinCapacity(t *testing.T) {
	s := shape{sized("cnp", 64), 2, 3, ops.Extents{Groups: 3, Context: 40, Points: 37}}
	withinCapacity(t, build(t, s), s.e, []ops.Extents{s.e, {Groups: 1, Context: 1, Points: 1}, {Groups: 3, Context: 0, Points: 2},
		{Groups: 2, Context: 33, Points: 20}}, cuda.Options{Fused: true})
}

// TestFusedMLPsTrainLikeUnfused compares the losses of fused steps with those of unfused steps, and the state
// that nodes of the graph in another order lead to.
func TestFusedMLPsTrainLikeUnfused(t *testing.T) {
	s := shape{sized("cnp", 64), 2, 3, ops.Extents{Groups: 2, Context: 4, Points: 9}}
	m := build(t, s)
	unfused := trainer(t, m, s.e, cuda.Options{})
	var fused []engine.Trainer
	for range 2 {
		fused = append(fused, trainer(t, m, s.e, cuda.Options{Fused: true, Precision: cuda.FP16}))
	}
	for batch := range 5 {
		step(t, unfused, m, s.e, batch)
		want := float64(loss(t, unfused))
		for _, f := range fused {
			step(t, f, m, s.e, batch)
			if got := float64(loss(t, f)); !(math.Abs(got-want) <= 1e-3*max(1, math.Abs(want))) {
				t.Errorf("batch %d: loss %v, want %v", batch, got, want)
			}
		}
	}
	if a, b := state(t, fused[0]), state(t, fused[1]); !slices.Equal(a.Params, b.Params) || a.Scale != 0 {
		t.Errorf("two runs lead to different states, or the loss was scaled by %v", a.Scale)
	}
}
