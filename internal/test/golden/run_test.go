package golden_test

import (
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/reference"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// compile compiles a model with one engine.
type compile[T engine.Float] func(m *models.Model, capacity ops.Extents, mode models.Mode) (engine.Program[T], error)

func onReference[T engine.Float](m *models.Model, capacity ops.Extents, mode models.Mode) (engine.Program[T], error) {
	dt := tensor.Float64
	if _, ok := any(T(0)).(float32); ok {
		dt = tensor.Float32
	}
	if m.Groups() && mode == models.Prediction {
		return newCached(m, capacity, func(build func(tensor.Dtype, ops.Extents) (*ops.Graph, error), c ops.Extents) (engine.Program[T], error) {
			return reference.New[T](func(e ops.Extents) (*ops.Graph, error) { return build(dt, e) }, c)
		}), nil
	}
	return reference.New[T](func(e ops.Extents) (*ops.Graph, error) { return m.Build(dt, e, mode) }, capacity)
}

// onCPU uses more threads than some cases have groups, and fewer than they have points.
func onCPU(m *models.Model, capacity ops.Extents, mode models.Mode) (engine.Program[float32], error) {
	compile := func(build func(tensor.Dtype, ops.Extents) (*ops.Graph, error), c ops.Extents) (engine.Program[float32], error) {
		g, err := build(tensor.Float32, c)
		if err != nil {
			return nil, err
		}
		return cpu.New(g, 3)
	}
	if m.Groups() && mode == models.Prediction {
		return newCached(m, capacity, compile), nil
	}
	return compile(func(d tensor.Dtype, c ops.Extents) (*ops.Graph, error) { return m.Build(d, c, mode) }, capacity)
}

// start compiles the case's model and gives it the case's weights.
func start[T engine.Float](t *testing.T, g *golden, on compile[T], mode models.Mode) engine.Program[T] {
	t.Helper()
	p := must.Get(on(g.model, g.capacity(), mode))(t)
	t.Cleanup(func() {
		must.Do(t, p.Close())
	})
	fill(p.Params(), g.flat("w."))
	return p
}

// run writes the inputs of a batch at its extents, and runs the program.
func run[T engine.Float](t *testing.T, p engine.Program[T], mode models.Mode, b batch) {
	t.Helper()
	e := b.extents
	fill(p.Input("context"), b.context)
	fill(p.Input("x"), b.x)
	if mode != models.Prediction {
		fill(p.Input("y"), b.y)
	}
	if b.u != nil {
		fill(p.Input("u"), levelsLast(b.u, e, 1))
	}
	if b.resample != nil {
		half := len(b.resample) / 2
		fill(p.Input("resample_context"), bootstrapsLast(b.resample[:half], e))
		fill(p.Input("resample_residual"), bootstrapsLast(b.resample[half:], e))
	}
	if c, ok := p.(*cachedProgram[T]); ok {
		c.batch = b
	} else {
		fillRanges(p, b)
	}
	must.Do(t, p.Run(e))
}

// levelsLast transposes PyTorch's [B, N_τ, N, width] to the engines' [B·N·N_τ, width].
func levelsLast(v []float64, e ops.Extents, width int) []float64 {
	out := make([]float64, 0, len(v))
	for f := range e.Groups {
		for n := range e.Points {
			for k := range e.Levels {
				out = append(out, v[((f*e.Levels+k)*e.Points+n)*width:][:width]...)
			}
		}
	}
	return out
}

// bootstrapsLast transposes the file's [k, B, N_c] to the engines' [B·N_c·k, 1].
func bootstrapsLast(v []float64, e ops.Extents) []float64 {
	out := make([]float64, 0, len(v))
	points := e.Rows(ops.Context)
	for i := range points {
		for k := range e.Levels {
			out = append(out, v[k*points+i])
		}
	}
	return out
}

// fill converts numbers into the beginning of a buffer.
func fill[T engine.Float](dst []T, v []float64) {
	dst = dst[:len(v)]
	for i := range v {
		dst[i] = T(v[i])
	}
}
