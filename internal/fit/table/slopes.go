package table

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Groups may have a slope along a column too: of a group, b = (intercept, slope) has the covariance σ²·Σ, and its rows
// V = I + Z·Σ·Zᵀ with Z = (1, x). An orthonormal basis of Z takes the rows to two, Qᵀ·z, of covariance I + R·Σ·Rᵀ, and to
// squares about a line, which know nothing of θ.

// leastGain is how much lower the criterion of REML must be with slopes: twice their two parameters, as Akaike says.
const leastGain = 4

// mostSlopeWork bounds the work of a criterion for which slopes are tried, in squares of columns of groups.
const mostSlopeWork = 1e6

// slopes are what rows say where groups have slopes along a column.
type slopes struct {
	within *mat.SymDense // [q, q]: the squares of z about the lines of groups
	lines  []line
	rows   float64 // by weight
	column int
	mean   float64 // of the column
	unit   float64 // its deviation
}

// A line is a group's.
type line struct {
	root [3]float64   // R: (0, 0), (0, 1) and (1, 1)
	z    [2][]float64 // [q]: the rows of Qᵀ·z
}

// tooManySlopes reports whether there are too many groups and columns to try slopes.
func (r *rows) tooManySlopes(kept, columns []int) bool {
	return float64(r.groups*len(columns)*len(kept)*len(kept)) > mostSlopeWork
}

// bestSlope returns what the rows say with slopes along the column of x that lowers the criterion most, from what it is
// without; nil if no column lowers it enough.
func (r *rows) bestSlope(without func(thetas) (estimate, bool), theta thetas, kept, columns []int) (best *slopes) {
	e, ok := without(theta)
	least := e.deviance - leastGain
	if !ok {
		return nil
	}
	for _, c := range columns {
		at := slices.Index(kept, c)
		if at < 0 {
			continue
		}
		s := r.slopes(kept, at)
		if theta, ok := minimise(s.at, []int{inner, slope, together}, true); ok {
			if e, _ := s.at(theta); e.deviance < least {
				best, least = s, e.deviance
			}
		}
	}
	return best
}

// slopes returns what the rows say with slopes along a kept column, the one at a place.
func (r *rows) slopes(kept []int, at int) *slopes {
	q := len(kept) + 2
	s := &slopes{within: mat.NewSymDense(q, nil), lines: make([]line, r.groups), column: kept[at], mean: r.meanX[kept[at]], unit: r.scaleX[kept[at]]}
	n, means := make([]float64, r.groups), make([][]float64, r.groups)
	for k := range s.lines {
		means[k], s.lines[k].z = make([]float64, q), [2][]float64{make([]float64, q), make([]float64, q)}
	}
	for i, w := range r.weights {
		k := r.group[i]
		n[k] += w
		s.rows += w
		move(means[k], r.row(i, kept), w/n[k])
	}
	for i, w := range r.weights { // along x, about the means
		l, z, mean := &s.lines[r.group[i]], r.row(i, kept), means[r.group[i]]
		x := z[1+at] - mean[1+at]
		l.root[2] += w * x * x
		for c, v := range z {
			l.z[1][c] += w * x * (v - mean[c])
		}
	}
	for k := range s.lines {
		l, root := &s.lines[k], math.Sqrt(n[k])
		l.root = [3]float64{root, root * means[k][1+at], math.Sqrt(l.root[2])}
		for c, mean := range means[k] {
			l.z[0][c] = root * mean
			if l.root[2] > 0 {
				l.z[1][c] /= l.root[2]
			}
		}
	}
	left := make([]float64, q)
	for i, w := range r.weights {
		l, z, mean := s.lines[r.group[i]], r.row(i, kept), means[r.group[i]]
		for c, v := range z {
			if left[c] = v - mean[c]; l.root[2] > 0 {
				left[c] -= (z[1+at] - mean[1+at]) / l.root[2] * l.z[1][c]
			}
		}
		addSquare(s.within, w, left, nil)
	}
	return s
}

// at returns the estimate of θ, false if nothing is left of y.
func (s *slopes) at(theta thetas) (e estimate, ok bool) {
	a, logV := mat.NewSymDense(s.within.SymmetricDim(), nil), 0.0
	a.CopySym(s.within)
	level, tilt, both := theta[inner]*theta[inner], theta[slope]*theta[slope], theta[inner]*theta[slope]*theta[together]
	second := make([]float64, s.within.SymmetricDim())
	for _, l := range s.lines {
		// The rows of R·Σ.
		first := [2]float64{l.root[0]*level + l.root[1]*both, l.root[0]*both + l.root[1]*tilt}
		v00 := 1 + first[0]*l.root[0] + first[1]*l.root[1]
		v01, v11 := first[1]*l.root[2], 1+l.root[2]*l.root[2]*tilt
		left := max(v11-v01*v01/v00, 1) // V has no eigenvalue below 1
		addSquare(a, 1/v00, l.z[0], nil)
		for c, v := range l.z[1] {
			second[c] = v - v01/v00*l.z[0][c]
		}
		addSquare(a, 1/left, second, nil)
		logV += math.Log(v00) + math.Log(left)
	}
	return estimateOf(a, logV, s.rows)
}

// deviations returns θ where x is as it was: a slope is per unit of its column, and the intercept lies where that is 0. Without
// slopes, nil, they are θ.
func (s *slopes) deviations(theta thetas) thetas {
	if s == nil {
		return theta
	}
	level, tilt := theta[inner], theta[slope]/s.unit
	shift := tilt * s.mean
	root := math.Sqrt(max(level*level+shift*shift-2*theta[together]*level*shift, 0))
	if root == 0 || tilt == 0 {
		return thetas{root, tilt, 0}
	}
	return thetas{root, tilt, (theta[together]*level - shift) / root}
}

// addSlope adds the level of slopes along a column.
func (t *Table) addSlope(q Question, column int) {
	name := q.Names[column]
	t.Levels = append(t.Levels, Level{Name: name + " of " + q.Group, Groups: t.Levels[0].Groups})
	t.Formula = q.Fixed + " + (1 + " + name + " | " + q.Group + ")"
	t.about()
	note := "groups differ in their slope along " + name + ", by Akaike's criterion"
	if len(q.Slopes) > 1 {
		note += "; that along other columns is the same for all"
	}
	t.Notes = append(t.Notes, note)
}
