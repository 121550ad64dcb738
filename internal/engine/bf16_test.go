package engine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// TestBF16IsNearFloat32 compares values and gradients in bf16 with those in float32, for wide layers
// and for odd sizes. A bfloat16 has 8 significant bits, so a product of two has a relative error of up
// to 2⁻⁸. Errors of many products mostly cancel. The bounds are two to three times the largest
// differences seen, relative to the norm: 1.7e-4 for the log-likelihoods, 0.011 for the whole gradient,
// 0.12 for one tensor's gradient. For tensors with hardly any gradient, such as the biases of keys, the
// bound is relative to the norm of the whole gradient.
func TestBF16IsNearFloat32(t *testing.T) {
	for _, name := range names() {
		for _, width := range []int{50, 128} {
			s := shape{sized(name, width, []int{width + 7, width - 6, width}, 2), 1, 2, ops.Extents{Groups: 5, Context: 30, Points: 61, Levels: 9}}
			if m := build(t, s); !m.Quantile() && !m.Bootstrap() {
				s.e.Levels = 0
			}
			t.Run(s.String(), func(t *testing.T) {
				m := build(t, s)
				want, got := compiled(t, m, s.e, models.Training, 2), compiledBy(t, cpu.NewBF16, m, s.e, models.Training, 2)
				fill(want, m, s.e, 1)
				fill(got, m, s.e, 1)
				run(t, want, s.e)
				run(t, got, s.e)
				ll, all := distance(got.Output("loglik"), want.Output("loglik")), distance(got.Grads(), want.Grads())
				if !(ll < 5e-4) || !(all < 0.025) {
					t.Errorf("log-likelihoods differ by %.2g, gradients by %.2g", ll, all)
				}
				whole := norm(want.Grads())
				for _, p := range m.Tensors() {
					a, b := got.Grads()[p.Offset:p.Offset+p.Size()], want.Grads()[p.Offset:p.Offset+p.Size()]
					if d := distance(a, b) * norm(b); !(d < 0.25*norm(b)+0.005*whole) {
						t.Errorf("gradient of %s differs by %.2g, its norm is %.2g", p.Name, d, norm(b))
					}
				}
				if ll == 0 || all == 0 {
					t.Error("nothing was rounded")
				}
			})
		}
	}
}

// distance returns |a-b| / |b|.
func distance(a, b []float32) float64 {
	d := 0.0
	for i, v := range b {
		d += math.Pow(float64(a[i]-v), 2)
	}
	return math.Sqrt(d) / norm(b)
}

// norm returns |a|.
func norm(a []float32) float64 {
	sum := 0.0
	for _, v := range a {
		sum += math.Pow(float64(v), 2)
	}
	return math.Sqrt(sum)
}

// TestBF16LeavesNarrowLayersAlone runs a model whose layers are all narrower than 32.
func TestBF16LeavesNarrowLayersAlone(t *testing.T) {
	for _, name := range names() {
		s := shape{sized(name, 20, []int{24, 31}, 2), 1, 1, ops.Extents{Groups: 3, Context: 5, Points: 9, Levels: 4}}
		m := build(t, s)
		if !m.Quantile() && !m.Bootstrap() {
			s.e.Levels = 0
		}
		want, got := compiled(t, m, s.e, models.Training, 2), compiledBy(t, cpu.NewBF16, m, s.e, models.Training, 2)
		fill(want, m, s.e, 1)
		fill(got, m, s.e, 1)
		run(t, want, s.e)
		run(t, got, s.e)
		if !slices.Equal(got.Grads(), want.Grads()) || !slices.Equal(got.Output("loglik"), want.Output("loglik")) {
			t.Errorf("%s: other bits than in float32", name)
		}
	}
}
