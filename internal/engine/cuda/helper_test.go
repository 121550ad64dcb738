//go:build simt || gpu

package cuda_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// shape is a model and the sizes of a run.
type shape struct {
	model  config.Model
	dx, dy int
	e      ops.Extents
}

func (s shape) String() string {
	return fmt.Sprintf("%s %s %s %s %s dx=%d dy=%d width=%d floor=%v %v", s.model.Name, s.model.Head, s.model.AdaptorForm, s.model.Aggregation, s.model.ScaleForm, s.dx, s.dy, max(s.model.Representation, s.model.Width), s.model.SigmaFloor, s.e)
}

// variants returns the names of the models, and the names of variants: a model's name followed by
// a form of adaptor, an aggregation, a form of the scale or a head.
func variants() []string {
	var heads []string
	for _, h := range config.Heads()[1:] {
		heads = append(heads, "cnp "+h)
	}
	return append(append(models.Names(), heads...), "acqnp residual", "cnp attention", "cnp transformer", "cqnp attention", "cqnp transformer",
		"acqnp residual attention", "acqnp residual transformer", "acqnp residual groups", "cqnp natural", "acqnp residual natural", "cnp attention "+config.QuantileMixtureHead)
}

// sized returns a variant whose representation and hidden layers have the given width.
func sized(variant string, width int) config.Model {
	words := strings.Fields(variant)
	name := words[0]
	if name == "bnp" {
		return config.Model{Name: name, Width: width, PreDepth: 3, PostDepth: 2, DecoderDepth: 3}
	}
	hidden := []int{width, width}
	c := config.Model{Name: name, Representation: width, Encoder: hidden, Decoder: hidden}
	if name == "acqnp" {
		c.Adaptor = hidden
	}
	for _, word := range words {
		if slices.Contains(config.Heads(), word) {
			c.Head = word
		}
		switch word {
		case config.Residual:
			c.AdaptorForm = word
		case config.NaturalScale:
			c.ScaleForm = word
		case "canp":
			c.KeyEncoder, c.QueryEncoder, c.Heads = hidden[:1], hidden[:1], 4
		case config.Attention:
			c.Aggregation, c.KeyEncoder, c.QueryEncoder, c.Heads = word, hidden[:1], hidden[:1], 4
		case config.Transformer, config.Groups:
			c.Aggregation, c.Layers, c.Heads, c.Feedforward = word, 2, 2, width+3
		}
	}
	return c
}

// small returns a small shape of a variant.
func small(variant string) shape {
	return shape{sized(variant, 16), 2, 3, ops.Extents{Groups: 2, Context: 3, Points: 6, Levels: 3}}.levelled()
}

// levelled returns the shape, with no levels if its model has none.
func (s shape) levelled() shape {
	if name := s.model.Name; name == "cnp" || name == "canp" {
		s.e.Levels = 0
	}
	return s
}

func build(t testing.TB, s shape) *models.Model {
	t.Helper()
	return must.Get(models.New(s.model, s.dx, s.dy))(t)
}

func graph(t testing.TB, m *models.Model, capacity ops.Extents, mode models.Mode) *ops.Graph {
	t.Helper()
	return must.Get(m.Build(tensor.Float32, capacity, mode))(t)
}

// openDevice returns a device that the test closes.
func openDevice(t testing.TB) gpu.Driver {
	t.Helper()
	d := newDriver(t)
	closing(t, d)
	return d
}

func closing(t testing.TB, c interface{ Close() error }) {
	t.Cleanup(func() {
		must.Do(t, c.Close())
	})
}

func onDevice(t testing.TB, m *models.Model, capacity ops.Extents, mode models.Mode, o cuda.Options) engine.Program[float32] {
	t.Helper()
	d := openDevice(t)
	p := must.Get(cuda.New(d, graph(t, m, capacity, mode), o))(t)
	closing(t, p)
	return p
}

func onCPU(t testing.TB, m *models.Model, capacity ops.Extents, mode models.Mode) engine.Program[float32] {
	t.Helper()
	p := must.Get(cpu.New(graph(t, m, capacity, mode), 2))(t)
	closing(t, p)
	return p
}

func truth(t testing.TB, m *models.Model, capacity ops.Extents, mode models.Mode) engine.Program[float64] {
	t.Helper()
	return must.Get(reference.New[float64](func(e ops.Extents) (*ops.Graph, error) { return m.Build(tensor.Float64, e, mode) }, capacity))(t)
}

// inputs returns numbers for the inputs of a program or trainer, exact in float32.
func inputs[T engine.Float](buffer func(name string) []T, m *models.Model, e ops.Extents, seed uint64) {
	dx, dy := m.Dims()
	g := random.New(seed, random.Data)
	symmetric := func(u float64) float64 { return 4*u - 2 }
	index := func(u float64) float64 { return math.Floor(u * float64(e.Context)) }
	type input struct {
		name  string
		space ops.Space
		width int
		value func(u float64) float64
	}
	all := []input{
		{"context", ops.Context, dx + dy, symmetric}, {"x", ops.Point, dx, symmetric}, {"y", ops.Point, dy, symmetric},
		{"u", ops.Row, 1, func(u float64) float64 { return u }},
		{"resample_context", ops.Resample, 1, index}, {"resample_residual", ops.Resample, 1, index},
		{"asked", ops.Point, 1, math.Round},
	}
	for l := range m.Config().Layers {
		keys, values := models.SiblingInputs(l)
		all = append(all, input{keys, ops.Context, m.Config().Representation, symmetric}, input{values, ops.Context, m.Config().Representation, symmetric})
	}
	for i, in := range all {
		data := buffer(in.name)
		if data == nil {
			continue
		}
		for j := range e.Rows(in.space) * in.width {
			data[j] = T(in.value(g.Float(uint64(i), uint64(j))))
		}
	}
	ranges(buffer, e, g)
}

// ranges fills the ranges of keys that a model by groups reads: some rows around the middle of the context,
// which there are in a prediction's points too.
func ranges[T engine.Float](buffer func(name string) []T, e ops.Extents, g random.Generator) {
	for i, name := range []string{"context_group", "context_siblings", "group", "siblings"} {
		data := buffer(name)
		space := []ops.Space{ops.Context, ops.Point}[i/2]
		for row := range e.Rows(space) {
			if data != nil {
				n := min(e.Context, e.Points)
				data[2*row] = T(g.IntN(uint64(100+i), uint64(2*row), n/2+1))
				data[2*row+1] = T(n - g.IntN(uint64(100+i), uint64(2*row+1), n-n/2+1))
			}
		}
	}
}

// fill fills the parameters and inputs of a program.
func fill[T engine.Float](p engine.Program[T], m *models.Model, e ops.Extents, seed uint64) {
	for i, v := range m.Initial(seed) {
		p.Params()[i] = T(v)
	}
	inputs(p.Input, m, e, seed)
}

func run[T engine.Float](t testing.TB, p engine.Program[T], e ops.Extents) {
	t.Helper()
	must.Do(t, p.Run(e))
}

// worst returns the largest difference relative to max(1, largest magnitude). Small elements of a
// gradient are sums of large terms, so the scale of the whole tensor counts.
func worst[T engine.Float](got []float32, want []T) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
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
