package engine_test

import (
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// TestWeightOfThreeLayers gives one weight three uses, so that its gradient is a sum of sums.
func TestWeightOfThreeLayers(t *testing.T) {
	e := ops.Extents{Groups: 2, Context: 1, Points: 7}
	build := func(dtype tensor.Dtype, e ops.Extents) (*ops.Graph, error) {
		b := ops.NewBuilder(dtype, e)
		h, w, bias := b.Input("x", ops.Point, 3), b.Weight("w", 3, 3)[0], b.Bias("b", 3, 3)
		for i := range 3 {
			h = b.Linear(bias, h, w, i < 2)
		}
		cost := b.Cost(b.Linear(b.Bias("b1", 1, 3), h, b.Weight("w1", 1, 3)[0], false))
		b.Output("cost", cost)
		return b.Finish(cost)
	}
	want := must.Get(reference.New[float64](func(e ops.Extents) (*ops.Graph, error) { return build(tensor.Float64, e) }, e))(t)
	g := must.Get(build(tensor.Float32, e))(t)
	got := must.Get(cpu.New(g, 2))(t)
	defer got.Close()
	r := random.New(3, random.Data)
	for i := range got.Params() {
		got.Params()[i] = float32(r.Float(0, uint64(i)) - 0.3)
		want.Params()[i] = float64(got.Params()[i])
	}
	for i := range got.Input("x") {
		got.Input("x")[i] = float32(r.Float(1, uint64(i)))
		want.Input("x")[i] = float64(got.Input("x")[i])
	}
	run(t, want, e)
	run(t, got, e)
	if d := worst(got.Grads(), want.Grads()); !(d < 2e-6) { // a dozen float32 roundings
		t.Errorf("gradients differ by %.2g", d)
	}
}
