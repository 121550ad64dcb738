package engine_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// shape is a model and the sizes of a run.
type shape struct {
	model  config.Model
	dx, dy int
	e      ops.Extents
}

func (s shape) String() string {
	return fmt.Sprintf("%s %s %s %s %s dx=%d dy=%d floor=%v %v", s.model.Name, s.model.Aggregation, s.model.AdaptorForm, s.model.ScaleForm, s.model.Head, s.dx, s.dy, s.model.SigmaFloor, s.e)
}

// seed returns the seed of parameters and inputs.
//
// A gradient jumps where the input of a ReLU is 0. If an input is so near 0 that rounding decides its
// sign, two engines may differ by the jump. With seed 1, 37 groups, no context and a residual
// adaptor, an input of the decoder lies between -1e-7 and -3e-8; the gradient jumps by 1.6e-5 there.
// With seed 1, 2 groups, no context and a transformer, the portable kernels' gradient jumps by 2e-5
// at unit 54 of the decoder's second layer. The gradients of its weights and bias differ by that, those
// of other units by 4e-9 at most. With seed 1, 20 context points and aggregation by groups, a unit of the
// last layer's network is such a one; with seeds 2, 3 and 4 all gradients agree.
func (s shape) seed() uint64 {
	if s.model.Aggregation == config.Groups && s.e.Context == 20 {
		return 2
	}
	if s.e.Context == 0 && (s.e.Groups == 37 || s.e.Points > 256) {
		return 2
	}
	return 1
}

// shapes returns odd sizes: one level, one target, widths that are no multiple of a vector, sizes
// beyond one tile and beyond one chunk, and no context points.
func shapes() []shape {
	var all []shape
	for _, name := range names() {
		small, wide := sized(name, 5, []int{7, 6}, 1), sized(name, 33, []int{40, 130}, 3)
		all = append(all,
			shape{small, 1, 1, ops.Extents{Groups: 2, Context: 3, Points: 6, Levels: 3}},
			shape{small, 2, 3, ops.Extents{Groups: 3, Context: 4, Points: 7, Levels: 1}},
			shape{small, 1, 1, ops.Extents{Groups: 1, Context: 1, Points: 1, Levels: 1}},
			shape{sized(name, 3, nil, 3), 1, 2, ops.Extents{Groups: 2, Context: 5, Points: 9, Levels: 4}},
			shape{withFloor(small, 0.3), 1, 2, ops.Extents{Groups: 2, Context: 3, Points: 6, Levels: 5}},
			shape{withFloor(small, 0.002), 1, 1, ops.Extents{Groups: 2, Context: 3, Points: 6, Levels: 5}},
			shape{sized(name, 64, []int{64, 64}, 4), 1, 2, ops.Extents{Groups: 3, Context: 5, Points: 7, Levels: 1}},
			shape{sized(name, 100, []int{104, 128}, 4), 1, 2, ops.Extents{Groups: 3, Context: 20, Points: 45, Levels: 5}},
			shape{wide, 2, 1, ops.Extents{Groups: 17, Context: 2, Points: 3, Levels: 260}})
		if name != "bnp" {
			all = append(all,
				shape{small, 1, 2, ops.Extents{Groups: 2, Context: 0, Points: 5, Levels: 3}},
				shape{wide, 2, 1, ops.Extents{Groups: 37, Context: 0, Points: 5, Levels: 20}})
		}
		if wide.Aggregation == config.Transformer && name != "acqnp/transformer/residual" && os.Getenv("TEST_ALL") == "" {
			continue // the reference takes seconds, and the transformers of all models are alike
		}
		all = append(all, shape{wide, 1, 1, ops.Extents{Groups: 2, Context: 257, Points: 262, Levels: 5}})
		if name != "bnp" {
			all = append(all, shape{wide, 1, 1, ops.Extents{Groups: 2, Context: 0, Points: 262, Levels: 5}})
		}
	}
	for i := range all {
		switch all[i].model.Name {
		case "cnp", "canp":
			all[i].e.Levels = 0
		case "bnp":
			all[i].e.Levels = min(all[i].e.Levels, 20)
		default:
			if all[i].model.Aggregation != "" { // the branches are those of the mean
				all[i].e.Levels = min(all[i].e.Levels, 20)
			}
		}
	}
	return all
}

// names returns the names of the models and of variants. A variant's name is a model's name, an
// aggregation, a form of adaptor, a form of the scale and a head, as in cnp/transformer,
// acqnp/mean/residual and cqnp/mean//natural.
func names() []string {
	var heads []string
	for _, h := range config.Heads()[1:] {
		heads = append(heads, "cnp/mean///"+h)
	}
	return append(append(models.Names(), heads...), "cnp/attention", "cnp/transformer", "cqnp/attention", "cqnp/transformer", "acqnp/attention",
		"acqnp/mean/residual", "acqnp/transformer/residual", "acqnp/groups/residual", "cqnp/mean//natural", "acqnp/mean/residual/natural", "acqnp/mean/plain/natural",
		"cnp/mean//natural/"+config.QuantileMixtureHead)
}

// sized returns a model of one of names, whose representation, hidden layers and heads have the
// given width.
func sized(form string, width int, hidden []int, heads int) config.Model {
	parts := append(strings.Split(form, "/"), "", "", "", "")
	name, aggregation, adaptor, scale, head := parts[0], parts[1], parts[2], parts[3], parts[4]
	if name == "bnp" {
		return config.Model{Name: name, Width: width, PreDepth: 2 + len(hidden), PostDepth: 2, DecoderDepth: 2 + len(hidden)}
	}
	c := config.Model{Name: name, Aggregation: aggregation, AdaptorForm: adaptor, ScaleForm: scale, Head: head, Representation: width, Encoder: hidden, Decoder: hidden}
	if name == "acqnp" {
		c.Adaptor = append([]int{8}, hidden...)
	}
	switch {
	case name == "canp" || aggregation == config.Attention:
		c.KeyEncoder, c.QueryEncoder, c.Heads = hidden, hidden, heads
	case aggregation == config.Transformer, aggregation == config.Groups:
		c.Layers, c.Feedforward, c.Heads = 3, width+7, heads
	}
	return c
}

// withFloor returns c with another lower bound of σ.
func withFloor(c config.Model, floor float64) config.Model {
	c.SigmaFloor = floor
	return c
}

func build(t *testing.T, s shape) *models.Model {
	t.Helper()
	return must.Get(models.New(s.model, s.dx, s.dy))(t)
}

func truth[T engine.Float](t *testing.T, m *models.Model, capacity ops.Extents, mode models.Mode) engine.Program[T] {
	t.Helper()
	dtype := tensor.Float64
	if _, ok := any(T(0)).(float32); ok {
		dtype = tensor.Float32
	}
	return must.Get(reference.New[T](func(e ops.Extents) (*ops.Graph, error) { return m.Build(dtype, e, mode) }, capacity))(t)
}

func compiled(t testing.TB, m *models.Model, capacity ops.Extents, mode models.Mode, threads int) engine.Program[float32] {
	t.Helper()
	return compiledBy(t, cpu.New, m, capacity, mode, threads)
}

// engineOf is a constructor of programs: cpu.New or cpu.NewBF16.
type engineOf func(g *ops.Graph, threads int) (engine.Program[float32], error)

func compiledBy(t testing.TB, compile engineOf, m *models.Model, capacity ops.Extents, mode models.Mode, threads int) engine.Program[float32] {
	t.Helper()
	return programOf(t, compile, graph(t, m, capacity, mode), threads)
}

func graph(t testing.TB, m *models.Model, capacity ops.Extents, mode models.Mode) *ops.Graph {
	t.Helper()
	return must.Get(m.Build(tensor.Float32, capacity, mode))(t)
}

func programOf(t testing.TB, compile engineOf, g *ops.Graph, threads int) engine.Program[float32] {
	t.Helper()
	p := must.Get(compile(g, threads))(t)
	t.Cleanup(func() { p.Close() })
	return p
}

// fill fills parameters and inputs with numbers that are exact in float32.
func fill[T engine.Float](p engine.Program[T], m *models.Model, e ops.Extents, seed uint64) {
	for i, v := range m.Initial(seed) {
		p.Params()[i] = T(v)
	}
	dx, dy := m.Dims()
	g := random.New(seed, random.Data)
	for i, in := range []struct {
		name  string
		space ops.Space
		width int
		value func(u float64) float64
	}{
		{"context", ops.Context, dx + dy, func(u float64) float64 { return 4*u - 2 }},
		{"x", ops.Point, dx, func(u float64) float64 { return 4*u - 2 }},
		{"y", ops.Point, dy, func(u float64) float64 { return 4*u - 2 }},
		{"u", ops.Row, 1, func(u float64) float64 { return u }},
		{"resample_context", ops.Resample, 1, func(u float64) float64 { return math.Floor(u * float64(e.Context)) }},
		{"resample_residual", ops.Resample, 1, func(u float64) float64 { return math.Floor(u * float64(e.Context)) }},
	} {
		data := p.Input(in.name)
		if data == nil {
			continue
		}
		for j := range e.Rows(in.space) * in.width {
			data[j] = T(in.value(g.Float(uint64(i), uint64(j))))
		}
	}
	if m.Groups() {
		fillGroups(p, m, e, g)
	}
}

// fillGroups fills the inputs that a model by groups has besides the others'. The first two thirds of the
// context are siblings. A group has three rows, some none. In a prediction, the first four of a group's
// points are its context.
func fillGroups[T engine.Float](p engine.Program[T], m *models.Model, e ops.Extents, g random.Generator) {
	ranges := func(name string, space ops.Space, of func(row int) (first, end int)) {
		data := p.Input(name)
		for row := range e.Rows(space) {
			if data != nil {
				first, end := of(row % e.Ratio(space, ops.Group))
				data[2*row], data[2*row+1] = T(first), T(end)
			}
		}
	}
	three := func(row int) (first, end int) { return min(row/3*3, e.Context), min(row/3*3+3, e.Context) }
	siblings := func(int) (first, end int) { return 0, e.Context * 2 / 3 }
	ranges("context_group", ops.Context, three)
	ranges("context_siblings", ops.Context, siblings)
	ranges("siblings", ops.Point, siblings)
	if p.Input("asked") == nil {
		ranges("group", ops.Point, three)
		return
	}
	ranges("group", ops.Point, func(int) (first, end int) { return 0, min(4, e.Points) })
	for i := range e.Rows(ops.Point) {
		p.Input("asked")[i] = T(g.IntN(100, uint64(i), 2))
	}
	for l := range m.Config().Layers {
		keys, values := models.SiblingInputs(l)
		for i, name := range []string{keys, values} {
			for j := range e.Rows(ops.Context) * m.Config().Representation {
				p.Input(name)[j] = T(4*g.Float(uint64(101+2*l+i), uint64(j)) - 2)
			}
		}
	}
}

func run[T engine.Float](t *testing.T, p engine.Program[T], e ops.Extents) {
	t.Helper()
	must.Do(t, p.Run(e))
}

// worst returns the largest difference relative to max(1, largest magnitude). Small elements of a
// gradient are sums of large terms, so the scale of the whole tensor counts.
func worst[A, B engine.Float](got []A, want []B) float64 {
	scale, diff := 1.0, 0.0
	for _, v := range want {
		scale = max(scale, math.Abs(float64(v)))
	}
	for i, v := range want {
		if d := math.Abs(float64(got[i]) - float64(v)); !(d <= diff) {
			diff = d
		}
	}
	return diff / scale
}

// TestEnginesAgree compares values and all gradients of the CPU engine with the float64 reference.
// The bound, 2e-5, is four times the largest difference seen: the longest sums have about 1e4 terms
// of alternating sign.
func TestEnginesAgree(t *testing.T) {
	for _, s := range shapes() {
		if testing.Short() && s.e.Rows(ops.Point) > 250 {
			continue // the reference takes minutes under the race detector; TestThreadsGiveTheSameBits has such sizes
		}
		t.Run(s.String(), func(t *testing.T) {
			m := build(t, s)
			want, got := truth[float64](t, m, s.e, models.Training), compiled(t, m, s.e, models.Training, 3)
			fill(want, m, s.e, s.seed())
			fill(got, m, s.e, s.seed())
			run(t, want, s.e)
			run(t, got, s.e)
			for _, name := range []string{"cost", "loglik"} {
				if d := worst(got.Output(name), want.Output(name)); !(d < 2e-5) {
					t.Errorf("%s differs by %.2g", name, d)
				}
			}
			for _, p := range m.Tensors() {
				to := p.Offset + p.Size()
				if d := worst(got.Grads()[p.Offset:to], want.Grads()[p.Offset:to]); !(d < 2e-5) {
					t.Errorf("gradient of %s differs by %.2g", p.Name, d)
				}
			}
		})
	}
}
