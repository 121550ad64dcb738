package models_test

import (
	"fmt"
	"math"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// everyNetwork returns a small model of each architecture, aggregation and form of the adaptor.
func everyNetwork() map[string]config.Model {
	base := config.Model{Representation: 6, Encoder: []int{5, 7}, Decoder: []int{9, 4}, Heads: 3,
		KeyEncoder: []int{5}, QueryEncoder: []int{4, 7}, Layers: 2, Feedforward: 8}
	all := map[string]config.Model{"bnp": {Name: "bnp", Width: 5, PreDepth: 2, PostDepth: 2, DecoderDepth: 3},
		"shallow bnp": {Name: "bnp", Width: 3, PreDepth: 1, PostDepth: 1, DecoderDepth: 2}}
	for _, name := range models.Names() {
		for _, aggregation := range []string{config.Mean, config.Attention, config.Transformer} {
			m := base
			m.Name, m.Aggregation = name, aggregation
			switch name {
			case "bnp":
				continue
			case "acqnp":
				m.Adaptor, m.AdaptorForm = []int{3, 5}, config.Residual
				all[name+" "+aggregation+" residual"] = m
				m.AdaptorForm = ""
			}
			all[name+" "+aggregation] = m
		}
	}
	one := base
	one.Name, one.Heads, one.Encoder, one.KeyEncoder = "canp", 1, nil, nil
	all["canp of one head"] = one
	return all
}

// TestLoweredGraphsComputeWhatKernelsDo lowers every network to arrays and compares the outputs with
// those of the plain kernels, at odd sizes, without a context, and with one that is padded.
func TestLoweredGraphsComputeWhatKernelsDo(t *testing.T) {
	for name, c := range everyNetwork() {
		for _, size := range []ops.Extents{
			{Groups: 1, Context: 5, Points: 3, Levels: 4}, {Groups: 1, Context: 1, Points: 1, Levels: 1}, {Groups: 1, Points: 2, Levels: 3},
		} {
			if c.Name == "bnp" && size.Context == 0 {
				continue
			}
			m := must.Get(models.New(c, 2, 3))(t)
			g := must.Get(m.Build(tensor.Float64, size, models.Prediction))(t)
			want, fed := computed(g, size, m)
			for _, padding := range []int{0, 2} {
				if c.Name == "bnp" && padding > 0 { // its context is never padded
					continue
				}
				got, err := lowered(g, size, m, fed, padding)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for output := range want {
					// Sums are in another order.
					if d := distance(got[output], want[output]); !(d < 1e-12) {
						t.Errorf("%s, %v, %d points of padding: %s differs by %g", name, size, padding, output, d)
					}
				}
			}
		}
	}
}

// TestLoweredPrimitives lowers the primitives that have a form, and attention within ranges.
func TestLoweredPrimitives(t *testing.T) {
	e := ops.Extents{Groups: 1, Context: 2, Points: 3, Levels: 4}
	b := ops.NewBuilder(tensor.Float64, e)
	x, u := b.Input("x", ops.Point, 2), b.Input("u", ops.Row, 2)
	b.Output("out", b.Mul(b.Log(b.Softplus(x)), b.Affine(b.Exp(x), -0.5, 3)))
	for i, a := range [][2]float64{{1, 0}, {-1, 0}, {2, 0}, {1, 3}, {-1, 3}} {
		b.Output(fmt.Sprint("affine", i), b.Affine(u, a[0], a[1]))
	}
	for i, width := range []int{1, 2} {
		wide := b.Add(u, b.Spread(b.Sum(u, ops.Point, width), ops.Row, 2))
		b.Output(fmt.Sprint("log softmax", i), b.LogSoftmax(wide, ops.Point, width))
		b.Output(fmt.Sprint("spread", i), b.Spread(b.Columns(x, 0, width), ops.Row, 2))
	}
	b.Output("within", b.AttentionWithin(x, b.Affine(x, -2, 1), b.Exp(x), b.Input("ranges", ops.Point, 2), 2))
	g := must.Get(b.Finish(nil))(t)
	m := model(t, "cnp", 1, 1)
	want, fed := computed(g, e, m)
	got, err := lowered(g, e, m, fed, 0)
	for output := range want {
		if d := distance(got[output], want[output]); err != nil || !(d < 1e-14) { // numbers up to 10
			t.Errorf("%s differs by %g: %v", output, d, err)
		}
	}
}

// distance returns the largest difference of two slices, infinite if their lengths differ.
func distance(a, b []float64) (most float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		most = math.Max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// parameters returns random ones.
func parameters(m *models.Model) []float64 {
	all := make([]float64, m.NumParams())
	for i, v := range m.Initial(7) {
		all[i] = 2*float64(v) + 0.1*math.Sin(float64(i))
	}
	return all
}

// computed runs the plain kernels of a graph. It also returns the inputs that it drew.
func computed(g *ops.Graph, e ops.Extents, m *models.Model) (outputs, fed map[string][]float64) {
	outputs, fed = map[string][]float64{}, map[string][]float64{}
	var inputs [][]float64
	for k, in := range g.Inputs {
		v := make([]float64, e.Rows(in.Space)*in.Width)
		for i := range v {
			v[i] = float64(float32(math.Mod(0.37+0.618*float64(i)+0.29*float64(k), 1)))
			if in.Space == ops.Resample {
				v[i] = float64(i * i % e.Context)
			}
			if in.Name == "ranges" { // of none, of one and of two keys
				v[i] = float64([]int{1, 1, 0, 1, 1, 3}[i%6])
			}
		}
		inputs, fed[in.Name] = append(inputs, v), v
	}
	for i, v := range ops.NewPlain(g).Run(e, parameters(m), inputs...) {
		outputs[g.Outputs[i].Name] = v
	}
	return outputs, fed
}

// lowered lowers a graph to arrays, with a number of context points that are not real.
func lowered(g *ops.Graph, e ops.Extents, m *models.Model, fed map[string][]float64, padding int) (map[string][]float64, error) {
	d := &arrays{known: map[ops.Value]array{}, extents: e, padding: padding, params: parameters(m), fed: fed}
	values, err := ops.Lower(g, d)
	if err != nil {
		return nil, err
	}
	outputs := map[string][]float64{}
	for _, out := range g.Outputs {
		full := d.shape(out.Space, out.Width)
		outputs[out.Name] = d.known[d.add(full, d.known[values[out.Name]].element)].data
	}
	return outputs, nil
}
