package stack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// allScales are the scales of y in the order in which models are asked.
var allScales = []likelihood.Scale{likelihood.OfY, likelihood.LogY, likelihood.RootY}

// index returns 0 for y itself and 1 for the other scale, of which data have only one: all of y above 0 have a logarithm;
// where there are zeros, and nothing below, the root takes its place.
func index(s likelihood.Scale) int {
	if s == likelihood.OfY {
		return 0
	}
	return 1
}

// place returns y on a scale.
func place(s likelihood.Scale, y []float64) []float64 {
	if s == likelihood.OfY {
		return y
	}
	z := make([]float64, len(y))
	for i, v := range y {
		z[i] = s.Place(max(v, 0))
	}
	return z
}

// A scale says what models see: y on a scale, and logarithms of the columns of x that may have one.
type scale struct {
	y likelihood.Scale
	x bool
}

// A mixing collects predictions of a target, of y and of y on another scale, and their weights.
type mixing struct {
	of      []likelihood.GaussianMixture
	weights []float64
}

// add adds a prediction of y on a scale. One of weight 0 is left out.
func (m *mixing) add(on likelihood.Scale, d likelihood.GaussianMixture, weight float64) {
	if weight > 0 {
		m.of, m.weights = append(m.of, d.On(on)), append(m.weights, weight)
	}
}

// mixture returns the distribution of y in units. Each scale has about most parts or fewer.
func (m *mixing) mixture(most int, u likelihood.Units) likelihood.GaussianMixture {
	d := likelihood.MixtureOfMixtures(m.of, scaled(1/floats.Sum(m.weights), m.weights)).Merged(most)
	if u != (likelihood.Units{Factor: 1}) {
		d = d.In(u)
	}
	return d
}

// A LogColumn is a column of x whose logarithm models see: log(x + Shift) from the least value of the data on. Below
// it, where the logarithm would make a small step a large one, it goes on as a line with the slope that
// it has on average over the data. So no x is further from the data than it is without the logarithm.
type LogColumn struct {
	Column int     `json:"column"`
	Shift  float64 `json:"shift"` // the least positive value if the column has zeros, otherwise 0
	Least  float64 `json:"least"`
	Slope  float64 `json:"slope"`
}

// apply returns what models see of a value.
func (c LogColumn) apply(v float64) float64 {
	if v < c.Least {
		return math.Log(c.Least+c.Shift) + (v-c.Least)*c.Slope
	}
	return math.Log(v + c.Shift)
}

// Bounds of the columns whose logarithm is tried. The ratio of the largest value to the least positive
// one, and the number of different values, have lower bounds: below them, the logarithm is nearly a line.
// The number of points has an upper bound: from more points, models learn the curve themselves.
const (
	mostBent    = 2000
	leastRatio  = 8
	leastValues = 4
)

// logColumns returns the columns of x whose logarithm is tried: none of codes, which lie about 0.
func logColumns(groups []points.Group, coded int) (all []LogColumn) {
	rows := 0
	for _, g := range groups {
		rows += g.Len()
	}
	if rows > mostBent {
		return nil
	}
	dx := groups[0].DX
	for c := range dx {
		least, most, zeros := math.Inf(1), 0.0, false
		values := map[float64]bool{}
		for _, g := range groups {
			for _, v := range g.Column(c) {
				switch {
				case v > 0:
					least, most = min(least, v), max(most, v)
				case v == 0:
					zeros = true
				default:
					least = 0 // no logarithm
				}
				if len(values) < leastValues {
					values[v] = true
				}
			}
		}
		if c == coded || !(least > 0 && most >= leastRatio*least) || len(values) < leastValues {
			continue
		}
		column := LogColumn{Column: c, Least: least}
		if zeros {
			column.Shift, column.Least = least, 0
		}
		column.Slope = (column.apply(most) - column.apply(column.Least)) / (most - column.Least)
		all = append(all, column)
	}
	return all
}

// takeLogs returns points with these columns of x replaced by their logarithms.
func takeLogs(columns []LogColumn, p points.Points) points.Points {
	if len(columns) > 0 {
		p.X = slices.Clone(p.X)
	}
	for _, c := range columns {
		for i := range p.Len() {
			v := &p.Row(i)[c.Column]
			*v = c.apply(*v)
		}
	}
	return p
}

// onScale returns the groups on a scale, as models are fitted to them.
func (v view) onScale(groups []points.Group, on scale) []points.Group {
	all := slices.Clone(groups)
	for i, g := range groups {
		all[i].Points = takeLogs(v.columns(on), v.placed(g.Points, on.y))
	}
	return all
}

// given returns what a model says of y on its scale at targets. known has y on the scale. The model sees the points of
// siblings if it learns from them.
func (v view) given(m simple.Model, known, targets points.Points, on scale) []likelihood.GaussianMixture {
	if !m.SeesOuter() {
		known = known.OfGroup()
	}
	columns := v.columns(on)
	all := m.Given(takeLogs(columns, known), takeLogs(columns, targets))
	if on.y == likelihood.LogY {
		for i, d := range all {
			all[i] = v.LogY.bounded(d)
		}
	}
	return all
}

// columns returns the columns whose logarithm a scale takes.
func (v view) columns(on scale) []LogColumn {
	if on.x {
		return v.LogX
	}
	return nil
}

// A LogRange is the range of log y in the data. It bounds what models of log y say of y.
type LogRange struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// logYOf returns the range of the groups, nil unless all y are above 0.
func logYOf(groups []points.Group) *LogRange {
	r := &LogRange{math.Inf(1), math.Inf(-1)}
	for _, g := range groups {
		for _, y := range g.Y {
			r.Low, r.High = min(r.Low, math.Log(y)), max(r.High, math.Log(y))
		}
	}
	if !(r.Low > math.Inf(-1)) {
		return nil
	}
	return r
}

// bounded returns a prediction of log y with parts that the data support. Above the largest y, a part moves only as
// far as y itself would with the slope of the exponential there, and narrows accordingly. No part is wider than
// half of the range of log y. Otherwise the exponential of a line beyond the data, or of a point that
// nothing is known of, would have a mean of any size.
func (r *LogRange) bounded(d likelihood.GaussianMixture) likelihood.GaussianMixture {
	return d.Map(func(g likelihood.Gaussian) likelihood.Gaussian {
		if beyond := g.Mean - r.High; beyond > 0 {
			g.Mean, g.Scale = r.High+math.Log1p(beyond), g.Scale/(1+beyond)
		}
		if most := (r.High - r.Low) / 2; most > 0 {
			g.Scale = min(g.Scale, most)
		}
		return g
	})
}

// A view is what models see of the data: x without missing cells, perhaps logarithms of columns, and y on a scale. Where y
// is an atom, they see a number that lies further out. A model that learns how often the atom occurs then predicts a peak
// there, beyond the bound, and no half of it lies among the other values. So does a censored outcome, of which it is known
// that it would lie further out.
type view struct {
	// The values of y: predictions have no others.
	Outcome likelihood.Support `json:"outcome,omitzero"`
	// How far out the lower and the upper atom are moved, on y itself and on the other scale.
	Away    [2][2]float64 `json:"away,omitzero"`
	Heaps   Heaps         `json:"heaps,omitempty"`  // to what y is rounded; nil if to nothing
	Filling *Filling      `json:"filling"`          // of missing cells of x
	Coding  *Coding       `json:"coding,omitempty"` // of crossed names; nil without
	LogX    []LogColumn   `json:"log_x,omitempty"`  // the columns whose logarithm is tried
	LogY    *LogRange     `json:"log_y,omitempty"`  // of the data; nil unless all y are above 0
	// Where censored y may be, on y itself and on the other scale.
	Beyonds [2]beyond `json:"beyonds,omitzero"`
}

// away is by how many deviations of all points an atom is moved. Of a normal distribution, what lies beyond a bound that
// 5 to 60% reach is 0.4 to 0.9 deviations further out on average. Of 0.25, 0.5 and 1, 1 was the best by 0.004 to 0.016
// nats on three simulated sets.
const away = 1

// moveAtoms sets how far atoms are moved on a scale.
func (v *view) moveAtoms(groups []points.Group, on likelihood.Scale) {
	if v.Outcome.Whole || v.Outcome.Real() {
		return
	}
	by := away * deviationOf(groups, on)
	v.Away[index(on)] = [2]float64{by, by}
}

// placed returns points with their y as models on a scale see it.
func (v view) placed(p points.Points, on likelihood.Scale) points.Points {
	return v.guessed(p, on, evenly)
}

// on returns what models on a scale see of y, and by how much atoms are moved, as points.Points has it; nil if none is.
func (v view) on(scale likelihood.Scale, y []float64) (z, beyond []float64) {
	z = place(scale, y)
	by := v.Away[index(scale)]
	if by == [2]float64{} {
		return z, nil
	}
	low, high := v.Outcome.Low, v.Outcome.High
	moved, beyond := make([]float64, len(z)), make([]float64, len(z))
	for i, at := range z {
		switch {
		case low != nil && y[i] <= *low:
			beyond[i] = -by[0]
		case high != nil && y[i] >= *high:
			beyond[i] = by[1]
		}
		moved[i] = at + beyond[i]
	}
	return moved, beyond
}
