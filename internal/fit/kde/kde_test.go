package kde_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/kde"
	"github.com/acqnp/acqnp/internal/random"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-12) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// The weights of three points in two dimensions, by hand: one at x, one at half the width, one beyond.
func TestWeights(t *testing.T) {
	context := []float32{1, 2, 7, 1, 3, 8, 4, 2, 9}
	w := kde.Widths{X: 2, Y: 0.1}.Weights(nil, context, []float32{1, 2})
	if len(w) != 3 {
		t.Fatalf("%d weights", len(w))
	}
	for i, want := range []float64{1 / 2.75, 0.75 / 2.75, 0} {
		near(t, "weight", w[i], want)
	}
	for _, v := range (kde.Widths{X: 0.5, Y: 0.1}).Weights(w, context, []float32{10, 10}) {
		near(t, "weight far away", v, 0)
	}
	if w := (kde.Widths{X: 1, Y: 1}).Weights(w, nil, []float32{0}); len(w) != 0 {
		t.Errorf("%d weights of no point", len(w))
	}
}

// drawn returns n points with y = f(x, normal).
func drawn(n int, f func(x, normal float64) float64) []float32 {
	g := random.New(3, random.Data)
	points := make([]float32, 0, 2*n)
	for i := range n {
		x := g.Normal(1, uint64(i))
		points = append(points, float32(x), float32(f(x, g.Normal(2, uint64(i)))))
	}
	return points
}

// Chosen widths are narrow where y changes fast with x, wide where it does not, and those of y follow its
// noise.
func TestChoose(t *testing.T) {
	wave := func(noise float64) func(x, normal float64) float64 {
		return func(x, normal float64) float64 { return math.Sqrt2*math.Sin(9*x) + noise*normal }
	}
	sharp := kde.Choose([][]float32{drawn(600, wave(0.05))}, 1)
	if sharp.X > 0.12 {
		t.Errorf("widths %v of a fast wave", sharp)
	}
	noise := kde.Choose([][]float32{drawn(600, func(_, normal float64) float64 { return normal })}, 1)
	if noise.X < 2 || noise.Y < 0.2 {
		t.Errorf("widths %v of noise", noise)
	}
	two := kde.Choose([][]float32{drawn(600, func(_, normal float64) float64 { return math.Copysign(1, normal) + 0.03*normal })}, 1)
	if two.X < 2 || two.Y != 0.05 {
		t.Errorf("widths %v of two values", two)
	}
	// Points of one function say nothing of another.
	apart := kde.Choose([][]float32{drawn(300, func(float64, float64) float64 { return 1 }), drawn(300, func(float64, float64) float64 { return -1 })}, 1)
	if apart.Y != 0.05 {
		t.Errorf("widths %v of two constant functions", apart)
	}
	if w := kde.Choose([][]float32{{1, 2}, nil}, 1); !(w.X > 0 && w.Y > 0) {
		t.Errorf("widths %v of a point", w)
	}
}

// Of many points a part is enough: the widths are those of the first ones.
func TestChooseOfManyPoints(t *testing.T) {
	wave := func(x, normal float64) float64 { return math.Sqrt2*math.Sin(3*x) + 0.2*normal }
	few, many := kde.Choose([][]float32{drawn(1500, wave)}, 1), kde.Choose([][]float32{drawn(40_000, wave)}, 1)
	if few != many {
		t.Errorf("widths %v of 1500 points, %v of 40,000", few, many)
	}
	if functions := kde.Choose(slices.Repeat([][]float32{drawn(1500, wave)}, 5000), 1); functions != few {
		t.Errorf("widths %v of a function, %v of 5000 like it", few, functions)
	}
}
