package simple

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A new group of a mean that is known, and of a deviation that five groups say, is Student's t with four degrees of
// freedom. Five factors have its distribution function to 0.01 within, and to 0.015 in the tails.
func TestFewGroupsAreStudents(t *testing.T) {
	m := &Mixed{Units: Units{X: []scaling{{0, 1}}, Y: scaling{0, 1}}, Spread: spreadOf(5), Noise: normalNoise(newBasis([]points.Group{{Points: points.New(1, 1, []float64{0}, []float64{0})}}, 6), 1e-3),
		Model: linear{Form: degrees{Fixed: []int{0}, Random: []int{0}, Edges: []Edge{{0, 0}}}, Beta: []float64{0}, Factor: []float64{1, 0, 0, 0}, Noise: 1e-3}}
	d, student := m.Given(points.New(1, 1, nil, nil), points.New(1, 0, []float64{0}, nil))[0], distuv.StudentsT{Sigma: 1, Nu: 4}
	for _, y := range []float64{-4, -2, -1, -0.3, 0, 0.5, 1.5, 3} {
		if a, b := d.CDF(y), student.CDF(y); math.Abs(a-b) > 0.015 {
			t.Errorf("up to %g: %.4f, Student's t has %.4f", y, a, b)
		}
	}
	if spreadOf(1) != nil || spreadOf(fewGroups+1) != nil {
		t.Error("factors of one group or of many")
	}
}

// On 40 simulated data sets of four groups, the density of new groups is higher with uncertain deviations than with
// those of the fit alone: by more than two errors of the paired differences.
func TestUncertainDeviationsHelpFewGroups(t *testing.T) {
	const sets, fresh = 40, 20
	mean, squares := 0.0, 0.0
	for set := range uint64(sets) {
		g := random.New(set, random.Data)
		draw := func(k uint64) (one points.Group) {
			one.DX = 1
			for i := range uint64(10) {
				x := 4*g.Float(k, 100+i) - 2
				one.X, one.Y = append(one.X, x), append(one.Y, x+g.Normal(k, 1)+0.4*g.Normal(k, 300+i))
			}
			return one
		}
		few := *must.Get(FitMixed([]points.Group{draw(0), draw(1), draw(2), draw(3)}))(t).(*Mixed)
		sure := few
		sure.Spread, sure.OuterSpread = nil, nil
		gain := 0.0
		for k := range uint64(fresh) {
			one := draw(1000 + k)
			known := points.New(1, 1, one.X[:k%3], one.Y[:k%3])
			gain += (few.Given(known, one.Cut(3, 4))[0].LogDensity(one.Y[3]) - sure.Given(known, one.Cut(3, 4))[0].LogDensity(one.Y[3])) / fresh
		}
		mean, squares = mean+gain/sets, squares+gain*gain/sets
	}
	if se := math.Sqrt((squares - mean*mean) / (sets - 1)); !(mean > 2*se) {
		t.Errorf("the density gains %.4f ± %.4f", mean, se)
	}
}
