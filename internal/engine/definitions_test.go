package engine_test

import (
	"math"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

const definedFloor = 0.0625 // exact in float32

// likelihoods maps names to functions that build a fused likelihood or, if defined is true, its
// definition in primitives. The decoder is one layer. All give log-likelihoods of points.
var likelihoods = map[string]func(b *ops.Builder, dy int, defined bool) *G.Node{
	"gaussian over points": func(b *ops.Builder, dy int, defined bool) *G.Node {
		return gaussianOf(b, decoder(b, ops.Point, 2*dy), dy, defined)
	},
	"gaussian over levels": func(b *ops.Builder, dy int, defined bool) *G.Node {
		return b.LogMeanExp(gaussianOf(b, decoder(b, ops.Row, 2*dy), dy, defined))
	},
	"mixture":         func(b *ops.Builder, dy int, defined bool) *G.Node { return mixtureOf(b, dy, defined, false) },
	"natural mixture": func(b *ops.Builder, dy int, defined bool) *G.Node { return mixtureOf(b, dy, defined, true) },
}

func gaussianOf(b *ops.Builder, decoded *G.Node, dy int, defined bool) *G.Node {
	y := b.Input("y", ops.Point, dy)
	if defined {
		mu, sigma, points := b.Columns(decoded, 0, dy), b.Sigma(b.Columns(decoded, dy, 2*dy), definedFloor), decoded.Op().(*ops.Op).Out
		return b.Sum(b.NormalLogDensity(b.Spread(y, points, dy), mu, sigma), points, 1)
	}
	return b.GaussianLogLik(decoded, y, definedFloor)
}

func mixtureOf(b *ops.Builder, dy int, defined, natural bool) *G.Node {
	h := decoder(b, ops.Row, 3*dy)
	z := b.Linear(b.Bias("bz", 1, 3), b.Input("levels", ops.Row, 3), b.Weight("z", 1, 3)[0], false)
	y := b.Input("y", ops.Point, dy)
	if defined {
		mu, a, scale := b.Columns(h, 0, dy), b.Columns(h, 2*dy, 3*dy), b.Sigma(b.Columns(h, dy, 2*dy), definedFloor)
		density := laplace(b, b.Spread(y, ops.Row, dy), mu, scale, b.Spread(z, ops.Row, dy), natural)
		joint, weights := b.LogSumExp(b.Add(a, density), ops.Point, dy), b.LogSumExp(a, ops.Point, dy)
		return b.Sum(b.Minus(joint, weights), ops.Point, 1)
	}
	return b.MixtureLogLik(h, z, y, definedFloor, natural)
}

// laplace adds the log density of y under asymmetric Laplace distributions, by element of
// four tensors [rows, d]: of the medians mu, the decoder's scales and the logits z. If natural, σ is
// 4τ(1−τ) times the scale.
func laplace(b *ops.Builder, y, mu, scale, z *G.Node, natural bool) *G.Node {
	log, rest, slope := b.Log(scale), b.Affine(z, -1, 0), b.Sigmoid // slope of z is that of the loss above μ, of rest below
	if natural {
		slope = func(z *G.Node) *G.Node { // 1/(4·sigmoid(−z)) = exp(softplus(z))/4, for a sigmoid of at least 1e-30
			up := b.Softplus(z)
			return b.Affine(b.Exp(b.Minus(up, rectify(b, b.Affine(up, 1, -30*math.Ln10)))), 0.25, 0)
		}
	}
	residual := b.Minus(y, mu)
	up := rectify(b, residual)
	loss := b.Mul(b.Add(b.Mul(slope(z), up), b.Mul(slope(rest), b.Minus(up, residual))), b.Exp(b.Affine(log, -1, 0)))
	below := b.Affine(b.Add(log, loss), -1, 0)
	if natural {
		return b.Affine(below, 1, -math.Log(4))
	}
	return b.Minus(b.Minus(below, b.Softplus(rest)), b.Softplus(z))
}

// rectify adds max(x, 0).
func rectify(b *ops.Builder, x *G.Node) *G.Node { return b.Mul(x, b.Positive(x)) }

func decoder(b *ops.Builder, s ops.Space, width int) *G.Node {
	return b.Linear(b.Bias("b", width, 3), b.Input("in", s, 3), b.Weight("w", width, 3)[0], false)
}

// graphOf returns the graph of a likelihood with its gradients.
func graphOf(name string, dtype tensor.Dtype, e ops.Extents, dy int, defined bool) (*ops.Graph, error) {
	b := ops.NewBuilder(dtype, e)
	ll := likelihoods[name](b, dy, defined)
	cost := b.Cost(ll)
	b.Output("loglik", ll)
	b.Output("cost", cost)
	return b.Finish(cost)
}

// definitionEngines are the engines in float32 that the definitions run on.
var definitionEngines = map[string]func(t *testing.T, name string, dy int) opened[float32]{
	"reference": func(_ *testing.T, name string, dy int) opened[float32] {
		return onReference[float32](tensor.Float32, name, dy, true)
	},
	"cpu": func(_ *testing.T, name string, dy int) opened[float32] {
		return compiledDefinition(name, dy, func(g *ops.Graph) (engine.Program[float32], error) { return cpu.New(g, 2) })
	},
}

// opened opens a program at extents.
type opened[T engine.Float] func(e ops.Extents) (engine.Program[T], error)

func compiledDefinition(name string, dy int, compile func(g *ops.Graph) (engine.Program[float32], error)) opened[float32] {
	return func(e ops.Extents) (engine.Program[float32], error) {
		g, err := graphOf(name, tensor.Float32, e, dy, true)
		if err != nil {
			return nil, err
		}
		return compile(g)
	}
}

func onReference[T engine.Float](dtype tensor.Dtype, name string, dy int, defined bool) opened[T] {
	return func(e ops.Extents) (engine.Program[T], error) {
		return reference.New[T](func(e ops.Extents) (*ops.Graph, error) { return graphOf(name, dtype, e, dy, defined) }, e)
	}
}

// TestDefinitionsAgree compares the likelihoods with their definitions in primitives: log-likelihoods
// and gradients, in float64 to rounding, and in float32 on every engine.
func TestDefinitionsAgree(t *testing.T) {
	for name := range likelihoods {
		for dy, e := range map[int]ops.Extents{
			1: {Groups: 3, Context: 1, Points: 7, Levels: 67}, 2: {Groups: 1, Context: 1, Points: 1, Levels: 1}, 3: {Groups: 5, Context: 1, Points: 61, Levels: 5},
		} {
			if name == "gaussian over points" {
				e.Levels = 0
			}
			t.Run(name, func(t *testing.T) {
				truth := ran(t, onReference[float64](tensor.Float64, name, dy, false), e)
				same(t, "float64", ran(t, onReference[float64](tensor.Float64, name, dy, true), e), truth, 1e-10)
				for engine, compile := range definitionEngines {
					same(t, engine, ran(t, compile(t, name, dy), e), truth, 2e-5)
				}
			})
		}
	}
}

// ran returns the log-likelihoods and the gradient of a run on random numbers.
func ran[T engine.Float](t *testing.T, open opened[T], e ops.Extents) [2][]T {
	t.Helper()
	p := must.Get(open(e))(t)
	defer p.Close()
	r := random.New(5, random.Data)
	for i := range p.Params() {
		p.Params()[i] = T(float32(4*r.Float(0, uint64(i)) - 2))
	}
	for i, name := range []string{"in", "levels", "y"} {
		for j := range p.Input(name) {
			p.Input(name)[j] = T(float32(6*r.Float(uint64(i+1), uint64(j)) - 3))
		}
	}
	run(t, p, e)
	return [2][]T{slices.Clone(p.Output("loglik")), slices.Clone(p.Grads())}
}

func same[T engine.Float](t *testing.T, engine string, got [2][]T, want [2][]float64, tolerance float64) {
	t.Helper()
	for i, what := range []string{"log-likelihoods", "gradients"} {
		if d := worst(got[i], want[i]); len(got[i]) != len(want[i]) || !(d <= tolerance) {
			t.Errorf("%s: %d %s differ by %g", engine, len(want[i]), what, d)
		}
	}
}
