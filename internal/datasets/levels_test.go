package datasets_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/random"
)

func TestGridLevels(t *testing.T) {
	e := ops.Extents{Functions: 2, Context: 1, Points: 3}
	for _, c := range []struct {
		model string
		want  []float64
	}{
		{"acqnp", []float64{0.5}},
		{"cqnp", []float64{0.5}},
		{"acqnp", []float64{0.001, 0.999}},
		{"acqnp", []float64{0.001, 0.2505, 0.5, 0.7495, 0.999}},
		{"cqnp", []float64{0, 0.25, 0.5, 0.75, 1}}, // τ = 0.001 + 0.998·u is the row above
	} {
		e.Levels = len(c.want)
		dst := make([]float32, e.Rows(ops.Row)+1)
		dst[len(dst)-1] = -1
		datasets.GridLevels(len(c.want), c.model).Fill(9, e, dst)
		for i, got := range dst[:len(dst)-1] {
			if want := c.want[i%e.Levels]; math.Abs(float64(got)-want) > 1e-7 { // float32 below 1
				t.Errorf("%s: level %d of %d is %v, want %v", c.model, i%e.Levels, e.Levels, got, want)
			}
		}
		if dst[len(dst)-1] != -1 {
			t.Errorf("%s: wrote past the end", c.model)
		}
	}
}

func TestRandomLevels(t *testing.T) {
	e := ops.Extents{Functions: 4, Context: 3, Points: 41, Levels: 25}
	stream := random.Levels | random.Evaluation
	levels := datasets.RandomLevels(43, stream)
	dst := make([]float32, e.Rows(ops.Row))
	levels.Fill(6, e, dst)
	g := random.New(43, stream)
	values, squares := make([]float64, len(dst)), make([]float64, len(dst))
	for i, u := range dst {
		if want := g.Float(6, uint64(i)); float64(u) != want {
			t.Fatalf("level %d is %v, want the stream's %v", i, u, want)
		}
		values[i], squares[i] = float64(u), float64(u)*float64(u)
	}
	expect(t, "u", values, 0.5)
	expect(t, "u²", squares, 1.0/3)

	again := make([]float32, len(dst))
	for name, other := range map[string]func(){
		"step":   func() { levels.Fill(7, e, again) },
		"seed":   func() { datasets.RandomLevels(44, stream).Fill(6, e, again) },
		"stream": func() { datasets.RandomLevels(43, random.Levels).Fill(6, e, again) },
	} {
		if other(); slices.Equal(dst[:4], again[:4]) {
			t.Errorf("another %s gives the same levels", name)
		}
	}
	if levels.Fill(6, e, again); !slices.Equal(dst, again) {
		t.Error("the levels of a step changed with what came before")
	}
	if n := testing.AllocsPerRun(5, func() { levels.Fill(6, e, again) }); n != 0 {
		t.Errorf("Fill allocates %v times", n)
	}
}
