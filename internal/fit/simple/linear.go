package simple

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/points"
)

// degrees say which powers of the columns of x a model has. Beyond the data, each power goes on as a line: a fifth
// power would soon be larger than anything that the data support.
type degrees struct {
	Fixed  []int  `json:"fixed"`  // [dx]: the highest power of each column in p(x)
	Random []int  `json:"random"` // [dx]: in q(x)
	Edges  []Edge `json:"edges"`  // [dx]

	Crossings []crossing `json:"crossings,omitempty"` // in p(x), after the powers
}

// An Edge is where the data of a column begin and end.
type Edge struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// EdgesOf returns the edges of the columns of x of all groups.
func EdgesOf(groups []points.Group) []Edge {
	dx := groups[0].DX
	edges := slices.Repeat([]Edge{{math.Inf(1), math.Inf(-1)}}, dx)
	for _, g := range groups {
		for i, v := range g.X {
			e := &edges[i%dx]
			e.Low, e.High = min(e.Low, v), max(e.High, v)
		}
	}
	return edges
}

// AppendPowers appends v, v², … vⁿ or, beyond the edges, their tangents there.
func (e Edge) AppendPowers(dst []float64, v float64, n int) []float64 {
	inside := min(max(v, e.Low), e.High)
	power, slope := 1.0, 0.0 // of the power at the edge
	for range n {
		power, slope = power*inside, power+slope*inside
		dst = append(dst, power+slope*(v-inside))
	}
	return dst
}

// degreesOf returns the form with powers up to the degrees. A column with k different values has at
// most k−1 powers.
func degreesOf(groups []points.Group, fixed, random int) degrees {
	dx := groups[0].DX
	form := degrees{Fixed: make([]int, dx), Random: make([]int, dx), Edges: EdgesOf(groups)}
	for c := range dx {
		most := different(groups, c, max(fixed, random)+1) - 1
		form.Fixed[c], form.Random[c] = min(fixed, most), min(random, most)
	}
	return form
}

// different returns how many values column c of all groups has, at most the given number.
func different(groups []points.Group, c, most int) int {
	seen := map[float64]bool{}
	for _, g := range groups {
		for _, v := range g.Column(c) {
			if seen[v] = true; len(seen) == most {
				return most
			}
		}
	}
	return len(seen)
}

// count returns the numbers of coefficients β and b.
func (f degrees) count() (fixed, random int) {
	fixed, random = 1+cellsOf(f.Crossings), 1
	for c := range f.Fixed {
		fixed, random = fixed+f.Fixed[c], random+f.Random[c]
	}
	return fixed, random
}

// powers appends 1 and the powers of x [dx] to dst.
func (f degrees) powers(dst, x []float64, highest []int) []float64 {
	dst = append(dst, 1)
	for c, n := range highest {
		dst = f.Edges[c].AppendPowers(dst, x[c], n)
	}
	return dst
}

// rows appends q(x) and then p(x) to dst.
func (f degrees) rows(dst, x []float64) []float64 { return f.fixed(f.powers(dst, x, f.Random), x) }

// fixed appends p(x) to dst.
func (f degrees) fixed(dst, x []float64) []float64 {
	dst = f.powers(dst, x, f.Fixed)
	for _, c := range f.Crossings {
		dst = c.appendCells(dst, x)
	}
	return dst
}

// A linear is a linear mixed model: y = βᵀp(x) + bᵀq(x) + ε, with noise ε ~ N(0, σ²). p and q hold 1 and powers
// of the columns of x, and p the cells of crossings. The coefficients β are the same for all groups; those of a group's
// own deviation, b ~ N(0, G), are drawn anew for each.
type linear struct {
	Form   degrees   `json:"form"`
	Beta   []float64 `json:"beta"`   // [p]
	Factor []float64 `json:"factor"` // [q+p, q+p], lower triangular: the Cholesky factor of the covariance of b and of the error of β
	Noise  float64   `json:"noise"`  // σ

	// Outer [q, q], lower triangular, is the Cholesky factor of the covariance of what the groups in an outer group have
	// in common, a part of b; nil without groups in groups.
	Outer []float64 `json:"outer,omitempty"`
}

// check returns errDamaged unless the numbers make a model for dx columns of x.
func (m linear) check(dx int) error {
	f := m.Form
	if len(f.Fixed) != dx || len(f.Random) != dx || len(f.Edges) != dx ||
		slices.ContainsFunc(slices.Concat(f.Fixed, f.Random), func(n int) bool { return n < 0 || n > maxDegree }) {
		return errDamaged
	}
	if checkCrossings(f.Crossings, dx) != nil {
		return errDamaged
	}
	p, q := f.count()
	if m.Outer != nil && sound(lengthOf{m.Outer, q * q}) != nil {
		return errDamaged
	}
	return sound(lengthOf{m.Beta, p}, lengthOf{m.Factor, (p + q) * (p + q)}, lengthOf{[]float64{1 / m.Noise}, 1})
}

// maxDegree is the largest power.
const maxDegree = 9

// prior returns the mean of a new group at x [dx], and appends to dst the numbers v such that the
// group is the mean plus v·u, with a standard normal u: first those of the group alone, then those of β and of the
// outer group.
func (m linear) prior(dst, x []float64) (mean float64, v []float64) {
	p, q := m.Form.count()
	d := p + q
	row := m.Form.rows(make([]float64, 0, d), x)
	v = append(dst, make([]float64, m.size())...)
	own := v[len(dst):]
	transposed(own[:d], m.Factor, row)
	if m.Outer != nil {
		transposed(own[d:], m.Outer, row[:q])
	}
	return dot(m.Beta, row[q:]), v
}

// goesOn is the deviation of the slope of a curve beyond the edges, by that at the edge. Where no data are, the curve may go
// on as its tangent and may end: known points there would tell the level of a group as surely as others, and wrongly.
const goesOn = 0.5

// beyond appends to dst the deviation of the curve of all groups at x [dx] by what it does beyond the edges of each column.
func (m linear) beyond(dst, x []float64) []float64 {
	at := 1 // of the column's powers in β
	for c, n := range m.Form.Fixed {
		e := m.Form.Edges[c]
		here, edge := e.AppendPowers(nil, x[c], n), e.AppendPowers(nil, min(max(x[c], e.Low), e.High), n)
		dst = append(dst, goesOn*(dot(m.Beta[at:][:n], here)-dot(m.Beta[at:][:n], edge)))
		at += n
	}
	return dst
}

// size returns the length of the v of prior.
func (m linear) size() int {
	p, q := m.Form.count()
	if m.Outer != nil {
		return p + 2*q
	}
	return p + q
}

// conditioned is a model given the context of a group.
type conditioned struct {
	linear
	mean []float64 // [size]: of the standardised coefficients
	root []float64 // [size, size], lower triangular: the Cholesky factor of the inverse of their covariance
}

// given returns the model given a context, which may be empty.
func (m linear) given(context points.Points) *conditioned {
	d := m.size()
	s := &conditioned{linear: m, mean: make([]float64, d), root: make([]float64, d*d)}
	for i := range d {
		s.root[i*d+i] = 1
	}
	w := 1 / (m.Noise * m.Noise)
	var row []float64
	for k, v := range context.Y {
		var prior float64
		prior, row = m.prior(row[:0], context.Row(k))
		for i, a := range row {
			s.mean[i] += w * a * (v - prior)
			for j, b := range row[:i+1] {
				s.root[i*d+j] += w * a * b
			}
		}
	}
	factorise(s.root, d)
	forward(s.root, s.mean)
	backward(s.root, s.mean)
	return s
}

// predict returns the mean and the standard deviation of y at x [dx], noise included.
func (s *conditioned) predict(x []float64) (mean, sd float64) {
	mean, row := s.prior(nil, x)
	for i, a := range row {
		mean += a * s.mean[i]
	}
	forward(s.root, row)
	variance := s.Noise * s.Noise
	for _, a := range row {
		variance += a * a
	}
	return mean, math.Sqrt(variance)
}
