//go:build simt

package cuda

import (
	"cmp"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// TestRegionsAreLargeEnough gives every region an allocation of exactly its size, so that the
// emulator finds each access beyond it. In one common allocation such an access would reach another
// region.
func TestRegionsAreLargeEnough(t *testing.T) {
	if !emulator.Checked() {
		t.Skip("accesses are not checked in this build")
	}
	e := ops.Extents{Groups: 2, Context: 3, Points: 35, Levels: 2}
	hidden := []int{16, 16}
	for _, c := range []config.Model{
		{Name: "acqnp", Representation: 16, Encoder: hidden, Adaptor: hidden, Decoder: hidden},
		{Name: "acqnp", AdaptorForm: config.Residual, Aggregation: config.Attention, Representation: 16, Encoder: hidden, Adaptor: hidden,
			Decoder: hidden, KeyEncoder: []int{5}, QueryEncoder: []int{5}, Heads: 4},
		{Name: "cqnp", Aggregation: config.Transformer, Representation: 12, Encoder: []int{13}, Decoder: hidden, Heads: 3, Layers: 2,
			Feedforward: 35},
		{Name: "canp", Representation: 12, Encoder: []int{13}, Decoder: []int{70}, KeyEncoder: []int{5}, QueryEncoder: []int{5}, Heads: 3},
		{Name: "bnp", Width: 17, PreDepth: 2, PostDepth: 2, DecoderDepth: 3},
	} {
		for _, fused := range []bool{false, true} {
			m := must.Get(models.New(c, 1, 2))(t)
			g := must.Get(m.Build(tensor.Float32, e, models.Training))(t)
			if err := runApart(emulator.New(emulator.Options{}), g, Options{Fused: fused}); err != nil {
				t.Errorf("%s %s, fused %t: %v", c.Name, c.Aggregation, fused, err)
			}
		}
	}
}

// TestMemoryOfManyPoints compiles attention and a transformer for 2500 context points and 5000
// points of one group. All memory together must be smaller than one matrix of scores.
func TestMemoryOfManyPoints(t *testing.T) {
	e := ops.Extents{Groups: 1, Context: 2500, Points: 5000, Levels: 1}
	hidden := []int{16}
	for _, c := range []config.Model{
		{Name: "cqnp", Aggregation: config.Attention, Representation: 16, Encoder: hidden, Decoder: hidden, KeyEncoder: hidden,
			QueryEncoder: hidden, Heads: 4},
		{Name: "cqnp", Aggregation: config.Transformer, Representation: 16, Encoder: hidden, Decoder: hidden, Heads: 4, Layers: 2,
			Feedforward: 16},
	} {
		m := must.Get(models.New(c, 1, 1))(t)
		g := must.Get(m.Build(tensor.Float32, e, models.Training))(t)
		d := emulator.New(emulator.Options{})
		compiled := must.Get(compile(d, g, Options{}, true))(t)
		compiled.finish()
		if n := analysis.Place(compiled.buffers); n >= e.Points*e.Context {
			t.Errorf("%s: %d numbers", c.Aggregation, n)
		}
		must.Do(t, d.Close())
	}
}

// runApart makes one training step on separate allocations.
func runApart(d gpu.Driver, g *ops.Graph, o Options) error {
	c, err := compile(d, g, o, true)
	if err != nil {
		return err
	}
	moments := c.optimise(0)
	c.finish()
	c.address = map[*analysis.Buffer]gpu.Ptr{}
	for _, b := range c.buffers {
		if c.address[b], err = d.Alloc(4 * b.Size); err != nil {
			return err
		}
	}
	m := &machine{compiler: c, driver: d}
	if err := m.prepare(); err != nil {
		return err
	}
	h, err := m.newHost()
	if err != nil {
		return err
	}
	for _, r := range []region{c.params, moments.m, moments.v} {
		if err := d.Upload(c.ptr(r), make([]byte, 4*c.n)); err != nil {
			return err
		}
	}
	status := training{Scale: 1}
	return cmp.Or(d.Upload(c.ptr(c.training), status.bytes()), m.upload(0, h, g.Capacity, 0, 0.01), m.run(0), d.Sync(), d.Close())
}
