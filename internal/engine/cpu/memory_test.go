package cpu_test

import (
	"math"
	"runtime"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// sized returns a model whose layers all have the same width.
func sized(name string, width int) config.Model {
	h := []int{width, width}
	return config.Model{Name: name, Representation: width, Encoder: h, Adaptor: h, Decoder: h, KeyEncoder: h, QueryEncoder: h,
		Heads: 2, Width: width, PreDepth: 3, PostDepth: 2, DecoderDepth: 3}
}

// TestBytesAreWhatNewAllocates compares the count with the Go runtime's own, for programs of 20 to
// 400 MB. The tolerance of 2 MB is for memory other than buffers: the analysis of the graph,
// kernels and stages.
func TestBytesAreWhatNewAllocates(t *testing.T) {
	for name, c := range map[string]struct {
		model    config.Model
		capacity ops.Extents
		mode     models.Mode
		threads  int
	}{
		"weights":     {sized("acqnp", 512), ops.Extents{Groups: 2, Context: 5, Points: 9, Levels: 3}, models.Training, 1},
		"inputs":      {sized("cqnp", 8), ops.Extents{Groups: 100, Context: 500, Points: 1000, Levels: 100}, models.Training, 2},
		"bootstraps":  {sized("bnp", 32), ops.Extents{Groups: 8, Context: 40, Points: 60, Levels: 200}, models.Training, 1},
		"attention":   {sized("canp", 64), ops.Extents{Groups: 4, Context: 9000, Points: 10000}, models.Training, 3},
		"workers":     {sized("acqnp", 128), ops.Extents{Groups: 4, Context: 9, Points: 12, Levels: 9000}, models.Training, 4},
		"evaluation":  {sized("canp", 64), ops.Extents{Groups: 16, Context: 2000, Points: 3000}, models.Evaluation, 2},
		"transformer": {transformer("acqnp", 64), ops.Extents{Groups: 8, Context: 100, Points: 200, Levels: 10}, models.Training, 3},
		"groups":      {transformer("cnp", 32), ops.Extents{Groups: 3, Context: 700, Points: 900}, models.Training, 2},
		"prediction":  {sized("acqnp", 32), ops.Extents{Groups: 1, Context: 9, Points: 512, Levels: 20000}, models.Prediction, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph(t, c.model, c.capacity, c.mode)
			count(t, g, c.threads, false, cpu.New)
			count(t, g, c.threads, true, cpu.NewBF16)
		})
	}
}

// count compares the bytes that Bytes counts with those that compile allocates.
func count(t *testing.T, g *ops.Graph, threads int, bf16 bool, compile func(*ops.Graph, int) (engine.Program[float32], error)) {
	t.Helper()
	var err error
	counted := 0.0
	counting := allocated(func() {
		if counted, err = cpu.Bytes(g, threads, bf16); err != nil {
			t.Fatal(err)
		}
	})
	made := allocated(func() {
		p := must.Get(compile(g, threads))(t)
		defer p.Close()
	})
	if counted < 20e6 || counted > 400e6 {
		t.Fatalf("%.0f bytes: the case says little", counted)
	}
	if math.Abs(made-counted) > 0.01*counted+2e6 {
		t.Errorf("counted %.0f bytes, and %.0f were allocated", counted, made)
	}
	if counting > 2e6 {
		t.Errorf("counting took %.0f bytes itself", counting)
	}
}

// transformer returns a model with a transformer of 2 layers.
func transformer(name string, width int) config.Model {
	c := sized(name, width)
	c.Aggregation, c.Layers, c.Feedforward = config.Transformer, 2, width
	return c
}

// TestMemoryGrowsWithPointsAlone doubles the numbers of context points and of points. The weights of
// an attention, a number for each pair of them, would take 50 MB or more and four times as much after
// the doubling. They are never all there, so memory must double, but for what is there at any size.
func TestMemoryGrowsWithPointsAlone(t *testing.T) {
	attention := sized("cqnp", 16)
	attention.Aggregation = config.Attention
	for name, c := range map[string]config.Model{"transformer": transformer("cnp", 16), "levels": transformer("acqnp", 16), "attention": attention} {
		size := func(n int) float64 {
			g := graph(t, c, ops.Extents{Groups: 1, Context: n / 2, Points: n, Levels: 2}, models.Training)
			return must.Get(cpu.Bytes(g, 2, false))(t)
		}
		half, whole := size(2500), size(5000)
		if whole > 2.05*half || whole > 60e6 {
			t.Errorf("%s: %.1f MB for 5000 points, %.1f MB for 2500", name, whole/1e6, half/1e6)
		}
	}
}

// TestManyPointsRun runs a transformer forward and back over 2500 context points and 5000 points.
func TestManyPointsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: takes a second")
	}
	e := ops.Extents{Groups: 1, Context: 2500, Points: 5000}
	p := must.Get(cpu.New(graph(t, transformer("cnp", 16), e, models.Training), 2))(t)
	defer p.Close()
	for name, width := range map[string]int{"context": 3, "x": 1, "y": 2} {
		for i := range p.Input(name) {
			p.Input(name)[i] = float32(i%(width*97)) / 50
		}
	}
	for i := range p.Params() {
		p.Params()[i] = float32(i%13-6) / 20
	}
	must.Do(t, p.Run(e))
	for _, v := range append(p.Output("loglik"), p.Grads()...) {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			t.Fatalf("found %v", v)
		}
	}
}

// graph builds a graph with dx = 1 and dy = 2.
func graph(t *testing.T, c config.Model, capacity ops.Extents, mode models.Mode) *ops.Graph {
	t.Helper()
	m := must.Get(models.New(c, 1, 2))(t)
	return must.Get(m.Build(tensor.Float32, capacity, mode))(t)
}

// allocated returns how many bytes f allocates.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// A program of a petabyte is counted without allocating any of it.
func TestBytesOfTheImpossible(t *testing.T) {
	g := graph(t, sized("bnp", 65536), ops.Extents{Groups: 65536, Context: 4, Points: 8, Levels: 1 << 20}, models.Training)
	if n, err := cpu.Bytes(g, 2, false); err != nil || n < 1e16 {
		t.Errorf("%g bytes, %v", n, err)
	}
}
