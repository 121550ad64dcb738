//go:build simt || gpu

package cuda_test

import (
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// without is a driver that leaves out the launches of a kernel.
type without struct {
	*listening
	kernel string
}

func (d without) Launch(f gpu.Func, dims gpu.Dims, p gpu.Params) error {
	if strings.HasPrefix(d.names[f], d.kernel) {
		return nil
	}
	return d.listening.Launch(f, dims, p)
}

// TestPairCheck compiles trainers with the check of the kernels for sm_90a: on a device whose kernels are
// right, on one that leaves a pass of the gradient out, and on one that has only the other kernels. The
// branches of the second trainer have been checked already.
func TestPairCheck(t *testing.T) {
	s := shape{sized("acqnp residual", 64), 1, 2, ops.Extents{Groups: 1, Context: 2, Points: 3, Levels: 3}}
	m := build(t, s)
	for _, c := range []struct {
		kernel, words  string // the former is left out; a warning has the latter
		noPairs, pairs bool
		checks         int // launches of kernels for sm_90a forward
	}{
		{"none", "", false, true, 2},
		{"branch_backward_f16_pairs_64_only", "ACQNP", false, false, 1},
		{"none", "", true, false, 0},
	} {
		d := without{&listening{Driver: openDevice(t), names: map[gpu.Func]string{}}, c.kernel}
		if !d.Device().Hopper {
			t.Skip("the device has no kernels for sm_90a")
		}
		check := cuda.NewPairCheck(d)
		for trainer := range 2 {
			tr := must.Get(cuda.NewTrainer(d, graph(t, m, s.e, models.Training), cuda.Options{Fused: true, Precision: cuda.FP16, Check: check, NoPairs: c.noPairs}))(t)
			about := tr.(interface {
				Pairs() bool
				Doubted() bool
			})
			if about.Pairs() != c.pairs || about.Doubted() != (c.words != "") {
				t.Errorf("%+v: trainer %d has pairs: %v, doubted: %v", c, trainer, about.Pairs(), about.Doubted())
			}
			if warning := check.Warning(); (warning == "") != (c.words == "" || trainer == 1) || strings.Contains(warning, "\n") {
				t.Errorf("%+v: trainer %d warns %q", c, trainer, warning)
			} else if warning != "" {
				t.Log(warning)
			}
			n := 0
			for _, name := range d.launched {
				if strings.HasPrefix(name, "branch_forward_f16_pairs") {
					n++
				}
			}
			if n != c.checks {
				t.Errorf("%+v: %d branches checked with trainer %d, want %d: %v", c, n, trainer, c.checks, d.launched)
			}
			must.Do(t, tr.Close())
		}
	}
}
