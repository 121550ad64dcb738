package engine_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

var small = config.Model{Name: "acqnp", Representation: 20, Encoder: []int{20, 18}, Adaptor: []int{24, 17}, Decoder: []int{19, 33}}

// TestThreadsGiveTheSameBits runs sizes of many tiles and chunks on 1 and 7 workers, and with
// TEST_ALL=1 also on 2 and 3.
func TestThreadsGiveTheSameBits(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			for _, width := range []int{20, 100} { // at 100, products use tile instructions, if the machine has them
				sameBits(t, cpu.New, build(t, shape{model: sized(name, width, []int{width + 4, width - 2}, 4), dx: 1, dy: 1}))
			}
			sameBits(t, cpu.NewBF16, build(t, shape{model: sized(name, 50, []int{57, 44}, 2), dx: 1, dy: 1}))
		})
	}
}

func sameBits(t *testing.T, compile engineOf, m *models.Model) {
	sameBitsAt(t, compile, m, ops.Extents{Groups: 9, Context: 40, Points: 91, Levels: 6})
	if !m.Bootstrap() {
		sameBitsAt(t, compile, m, ops.Extents{Groups: 9, Context: 0, Points: 91, Levels: 6})
		sameBitsAt(t, compile, m, ops.Extents{Groups: 4, Context: 0, Points: 263, Levels: 2})
	}
}

func sameBitsAt(t *testing.T, compile engineOf, m *models.Model, e ops.Extents) {
	if !m.Quantile() && !m.Bootstrap() {
		e.Levels = 0
	}
	threads := []int{1, 7}
	if os.Getenv("TEST_ALL") != "" {
		threads = []int{1, 2, 3, 7}
	}
	g := graph(t, m, e, models.Training)
	var want, wantLL []float32
	for _, threads := range threads {
		p := programOf(t, compile, g, threads)
		fill(p, m, e, 5)
		run(t, p, e)
		if threads == 1 {
			want, wantLL = slices.Clone(p.Grads()), slices.Clone(p.Output("loglik"))
			continue
		}
		if !slices.Equal(p.Grads(), want) || !slices.Equal(p.Output("loglik"), wantLL) {
			t.Errorf("%v: %d threads give other bits than one", e, threads)
		}
	}
}

// TestExtentsWithinCapacity runs one program at changing sizes. Each run must equal that of a
// program compiled for its size.
func TestExtentsWithinCapacity(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			for _, width := range []int{20, 100} {
				withinCapacity(t, cpu.New, build(t, shape{model: sized(name, width, []int{width + 4, width - 2}, 4), dx: 2, dy: 2}))
			}
			withinCapacity(t, cpu.NewBF16, build(t, shape{model: sized(name, 50, []int{57, 44}, 2), dx: 2, dy: 2}))
		})
	}
}

func withinCapacity(t *testing.T, compile engineOf, m *models.Model) {
	capacity := ops.Extents{Groups: 5, Context: 20, Points: 45, Levels: 11}
	runs := []ops.Extents{capacity, {Groups: 1, Context: 1, Points: 2, Levels: 1}, {Groups: 5, Context: 3, Points: 31, Levels: 7},
		{Groups: 2, Context: 19, Points: 45, Levels: 11}, capacity}
	if !m.Bootstrap() {
		runs = append(runs, ops.Extents{Groups: 3, Context: 0, Points: 31, Levels: 7}, capacity)
	}
	if !m.Quantile() && !m.Bootstrap() {
		capacity.Levels = 0
		for i := range runs {
			runs[i].Levels = 0
		}
	}
	p := compiledBy(t, compile, m, capacity, models.Training, 2)
	ofSize := map[ops.Extents]engine.Program[float32]{}
	for i, e := range runs {
		exact, ok := ofSize[e]
		if !ok {
			exact = compiledBy(t, compile, m, e, models.Training, 2)
			ofSize[e] = exact
		}
		fill(p, m, e, uint64(i))
		fill(exact, m, e, uint64(i))
		run(t, p, e)
		run(t, exact, e)
		if !slices.Equal(p.Grads(), exact.Grads()) || !slices.Equal(p.Output("loglik"), exact.Output("loglik")) {
			t.Errorf("%v: results depend on the capacity or on earlier runs", e)
		}
	}
}

func TestRunRefusesWhatDoesNotFit(t *testing.T) {
	m := build(t, shape{model: small, dx: 1, dy: 1})
	capacity := ops.Extents{Groups: 2, Context: 4, Points: 8, Levels: 3}
	p := compiled(t, m, capacity, models.Training, 1)
	for _, e := range []ops.Extents{
		{Groups: 3, Context: 4, Points: 8, Levels: 3}, {Groups: 2, Context: 5, Points: 8, Levels: 3},
		{Groups: 2, Context: 4, Points: 9, Levels: 3}, {Groups: 2, Context: 4, Points: 8, Levels: 4},
		{Groups: 2, Context: -1, Points: 8, Levels: 3}, {Groups: 2, Context: 4, Points: 8, Levels: 0}, {},
	} {
		if p.Run(e) == nil {
			t.Errorf("%v: ran", e)
		}
	}
	p.Close()
	p.Close()
	if p.Run(capacity) == nil {
		t.Error("a closed program ran")
	}
}

func TestNoAllocationPerRun(t *testing.T) {
	e := ops.Extents{Groups: 4, Context: 20, Points: 50, Levels: 6}
	for _, name := range names() {
		for _, width := range []int{20, 100} {
			m := build(t, shape{model: sized(name, width, []int{width + 4, width - 2}, 4), dx: 1, dy: 1})
			e := e
			if !m.Quantile() && !m.Bootstrap() {
				e.Levels = 0
			}
			for precision, compile := range map[string]engineOf{"fp32": cpu.New, "bf16": cpu.NewBF16} {
				p := compiledBy(t, compile, m, e, models.Training, 2)
				fill(p, m, e, 1)
				must.NotAllocate(t, fmt.Sprintf("%s of width %d in %s", name, width, precision), 5, func() { run(t, p, e) })
			}
		}
	}
}

// TestMemoryDoesNotGrowWithLevels compiles for 400 levels and for 4. Only the input of levels, one
// number per row, may grow. One activation of width 128 at 400 levels would take 200 MB.
func TestMemoryDoesNotGrowWithLevels(t *testing.T) {
	c := config.Model{Name: "acqnp", Representation: 128, Encoder: []int{128}, Adaptor: []int{128, 128}, Decoder: []int{128, 128}}
	m := build(t, shape{model: c, dx: 1, dy: 1})
	size := func(levels int) float64 {
		bytes := must.Get(cpu.Bytes(graph(t, m, ops.Extents{Groups: 10, Context: 50, Points: 100, Levels: levels}, models.Training), 2, false))(t)
		return bytes / (1 << 20)
	}
	few, many := size(4), size(400)
	if grown := many - few; grown > 10 { // the input: 1000 points × 396 levels × 4 bytes = 1.5 MB; 400 rows of scratch instead of 256
		t.Errorf("%.0f MB at 4 levels, %.0f MB at 400", few, many)
	}
}

// TestExtremesStayFinite runs both likelihoods on values far outside any training set.
func TestExtremesStayFinite(t *testing.T) {
	for _, name := range names() {
		m := build(t, shape{model: sized(name, 20, []int{24, 18}, 4), dx: 1, dy: 1})
		e := ops.Extents{Groups: 2, Context: 3, Points: 6, Levels: 5}
		if !m.Quantile() && !m.Bootstrap() {
			e.Levels = 0
		}
		p := compiled(t, m, e, models.Training, 1)
		fill(p, m, e, 3)
		for i := range p.Input("y") {
			p.Input("y")[i] *= 1e6
		}
		for _, tensor := range m.Tensors() { // saturate the last layer of ψ and drive σ to its floor
			if tensor.Name == "_adaptor._net.4.bias" {
				p.Params()[tensor.Offset] = 100
			}
			if tensor.Name == "_decoder._mlp._net.4.bias" {
				p.Params()[tensor.Offset+1] = -100
			}
		}
		run(t, p, e)
		for _, v := range append(slices.Clone(p.Grads()), p.Output("loglik")...) {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Errorf("%s: %v", name, v)
				break
			}
		}
	}
}

// Parameters are those at the last call of Params: a change after it counts in the next run, and runs without one give
// the same bits.
func TestChangedParametersCount(t *testing.T) {
	e := ops.Extents{Groups: 3, Context: 5, Points: 9, Levels: 4}
	m := build(t, shape{model: small, dx: 1, dy: 1})
	for precision, compile := range map[string]engineOf{"fp32": cpu.New, "bf16": cpu.NewBF16} {
		p, other := compiledBy(t, compile, m, e, models.Evaluation, 2), compiledBy(t, compile, m, e, models.Evaluation, 2)
		fill(p, m, e, 1)
		fill(other, m, e, 1)
		first := slices.Clone(resultOf(t, p, e))
		if again := resultOf(t, p, e); !slices.Equal(again, first) {
			t.Errorf("%s: a second run differs", precision)
		}
		for _, one := range []engine.Program[float32]{p, other} {
			params := one.Params()
			for i := range params {
				params[i] /= 2
			}
		}
		if changed := resultOf(t, p, e); slices.Equal(changed, first) || !slices.Equal(changed, resultOf(t, other, e)) {
			t.Errorf("%s: parameters that changed between runs differ from those that changed before", precision)
		}
	}
}

func resultOf(t *testing.T, p engine.Program[float32], e ops.Extents) []float32 {
	t.Helper()
	run(t, p, e)
	return p.Output("loglik")
}
