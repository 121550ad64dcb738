package simple

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/random"
)

// gridGroups returns groups with the same x, of a curve with a level and a slope of their own.
func gridGroups(n, size int) []Group {
	g := random.New(5, random.Validation)
	groups := make([]Group, n)
	for k := range groups {
		level, slope := g.Normal(uint64(k), 0), g.Normal(uint64(k), 1)
		groups[k].DX = 1
		for i := range size {
			x := float64(i)
			groups[k].X = append(groups[k].X, x)
			groups[k].Y = append(groups[k].Y, math.Sin(x)+level+0.2*slope*x+0.3*g.Normal(uint64(k), uint64(10+i)))
		}
	}
	return groups
}

// The numbers are those of cov.shrink in R's corpcor 1.6.10 for the same table.
func TestShrinkageIsThatOfCorpcor(t *testing.T) {
	table := mat.NewDense(5, 3, []float64{1, 2, 0.5, 2, 1.5, 0.7, 3, 4, 0.1, 4, 3.5, 0.9, 5, 7, 0.3})
	_, cov := shrunk(table, mat.NewSymDense(3, nil))
	want := []float64{2.5, 1.4955422875, -0.1376766469, 1.4955422875, 2.9945841153, -0.7162276575, -0.1376766469, -0.7162276575, 1.9542520107}
	for i, v := range want {
		if math.Abs(cov[i]-v) > 1e-6 {
			t.Errorf("element %d is %.7f, want %.7f", i, cov[i], v)
		}
	}
}

// A context that a group has at x of the grid is met, and between two x the mean is on the line.
func TestGridNormalInterpolates(t *testing.T) {
	m, err := FitGridNormal(gridGroups(30, 6))
	if err != nil {
		t.Fatal(err)
	}
	context := Group{X: []float64{1, 2}, Y: []float64{0.4, 1.3}, DX: 1}
	d := m.Given(context, []float64{1, 2, 1.5})
	for i, want := range []float64{0.4, 1.3, 0.85} {
		if math.Abs(d[i].Mean()-want) > 1e-5 {
			t.Errorf("mean %d is %.7f, want %.7f", i, d[i].Mean(), want)
		}
	}
	if free := m.Given(Group{DX: 1}, []float64{3})[0].Variance(); m.Given(context, []float64{3})[0].Variance() >= free {
		t.Error("a context does not narrow the prediction")
	}
}

// What is missing in a few groups changes predictions little: by less than the standard error of a
// mean of 30 groups.
func TestGridNormalFillsWhatIsMissing(t *testing.T) {
	whole := gridGroups(30, 6)
	some := gridGroups(30, 6)
	for _, k := range []int{2, 11, 23} {
		some[k].X, some[k].Y = some[k].X[:5], some[k].Y[:5]
	}
	a, err := FitGridNormal(whole)
	if err != nil {
		t.Fatal(err)
	}
	b, err := FitGridNormal(some)
	if err != nil {
		t.Fatal(err)
	}
	context := Group{X: []float64{0, 3}, Y: []float64{0.5, 0.2}, DX: 1}
	p, q := a.Given(context, []float64{5})[0], b.Given(context, []float64{5})[0]
	if se := math.Sqrt(p.Variance() / 30); math.Abs(p.Mean()-q.Mean()) > se {
		t.Errorf("means %.3f and %.3f differ by more than %.3f", p.Mean(), q.Mean(), se)
	}
}

// Groups that share no x are refused.
func TestGridNormalNeedsAGrid(t *testing.T) {
	if _, err := FitGridNormal(someGroups(20, 1)); err == nil {
		t.Error("scattered x have a grid")
	}
}
