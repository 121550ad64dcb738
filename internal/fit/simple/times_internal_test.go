package simple

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// counted returns groups whose points count 1 to 3 times, and the same with each point as often.
func counted() (once, repeated []points.Group) {
	for k := range uint64(14) {
		g := random.New(11, random.Validation)
		a, b := points.Group{Points: points.New(1, 1, nil, nil)}, points.Group{Points: points.New(1, 1, nil, nil)}
		level, slope := g.Normal(k, 0), 1+0.5*g.Normal(k, 1)
		for i := range uint64(7) {
			x := 4*g.Float(k, 10+i) - 2
			y := level + slope*x + 0.4*g.Normal(k, 30+i)*math.Exp(0.4*x)
			times := 1 + g.IntN(k, 50+i, 3)
			a.X, a.Y, a.Weights = append(a.X, x), append(a.Y, y), append(a.Weights, float64(times))
			for range times {
				b.X, b.Y = append(b.X, x), append(b.Y, y)
			}
		}
		once, repeated = append(once, a), append(repeated, b)
	}
	return once, repeated
}

// line fits a mixed model of lines. FitMixed chooses degrees by held-out points, which repeated rows would be among the
// known ones too.
func line(groups []points.Group) (Model, error) {
	m := &Mixed{Units: unitsOf(groups)}
	all := m.Units.groups(groups, math.MaxInt)
	return m, m.fit(all, pressedOf(all), degreesOf(pressedOf(all), 1, 1))
}

// A weight of 2 is a row that stands there twice: for the units, the restricted likelihood and its coefficients, and the
// noise of the leave-one-out errors, of which a row that stands there twice keeps the other. A mixed model then predicts
// the same, but for where rounding ends the search for a maximum, whose gradients are differences with steps of 1e-5.
func TestWeightsAreRepeatedRows(t *testing.T) {
	t.Parallel()
	once, repeated := counted()
	a, b := unitsOf(once), unitsOf(repeated)
	for _, pair := range [][2]scaling{{a.X[0], b.X[0]}, {a.Y, b.Y}} {
		if math.Abs(pair[0].Centre-pair[1].Centre) > 1e-12 || math.Abs(pair[0].Width-pair[1].Width) > 1e-12 {
			t.Errorf("units %+v, want %+v", pair[0], pair[1])
		}
	}
	context := points.New(1, 1, once[3].X[:3], once[3].Y[:3])
	x := []float64{-1.5, 0, 1.7}
	weighted, same := must.Get(line(once))(t), must.Get(line(repeated))(t)
	for _, known := range []points.Points{points.New(1, 1, nil, nil), context} {
		p, q := weighted.Given(known, points.New(1, 0, x, nil)), same.Given(known, points.New(1, 0, x, nil))
		for i := range x {
			sd := math.Sqrt(q[i].Variance())
			if d := math.Abs(p[i].Mean()-q[i].Mean()) / sd; d > 1e-4 || math.Abs(math.Sqrt(p[i].Variance())/sd-1) > 1e-4 {
				t.Errorf("from %d points at %v: %v ± %v weighted, %v ± %v repeated", known.Len(), x[i],
					p[i].Mean(), math.Sqrt(p[i].Variance()), q[i].Mean(), sd)
			}
		}
	}
}

// Every kind follows the weights. Of two kinds of groups, on lines that are 3 apart, one weighs 9 times as much: the mean
// of a new group is nearer to it by far. A mixed model weighs groups by what they know, so rows of the same group differ:
// points of a higher kind weigh 9, and those of the lower 1, so that a mean lies at 2.7 rather than 1.5.
func TestModelsFollowWeights(t *testing.T) {
	t.Parallel()
	var groups []points.Group
	for k := range uint64(20) {
		g := random.New(12, random.Validation)
		one := points.Group{Points: points.New(1, 1, nil, nil)}
		for i := range uint64(8) {
			x, y := 4*g.Float(k, 10+i)-2, 0.2*g.Normal(k, 30+i)
			times := 1.0
			if i%2 == 0 {
				y, times = y+3, 9
			}
			one.X, one.Y, one.Weights = append(one.X, x), append(one.Y, y), append(one.Weights, times)
		}
		groups = append(groups, one)
	}
	for name, fit := range map[string]func([]points.Group) (Model, error){"mixed model": FitMixed, "Gaussian process": FitGP, "regressions": FitRegressions} {
		m := must.Get(fit(groups))(t)
		// An eighth of a deviation of the mixture of both, 0.9.
		if d := m.Given(points.New(1, 1, nil, nil), points.New(1, 0, []float64{0.5}, nil))[0]; math.Abs(d.Mean()-2.7) > 0.25 {
			t.Errorf("%s: a mean of %v, want 2.7", name, d.Mean())
		}
	}
}
