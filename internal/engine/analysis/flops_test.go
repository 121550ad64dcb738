package analysis_test

import (
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The number of products of a layer: forward, for its weight's gradient, and for its input's
// gradient unless the input is data.
const (
	stopped = 1
	onData  = 2
	inner   = 3
)

// product stands for `times` layers from in to out columns over a number of rows, each with `uses`
// products.
type product struct{ times, rows, in, out, uses int }

func multiplyAdds(ps []product) (n int) {
	for _, p := range ps {
		n += p.times * p.rows * p.in * p.out * p.uses
	}
	return n
}

// products returns the products of a model with lissajous' depths, dx = 2 and dy = 1, taken from
// the paper's supplement. A first layer reads r once per group and x once per point.
func products(model string, w, b, nc, n, levels int) []product {
	context, points, rows := b*nc, b*n, b*n*levels
	encoder := []product{{1, context, 3, w, onData}, {3, context, w, w, inner}}
	decoder := func(rows, out int) []product { return []product{{2, rows, w, w, inner}, {1, rows, w, out, inner}} }
	ofRAndX := func(rOf int) []product { return []product{{1, rOf, w, w, inner}, {1, points, 2, w, onData}} }
	all := func(parts ...[]product) (ps []product) {
		for _, p := range parts {
			ps = append(ps, p...)
		}
		return ps
	}
	scores := func(queries int) []product { // scores and values; the gradients of weights, q, k and v
		return []product{{1, queries * nc, w, 1, 2}, {1, queries * nc, w, 1, 4}}
	}
	attention := all([]product{
		{1, points, 2, w, onData}, {1, points, w, w, inner}, {1, points, w, w, inner}, // queries: MLP, heads
		{1, context, 2, w, onData}, {1, context, w, w, inner}, {1, context, w, w, inner}, // keys
		{1, context, w, w, inner}, // values' heads
		{1, points, w, w, inner},  // output
	}, scores(points))
	adaptor := []product{{1, rows, 1, w, onData}, {4, rows, w, w, inner}, {1, rows, w, 1, inner}}
	switch model {
	case "cnp":
		return all(encoder, ofRAndX(b), decoder(points, 2))
	case "canp":
		return all(encoder, attention, ofRAndX(points), decoder(points, 2))
	case "cnp/transformer":
		embedder := []product{
			{1, context, 2, w, onData}, {1, context, 1, w, onData}, {1, points, 1, w, onData}, {1, points, 2, w, onData}, // x, y; flag, x
			{3, context + points, w, w, inner},
		}
		layer := func(tokens int) []product { // queries and output, feed-forward network
			return all([]product{{2, tokens, w, w, inner}, {2, tokens, w, feedforward, inner}}, scores(tokens))
		}
		keysAndValues := []product{{2 * layers, context, w, w, inner}}
		return all(embedder, keysAndValues, layer(points), layer(points), layer(context), ofRAndX(points), decoder(points, 2))
	case "acqnp/attention/residual": // the level that the decoder reads has two columns
		return all(encoder, attention, ofRAndX(points), adaptor, ofRAndX(points), []product{{1, rows, 2, w, inner}}, decoder(rows, 3))
	case "cqnp":
		return all(encoder, ofRAndX(b), []product{{1, rows, 1, w, onData}}, decoder(rows, 3))
	case "acqnp":
		return all(encoder, ofRAndX(b), adaptor, ofRAndX(b), []product{{1, rows, 1, w, inner}}, decoder(rows, 3))
	}
	return bootstrapped(w, b, nc, n, levels)
}

// bootstrapped returns the products of BNP, whose two encoders have 5 layers before the mean and 3
// after it, and whose decoder has 5 layers.
func bootstrapped(w, b, nc, n, k int) []product {
	tail := func(rows, uses int) []product { return []product{{3, rows, w, w, uses}, {1, rows, w, 2, uses}} }
	ps := []product{
		// the drawn context, without gradient: encoded, and decoded at the context
		{2, b * nc * k, 3, w, stopped}, {8, b * nc * k, w, w, stopped}, {6, b * k, w, w, stopped},
		{2, b * k, w, w, stopped}, {1, b * nc, 2, w, stopped},
		// the context, and the drawn residuals at the same x
		{2, b * nc, 2, w, onData}, {2, b * nc, 1, w, onData}, {2, b * nc * k, 1, w, onData},
		{8, b*nc + b*nc*k, w, w, inner}, {6, b + b*k, w, w, inner},
		// the decoder's first layer, over x with and without the ReLU
		{2, b + b*k, w, w, inner}, {2, b * n, 2, w, onData},
	}
	ps = append(ps, tail(b*nc*k, stopped)...)
	return append(append(ps, tail(b*n, inner)...), tail(b*n*k, inner)...)
}

// The sizes of the transformer.
const layers, feedforward = 2, 5

// flops counts for a model. The name can be followed by an aggregation and a form of the adaptor.
func flops(t *testing.T, model string, w int, capacity, e ops.Extents) float64 {
	t.Helper()
	mlp := func(depth int) []int {
		widths := make([]int, depth)
		for i := range widths {
			widths[i] = w
		}
		return widths
	}
	form := append(strings.Split(model, "/"), "", "")
	c := config.Model{Name: form[0], Aggregation: form[1], AdaptorForm: form[2], Layers: layers, Feedforward: feedforward, Representation: w, Encoder: mlp(3), Decoder: mlp(3), Adaptor: mlp(5), KeyEncoder: mlp(1),
		QueryEncoder: mlp(1), Heads: 4, Width: w, PreDepth: 5, PostDepth: 3, DecoderDepth: 5, TrainBootstraps: e.Levels}
	m := must.Get(models.New(c, 2, 1))(t)
	g := must.Get(m.Build(tensor.Float32, capacity, models.Training))(t)
	a := must.Get(analysis.Analyse(g))(t)
	return a.FLOPs(e)
}

func TestFLOPsAreTwoForEveryMultiplyAddOfTheModel(t *testing.T) {
	for _, model := range append(models.Names(), "cnp/transformer", "acqnp/attention/residual") {
		capacity := ops.Extents{Groups: 4, Context: 5, Points: 11, Levels: 3}
		for _, e := range []ops.Extents{capacity, {Groups: 2, Context: 3, Points: 7, Levels: 2}} {
			if strings.HasPrefix(model, "cnp") || model == "canp" {
				e.Levels = 0
			}
			want := 2 * float64(multiplyAdds(products(model, 8, e.Groups, e.Context, e.Points, e.Levels)))
			if got := flops(t, model, 8, capacity, e); got != want {
				t.Errorf("%s at %v: %.0f, want %.0f", model, e, got, want)
			}
		}
	}
}
