package ops_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

var extents = ops.Extents{Groups: 2, Context: 3, Points: 5, Levels: 4}

// graphs holds, for each operation, the smallest graph in which it passes a gradient to a
// parameter.
var graphs = map[string]func(b *ops.Builder) *G.Node{
	"linear with a bias": func(b *ops.Builder) *G.Node {
		x := b.Input("x", ops.Point, 3)
		return b.Linear(b.Bias("b", 1, 3), x, b.Weight("w", 1, 3)[0], false)
	},
	"linear, ReLU, per group": func(b *ops.Builder) *G.Node {
		h := b.Linear(b.Bias("b", 4, 2), b.Input("f", ops.Group, 2), b.Weight("w", 4, 2)[0], true)
		return points(b, h)
	},
	"linear over a weight's columns": func(b *ops.Builder) *G.Node {
		w := b.Weight("w", 4, 2, 3)
		perGroup := b.Linear(b.Bias("b", 4, 5), b.Input("f", ops.Group, 2), w[0], false)
		return b.Linear(b.Bias("b2", 1, 4), b.Linear(perGroup, b.Input("x", ops.Point, 3), w[1], true), b.Weight("w2", 1, 4)[0], false)
	},
	"set mean": func(b *ops.Builder) *G.Node {
		h := b.Linear(b.Bias("b", 4, 2), b.Input("c", ops.Context, 2), b.Weight("w", 4, 2)[0], false)
		return points(b, b.SetMean(h))
	},
	"two uses of one value": func(b *ops.Builder) *G.Node {
		r := b.SetMean(b.Linear(b.Bias("b", 3, 2), b.Input("c", ops.Context, 2), b.Weight("w", 3, 2)[0], true))
		left := b.Linear(b.Bias("b1", 4, 3), r, b.Weight("w1", 4, 3)[0], true)
		right := b.Linear(left, r, b.Weight("w2", 4, 3)[0], false)
		return points(b, right)
	},
	"gaussian": func(b *ops.Builder) *G.Node {
		x := b.Input("x", ops.Point, 3)
		return b.GaussianLogLik(b.Linear(b.Bias("b", 4, 3), x, b.Weight("w", 4, 3)[0], false), b.Input("y", ops.Point, 2), 0.3)
	},
	"mixture and sigmoid": func(b *ops.Builder) *G.Node {
		u := b.Input("u", ops.Row, 1)
		z := b.Linear(b.Linear(b.Bias("b", 1, 3), b.Input("x", ops.Point, 3), b.Weight("w", 1, 3)[0], false), u, b.Weight("v", 1, 1)[0], false)
		h := b.Linear(b.Bias("b2", 6, 1), b.Sigmoid(z), b.Weight("w2", 6, 1)[0], false)
		return b.MixtureLogLik(h, z, b.Input("y", ops.Point, 2), 0.2, false)
	},
	"attention": func(b *ops.Builder) *G.Node {
		context := b.Input("c", ops.Context, 3)
		zeros := b.Zeros(4)
		name := func(s string) func(int) string { return func(h int) string { return fmt.Sprint(s, h) } }
		q := b.Linear(zeros, b.Input("x", ops.Point, 2), b.HeadsIn(name("q"), 2, 4, 2), false)
		k := b.Linear(zeros, b.Columns(context, 0, 2), b.HeadsIn(name("k"), 2, 4, 2), false)
		v := b.Linear(zeros, b.Columns(context, 1, 3), b.HeadsIn(name("v"), 2, 4, 2), false)
		out := b.Linear(zeros, b.Attention(q, k, v, 2), b.HeadsOut(name("o"), 2, 4, 4), true)
		return b.Linear(b.Bias("b", 1, 4), out, b.Weight("w", 1, 4)[0], false)
	},
	"sum of a value with itself and with data": func(b *ops.Builder) *G.Node {
		x := b.Input("x", ops.Point, 2)
		h := b.Linear(b.Bias("b", 2, 2), x, b.Weight("w", 2, 2)[0], false)
		return b.Linear(b.Bias("b2", 1, 2), b.Add(b.Add(h, h), x), b.Weight("w2", 1, 2)[0], false)
	},
	"join and ones": func(b *ops.Builder) *G.Node {
		u := b.Input("v", ops.Row, 2)
		z := b.Linear(b.Linear(b.Bias("b", 3, 3), b.Input("x", ops.Point, 3), b.Weight("w", 3, 3)[0], false), u, b.Weight("v", 3, 2)[0], false)
		both := b.Join(b.Join(b.Sigmoid(z), u), b.Linear(b.Zeros(2), b.Ones(u), b.Weight("o", 2, 1)[0], true))
		h := b.Linear(b.Bias("b2", 6, 7), both, b.Weight("w2", 6, 7)[0], false)
		return b.MixtureLogLik(h, b.UniformLogit(b.Input("u", ops.Row, 1)), b.Input("y", ops.Point, 2), 0.01, false)
	},
	"layer norm": func(b *ops.Builder) *G.Node {
		h := b.Linear(b.Bias("b", 5, 2), b.Input("x", ops.Point, 2), b.Weight("w", 5, 2)[0], false)
		g, s := b.Vectors("g", ops.Constant(1), 5)[0], b.Vectors("s", ops.Constant(0), 5)[0]
		return b.Linear(b.Bias("b2", 1, 5), b.LayerNorm(h, g, s), b.Weight("w2", 1, 5)[0], false)
	},
	"attention of the context to itself, with weights used twice": func(b *ops.Builder) *G.Node {
		w, bias := b.WeightRows("w", 4, ops.Xavier(4, 12), 4, 4, 4), b.Vectors("b", ops.Constant(0), 4, 4, 4)
		attend := func(q, c *G.Node) *G.Node {
			of := func(i int, in *G.Node) *G.Node { return b.Linear(bias[i], in, w[i], false) }
			return b.Attention(of(0, q), of(1, c), of(2, c), 2)
		}
		context := b.Linear(b.Bias("e", 4, 2), b.Input("c", ops.Context, 2), b.Weight("ew", 4, 2)[0], false)
		points := b.Linear(b.Bias("e2", 4, 2), b.Input("x", ops.Point, 2), b.Weight("ew2", 4, 2)[0], false)
		out := attend(points, attend(context, context))
		return b.Linear(b.Bias("b2", 1, 4), out, b.Weight("w2", 1, 4)[0], false)
	},
	"attention within ranges, of the context and of points": func(b *ops.Builder) *G.Node {
		w, bias := b.WeightRows("w", 4, ops.Xavier(4, 12), 4, 4, 4), b.Vectors("b", ops.Constant(0), 4, 4, 4)
		attend := func(q, c, ranges *G.Node) *G.Node {
			of := func(i int, in *G.Node) *G.Node { return b.Linear(bias[i], in, w[i], false) }
			return b.AttentionWithin(of(0, q), of(1, c), of(2, c), ranges, 2)
		}
		context := b.Linear(b.Bias("e", 4, 2), b.Input("c", ops.Context, 2), b.Weight("ew", 4, 2)[0], false)
		points := b.Linear(b.Bias("e2", 4, 2), b.Input("x", ops.Point, 2), b.Weight("ew2", 4, 2)[0], false)
		out := attend(points, attend(context, context, b.Input("ranges of the context", ops.Context, 2)), b.Input("ranges", ops.Point, 2))
		return b.Linear(b.Bias("b2", 1, 4), out, b.Weight("w2", 1, 4)[0], false)
	},
	"attention of points to themselves, within ranges": func(b *ops.Builder) *G.Node {
		of := func(i string) *G.Node {
			return b.Linear(b.Bias("b"+i, 4, 2), b.Input(i, ops.Point, 2), b.Weight("w"+i, 4, 2)[0], false)
		}
		out := b.AttentionWithin(of("q"), of("k"), of("v"), b.Input("ranges", ops.Point, 2), 2)
		return b.Linear(b.Bias("b2", 1, 4), out, b.Weight("w2", 1, 4)[0], false)
	},
	"ensembles": func(b *ops.Builder) *G.Node {
		c, x := b.Input("c", ops.Context, 3), b.Input("x", ops.Point, 2)
		tilde := b.Perturb(b.Input("decoded", ops.Resample, 2), b.Input("residual", ops.Resample, 1), b.Input("mean", ops.Ensemble, 1), 0.4)
		h := b.Linear(b.Linear(b.Bias("b", 4, 4), c, b.Weight("w", 4, 3)[0], false), tilde, b.Weight("v", 4, 1)[0], true)
		e := b.Linear(b.Bias("b2", 4, 4), b.SetMean(h), b.Weight("w2", 4, 4)[0], false)
		rows := b.EnsembleAdd(b.Linear(b.Bias("b3", 4, 2), x, b.Weight("w3", 4, 2)[0], false), e, true)
		decoded := b.Linear(b.Bias("b4", 2, 4), rows, b.Weight("w4", 2, 4)[0], false)
		return b.LogMeanExp(b.GaussianLogLik(decoded, b.Input("y", ops.Point, 1), 0.1))
	},
	"primitives of an element": func(b *ops.Builder) *G.Node {
		h := b.Linear(b.Bias("b", 4, 3), b.Input("x", ops.Point, 3), b.Weight("w", 4, 3)[0], false)
		p, q := b.Columns(h, 0, 2), b.Columns(h, 2, 4)
		relu := b.Mul(p, b.Positive(p))
		sum := b.Add(b.Mul(p, b.Exp(q)), b.Affine(b.Log(b.Softplus(q)), -0.7, 2))
		return b.LogSumExp(b.Add(b.Pad(b.Add(sum, relu), 1, 5), b.Pad(b.Sigmoid(q), 0, 5)), ops.Point, 1)
	},
	"primitives over levels": func(b *ops.Builder) *G.Node {
		h := b.Linear(b.Bias("b", 3, 2), b.Input("in", ops.Row, 2), b.Weight("w", 3, 2)[0], false)
		mean := b.Affine(b.Sum(h, ops.Point, 3), 0.25, 0)
		h = b.Mul(h, b.Spread(mean, ops.Row, 3))
		h = b.Add(h, b.Spread(b.Sum(mean, ops.Point, 1), ops.Row, 3))
		return b.Add(b.Sum(b.LogSumExp(h, ops.Point, 3), ops.Point, 1), b.LogSumExp(h, ops.Point, 1))
	},
	"mixture at uniform levels": func(b *ops.Builder) *G.Node {
		u := b.Input("u", ops.Row, 1)
		h := b.Linear(b.Bias("b2", 3, 1), b.UniformLevel(u), b.Weight("w2", 3, 1)[0], false)
		return b.MixtureLogLik(h, b.UniformLogit(u), b.Input("y", ops.Point, 1), 0.01, false)
	},
}

// points returns a node with one number per point, made from h [B, d].
func points(b *ops.Builder, h *G.Node) *G.Node {
	perPoint := b.Linear(h, b.Input("px", ops.Point, 1), b.Weight("pw", h.Shape()[1], 1)[0], true)
	return b.Linear(b.Bias("pb", 1, 4), perPoint, b.Weight("pv", 1, h.Shape()[1])[0], false)
}

// TestGradients compares each operation's gradients with central differences in float64, to 1e-7. A
// step of 1e-6 has a rounding error of about 1e-9. At this seed no kink is within a step of a
// value.
func TestGradients(t *testing.T) {
	for name, f := range graphs {
		t.Run(name, func(t *testing.T) {
			p, tensors := program(t, f)
			at := func() float64 {
				must.Do(t, p.Run(extents))
				return p.Output("cost")[0]
			}
			at()
			analytic := append([]float64{}, p.Grads()...)
			for i := range p.Params() {
				const h = 1e-6
				old := p.Params()[i]
				p.Params()[i] = old + h
				up := at()
				p.Params()[i] = old - h
				numeric := (up - at()) / (2 * h)
				p.Params()[i] = old
				if d := math.Abs(numeric - analytic[i]); !(d <= 1e-7*max(1, math.Abs(numeric))) {
					t.Errorf("parameter %d of %v: gradient %g, difference quotient %g", i, tensors, analytic[i], numeric)
				}
			}
		})
	}
}

func program(t *testing.T, f func(b *ops.Builder) *G.Node) (engine.Program[float64], []ops.Tensor) {
	t.Helper()
	var g *ops.Graph
	p, err := reference.New[float64](func(e ops.Extents) (*ops.Graph, error) {
		b := ops.NewBuilder(tensor.Float64, e)
		cost := b.Cost(f(b))
		b.Output("cost", cost)
		var err error
		g, err = b.Finish(cost)
		return g, err
	}, extents)
	if err != nil {
		t.Fatal(err)
	}
	r := random.New(4, random.Data)
	for i := range p.Params() {
		p.Params()[i] = 2*r.Float(0, uint64(i)) - 1
	}
	for i, in := range g.Inputs {
		if strings.HasPrefix(in.Name, "ranges") {
			ranges(r, uint64(i+1), p.Input(in.Name), extents.Context) // there are more points
			continue
		}
		for j := range p.Input(in.Name) {
			v := r.Float(uint64(i+1), uint64(j))
			if in.Name != "u" {
				v = 2*v - 1
			}
			p.Input(in.Name)[j] = v
		}
	}
	return p, g.Tensors
}

// ranges fills dst [·, 2] with ranges of n keys, some of them empty.
func ranges(r random.Generator, step uint64, dst []float64, n int) {
	for i := 0; i < len(dst); i += 2 {
		first := r.IntN(step, uint64(i), n+1)
		dst[i], dst[i+1] = float64(first), float64(first+r.IntN(step, uint64(i+1), n-first+1))
	}
}

// TestRangesChooseKeys: a query that reads some keys has the result of attention to these alone, and one
// that reads none has 0.
func TestRangesChooseKeys(t *testing.T) {
	attention := func(e ops.Extents, within bool) engine.Program[float64] {
		p, err := reference.New[float64](func(e ops.Extents) (*ops.Graph, error) {
			b := ops.NewBuilder(tensor.Float64, e)
			q, k, v := b.Input("q", ops.Point, 4), b.Input("k", ops.Context, 4), b.Input("v", ops.Context, 4)
			out := b.Attention(q, k, v, 2)
			if within {
				out = b.AttentionWithin(q, k, v, b.Input("ranges", ops.Point, 2), 2)
			}
			b.Output("out", out)
			return b.Finish(nil)
		}, e)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	all := ops.Extents{Groups: 1, Context: 6, Points: 2}
	p := attention(all, true)
	r := random.New(3, random.Data)
	for i, name := range []string{"q", "k", "v"} {
		r.Floats(uint64(i), 0, p.Input(name))
	}
	for first := range all.Context {
		for end := first; end <= all.Context; end++ {
			copy(p.Input("ranges"), []float64{float64(first), float64(end), float64(first), float64(first)})
			must.Do(t, p.Run(all))
			some := ops.Extents{Groups: 1, Context: end - first, Points: 2}
			alone := attention(some, false)
			copy(alone.Input("q"), p.Input("q"))
			if end > first {
				copy(alone.Input("k"), p.Input("k")[4*first:])
				copy(alone.Input("v"), p.Input("v")[4*first:])
			}
			must.Do(t, alone.Run(some))
			for i, want := range append(append([]float64{}, alone.Output("out")[:4]...), 0, 0, 0, 0) {
				if got := p.Output("out")[i]; got != want {
					t.Errorf("keys %d to %d: result %d is %v, want %v", first, end, i, got, want)
				}
			}
		}
	}
}

// TestLikelihoodsAreThoseOfTheirPackage compares the kernels with package likelihood, at ordinary
// and at extreme values.
func TestLikelihoodsAreThoseOfTheirPackage(t *testing.T) {
	r := random.New(9, random.Data)
	for step := range uint64(200) {
		scale := math.Pow(10, float64(step%7)) // y up to 1e6 away
		raw, z := make([]float64, 3*extents.Levels), make([]float64, extents.Levels)
		for i := range raw {
			raw[i] = 8*r.Float(step, uint64(i)) - 4
		}
		for i := range z {
			z[i] = 200*r.Float(step, uint64(100+i)) - 100
		}
		y := scale * (2*r.Float(step, 200) - 1)
		floor := []float64{0.01, 0.1, 0.5}[step%3]
		for _, natural := range []bool{false, true} {
			form := likelihood.SigmaForm{Floor: floor, Natural: natural}
			got := mixtureOf(t, raw, z, y, form)
			want := likelihood.NewMixture(raw, z, 1, 0, form).LogDensity(y)
			if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
				t.Errorf("step %d: mixture of %+v %g, want %g", step, form, got, want)
			}
		}
		pair := raw[:2]
		gauss := ops.GaussianLogLik(pair, []float64{y}, floor)
		if want := likelihood.NewGaussian(pair, 1, 0, floor).LogDensity(y); !(math.Abs(gauss-want) <= 1e-12*max(1, math.Abs(want))) {
			t.Errorf("step %d: gaussian %g, want %g", step, gauss, want)
		}
	}
}

// mixtureOf returns the result of the mixture's kernel for one point.
func mixtureOf(t *testing.T, raw, z []float64, y float64, scale likelihood.SigmaForm) float64 {
	t.Helper()
	one := ops.Extents{Groups: 1, Context: 1, Points: 1, Levels: extents.Levels}
	p, err := reference.New[float64](func(e ops.Extents) (*ops.Graph, error) {
		b := ops.NewBuilder(tensor.Float64, e)
		b.Output("ll", b.MixtureLogLik(b.Input("raw", ops.Row, 3), b.Input("z", ops.Row, 1), b.Input("y", ops.Point, 1), scale.Floor, scale.Natural))
		return b.Finish(nil)
	}, one)
	if err != nil {
		t.Fatal(err)
	}
	copy(p.Input("raw"), raw)
	copy(p.Input("z"), z)
	p.Input("y")[0] = y
	must.Do(t, p.Run(one))
	return p.Output("ll")[0]
}

// TestFloorsAreDistinguished: Gorgonia merges nodes whose operations have the same hash. It must
// not merge two likelihoods that differ only in their floor.
func TestFloorsAreDistinguished(t *testing.T) {
	one := ops.Extents{Groups: 1, Context: 1, Points: 1}
	floors := []float64{0.1, 0.2}
	p, err := reference.New[float64](func(e ops.Extents) (*ops.Graph, error) {
		b := ops.NewBuilder(tensor.Float64, e)
		decoded, y := b.Input("decoded", ops.Point, 2), b.Input("y", ops.Point, 1)
		for _, floor := range floors {
			b.Output(fmt.Sprint(floor), b.GaussianLogLik(decoded, y, floor))
		}
		return b.Finish(nil)
	}, one)
	if err != nil {
		t.Fatal(err)
	}
	p.Input("decoded")[1] = -1000 // σ is at its floor
	must.Do(t, p.Run(one))
	for _, floor := range floors {
		if got, want := p.Output(fmt.Sprint(floor))[0], -math.Log(floor)-0.5*math.Log(2*math.Pi); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("floor %g: log-likelihood %g, want %g", floor, got, want)
		}
	}
}

func TestBuilderRefusesWhatDoesNotFit(t *testing.T) {
	for name, f := range map[string]func(b *ops.Builder) *G.Node{
		"width": func(b *ops.Builder) *G.Node {
			return b.Linear(b.Bias("b", 2, 3), b.Input("x", ops.Point, 3), b.Weight("w", 2, 4)[0], false)
		},
		"base": func(b *ops.Builder) *G.Node {
			return b.Linear(b.Input("c", ops.Context, 2), b.Input("x", ops.Point, 3), b.Weight("w", 2, 3)[0], false)
		},
		"space": func(b *ops.Builder) *G.Node { return b.SetMean(b.Input("x", ops.Point, 3)) },
		"channels": func(b *ops.Builder) *G.Node {
			return b.GaussianLogLik(b.Input("o", ops.Point, 3), b.Input("y", ops.Point, 1), 0.1)
		},
		"row space":   func(b *ops.Builder) *G.Node { return b.UniformLevel(b.Input("x", ops.Point, 1)) },
		"spread":      func(b *ops.Builder) *G.Node { return b.Spread(b.Input("x", ops.Point, 2), ops.Point, 4) },
		"spread up":   func(b *ops.Builder) *G.Node { return b.Spread(b.Input("u", ops.Row, 1), ops.Point, 1) },
		"other rows":  func(b *ops.Builder) *G.Node { return b.Sum(b.Input("x", ops.Point, 2), ops.Group, 2) },
		"log sum exp": func(b *ops.Builder) *G.Node { return b.LogSumExp(b.Input("x", ops.Point, 3), ops.Point, 2) },
		"pad":         func(b *ops.Builder) *G.Node { return b.Pad(b.Input("x", ops.Point, 3), 1, 3) },
		"weights":     func(b *ops.Builder) *G.Node { return b.Exp(b.Weight("w", 2, 2)[0]) },
		"heads": func(b *ops.Builder) *G.Node {
			return b.Attention(b.Input("q", ops.Point, 4), b.Input("k", ops.Context, 4), b.Input("v", ops.Context, 4), 3)
		},
		"ranges": func(b *ops.Builder) *G.Node {
			return b.AttentionWithin(b.Input("q", ops.Point, 4), b.Input("k", ops.Context, 4), b.Input("v", ops.Context, 4), b.Input("r", ops.Context, 2), 2)
		},
		"ensemble": func(b *ops.Builder) *G.Node {
			return b.EnsembleAdd(b.Input("x", ops.Point, 2), b.Input("e", ops.Group, 2), false)
		},
		"index": func(b *ops.Builder) *G.Node {
			return b.Gather(b.Input("c", ops.Context, 2), b.Input("i", ops.Context, 1))
		},
		"sum": func(b *ops.Builder) *G.Node { return b.Add(b.Input("x", ops.Point, 2), b.Input("c", ops.Context, 2)) },
		"join": func(b *ops.Builder) *G.Node {
			return b.Join(b.Input("x", ops.Point, 2), b.Input("u", ops.Row, 1))
		},
		"ones": func(b *ops.Builder) *G.Node { return b.Ones(b.Weight("w", 2, 2)[0]) },
		"gain": func(b *ops.Builder) *G.Node {
			v := b.Vectors("v", ops.Constant(1), 3, 2)
			return b.LayerNorm(b.Input("x", ops.Point, 3), v[0], v[1])
		},
		"columns": func(b *ops.Builder) *G.Node { return b.Columns(b.Input("c", ops.Context, 2), 1, 3) },
	} {
		b := ops.NewBuilder(tensor.Float64, extents)
		b.Output("out", f(b))
		if _, err := b.Finish(nil); err == nil || !strings.HasPrefix(err.Error(), "ops: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestExtents(t *testing.T) {
	e := ops.Extents{Groups: 2, Context: 3, Points: 5, Levels: 7}
	for s, want := range map[ops.Space]int{ops.Parameter: 1, ops.Scalar: 1, ops.Group: 2, ops.Context: 6, ops.Point: 10, ops.Row: 70,
		ops.Ensemble: 14, ops.Resample: 42} {
		if got := e.Rows(s); got != want {
			t.Errorf("%v: %d rows, want %d", s, got, want)
		}
	}
	for _, c := range []struct {
		child, ancestor ops.Space
		want            int
	}{{ops.Row, ops.Point, 7}, {ops.Row, ops.Group, 35}, {ops.Point, ops.Group, 5}, {ops.Context, ops.Group, 3}, {ops.Point, ops.Point, 1}, {ops.Row, ops.Parameter, 70}} {
		if got := e.Ratio(c.child, c.ancestor); got != c.want {
			t.Errorf("%v in %v: %d, want %d", c.child, c.ancestor, got, c.want)
		}
	}
}
