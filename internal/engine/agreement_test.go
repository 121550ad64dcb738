package engine_test

import (
	"fmt"
	"math"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// shape is a model and sizes to try it at.
type shape struct {
	model  config.Model
	dx, dy int
	e      ops.Extents
}

func (s shape) String() string {
	return fmt.Sprintf("%s dx=%d dy=%d %v", s.model.Name, s.dx, s.dy, s.e)
}

// shapes are odd sizes on purpose: one level, one target, widths that are no multiple of anything, sizes beyond one
// tile and beyond one chunk.
func shapes() []shape {
	var all []shape
	for _, name := range models.Names() {
		small := config.Model{Name: name, Representation: 5, Encoder: []int{7, 6}, Decoder: []int{9, 4}}
		wide := config.Model{Name: name, Representation: 33, Encoder: []int{40, 17}, Decoder: []int{130, 65}}
		direct := config.Model{Name: name, Representation: 3}
		if name == "acqnp" {
			small.Adaptor, wide.Adaptor = []int{5, 8, 3}, []int{34, 70}
		}
		all = append(all,
			shape{small, 1, 1, ops.Extents{Functions: 2, Context: 3, Points: 6, Levels: 3}},
			shape{small, 2, 3, ops.Extents{Functions: 3, Context: 4, Points: 7, Levels: 1}},
			shape{small, 1, 1, ops.Extents{Functions: 1, Context: 1, Points: 1, Levels: 1}},
			shape{direct, 1, 2, ops.Extents{Functions: 2, Context: 5, Points: 9, Levels: 4}},
			shape{wide, 1, 1, ops.Extents{Functions: 3, Context: 301, Points: 310, Levels: 5}},
			shape{wide, 2, 1, ops.Extents{Functions: 37, Context: 3, Points: 8, Levels: 300}})
	}
	for i := range all {
		if all[i].model.Name == "cnp" {
			all[i].e.Levels = 0
		}
	}
	return all
}

func build(t *testing.T, s shape) *models.Model {
	t.Helper()
	m, err := models.New(s.model, s.dx, s.dy)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func truth[T engine.Float](t *testing.T, m *models.Model, capacity ops.Extents, mode models.Mode) engine.Program[T] {
	t.Helper()
	dtype := tensor.Float64
	if _, ok := any(T(0)).(float32); ok {
		dtype = tensor.Float32
	}
	p, err := reference.New[T](func(e ops.Extents) (*ops.Graph, error) { return m.Build(dtype, e, mode) }, capacity)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func compiled(t testing.TB, m *models.Model, capacity ops.Extents, mode models.Mode, threads int) engine.Program[float32] {
	t.Helper()
	g, err := m.Build(tensor.Float32, capacity, mode)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cpu.New(g, threads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// fill gives a program parameters and inputs that are exact in float32.
func fill[T engine.Float](p engine.Program[T], m *models.Model, e ops.Extents, seed uint64) {
	for i, v := range m.Initial(seed) {
		p.Params()[i] = T(v)
	}
	dx, dy := m.Dims()
	widths := map[string]int{"context": dx + dy, "x": dx, "y": dy, "u": 1}
	spaces := map[string]ops.Space{"context": ops.Context, "x": ops.Point, "y": ops.Point, "u": ops.Row}
	g := random.New(seed, random.Data)
	for i, name := range []string{"context", "x", "y", "u"} {
		in := p.Input(name)
		if in == nil {
			continue
		}
		for j := range e.Rows(spaces[name]) * widths[name] {
			v := g.Float(uint64(i), uint64(j))
			if name != "u" {
				v = 4*v - 2
			}
			in[j] = T(v)
		}
	}
}

func run[T engine.Float](t *testing.T, p engine.Program[T], e ops.Extents) {
	t.Helper()
	if err := p.Run(e); err != nil {
		t.Fatal(err)
	}
}

// worst is the largest difference relative to max(1, largest magnitude): a gradient's small entries are sums of large
// terms, so the tensor's scale is what rounding is measured against.
func worst[T engine.Float](got []float32, want []T) float64 {
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

// TestEnginesAgree compares the cpu engine with the float64 reference: values and every gradient, to float32 rounding
// (the longest sums here have about 1e4 terms of alternating sign; 2e-5 leaves a factor of four over what was seen).
func TestEnginesAgree(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.String(), func(t *testing.T) {
			m := build(t, s)
			want, got := truth[float64](t, m, s.e, models.Training), compiled(t, m, s.e, models.Training, 3)
			fill(want, m, s.e, 1)
			fill(got, m, s.e, 1)
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
