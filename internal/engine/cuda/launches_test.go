//go:build simt

package cuda

import (
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
)

// TestLaunchesOfThePapersStep compiles ACQNP of lissajous at its own widths and capacity, where some
// operations have too many rows to share a launch. Nothing runs.
func TestLaunchesOfThePapersStep(t *testing.T) {
	x := must.Get(config.Load("../../../configs/lissajous/acqnp.yaml", config.Overrides{}))(t)
	m := must.Get(models.New(x.Model, 1, 2))(t)
	g := must.Get(m.Build(tensor.Float32, ops.Extents{Groups: 128, Context: 97, Points: 100, Levels: 50}, models.Training))(t)
	draw := random.New(1, random.Levels)
	c := must.Get(compile(emulator.New(emulator.Options{}), g, Options{Fused: true, Precision: FP16, DrawLevels: &draw}, true))(t)
	c.optimise(0)
	c.finish()
	most := 19 // one of them packs the weights of the encoder, beside that of the branches
	if c.Pairs() {
		most++ // the gradient of ψ takes two passes, each a launch
	}
	if n := len(c.launches); n > most {
		for _, l := range c.launches {
			t.Log(l.kernel, l.dims)
		}
		t.Errorf("%d launches, want at most %d", n, most)
	}
}
