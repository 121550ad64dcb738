// Package mixed fits linear mixed models and predicts with them.
//
// A function has y = βᵀp(x) + bᵀq(x) + ε, with noise ε ~ N(0, σ²). p and q hold 1 and powers of the
// columns of x. The coefficients β are the same for all functions; those of a function's own
// deviation, b ~ N(0, G), are drawn anew for each. [Fit] estimates β, G and σ by restricted maximum
// likelihood. [Model.Given] conditions on the points that are known of a new function.
//
// With few functions, such a model predicts better than a network can learn to. Package datasets
// therefore can standardise y by it, so that a network learns what it misses.
package mixed

import (
	"fmt"
	"math"
	"slices"
)

// Function is the points of a function that a model is fitted to.
type Function struct {
	X  []float64 // [n, dx]
	Y  []float64 // [n]
	DX int

	Weight []float64 // [n]: σ² over the variance of the noise of each point; nil: 1
}

// points returns n.
func (f Function) points() int { return len(f.Y) }

// Form says which powers of the columns of x a model has. Beyond the data, each power goes on as a line: a fifth
// power would soon be larger than anything that the data support.
type Form struct {
	Fixed  []int  `json:"fixed"`  // [dx]: the highest power of each column in p(x)
	Random []int  `json:"random"` // [dx]: in q(x)
	Edges  []Edge `json:"edges"`  // [dx]; nil: all numbers have their powers
}

// An Edge is where the data of a column begin and end.
type Edge struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// EdgesOf returns the edges of the columns of all x [n, dx].
func EdgesOf(dx int, all ...[]float64) []Edge {
	edges := slices.Repeat([]Edge{{math.Inf(1), math.Inf(-1)}}, dx)
	for _, x := range all {
		for i, v := range x {
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

// Everywhere has no edges.
var Everywhere = Edge{math.Inf(-1), math.Inf(1)}

// FormOf returns the form with powers up to the degrees. A column with k different values has at
// most k−1 powers.
func FormOf(functions []Function, fixed, random int) Form {
	dx := functions[0].DX
	x := make([][]float64, len(functions))
	for i, f := range functions {
		x[i] = f.X
	}
	form := Form{make([]int, dx), make([]int, dx), EdgesOf(dx, x...)}
	for c := range dx {
		most := different(functions, c, max(fixed, random)+1) - 1
		form.Fixed[c], form.Random[c] = min(fixed, most), min(random, most)
	}
	return form
}

// different returns how many values column c has, at most the given number.
func different(functions []Function, c, most int) int {
	seen := map[float64]bool{}
	for _, f := range functions {
		for i := c; i < len(f.X); i += f.DX {
			if seen[f.X[i]] = true; len(seen) == most {
				return most
			}
		}
	}
	return len(seen)
}

// count returns the numbers of coefficients β and b.
func (f Form) count() (fixed, random int) {
	fixed, random = 1, 1
	for c := range f.Fixed {
		fixed, random = fixed+f.Fixed[c], random+f.Random[c]
	}
	return fixed, random
}

// powers appends 1 and the powers of x [dx] to dst.
func (f Form) powers(dst, x []float64, highest []int) []float64 {
	dst = append(dst, 1)
	for c, n := range highest {
		e := Everywhere
		if f.Edges != nil {
			e = f.Edges[c]
		}
		dst = e.AppendPowers(dst, x[c], n)
	}
	return dst
}

// Model is a fitted model.
type Model struct {
	Form   Form      `json:"form"`
	Beta   []float64 `json:"beta"`   // [p]
	Factor []float64 `json:"factor"` // [q+p, q+p], lower triangular: the Cholesky factor of the covariance of b and of the error of β
	Noise  float64   `json:"noise"`  // σ
}

// Check returns an error unless the model's numbers make a model for dx columns of x.
func (m Model) Check(dx int) error {
	if len(m.Form.Fixed) != dx || len(m.Form.Random) != dx || m.Form.Edges != nil && len(m.Form.Edges) != dx {
		return fmt.Errorf("powers of %d and %d columns of x, expected %d", len(m.Form.Fixed), len(m.Form.Random), dx)
	}
	for _, n := range slices.Concat(m.Form.Fixed, m.Form.Random) {
		if n < 0 || n > maxDegree {
			return fmt.Errorf("a power of %d, expected 0 to %d", n, maxDegree)
		}
	}
	p, q := m.Form.count()
	if len(m.Beta) != p || len(m.Factor) != (p+q)*(p+q) {
		return fmt.Errorf("%d coefficients and a factor of %d numbers, expected %d and %d", len(m.Beta), len(m.Factor), p, (p+q)*(p+q))
	}
	for _, v := range slices.Concat(m.Beta, m.Factor, []float64{1 / m.Noise}) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a coefficient of %v, expected a finite number, and noise above 0", v)
		}
	}
	return nil
}

// maxDegree is the largest power.
const maxDegree = 9

// Prior returns the mean of a new function at x [dx], and appends to dst the numbers v such that the
// function is the mean plus v·u, with a standard normal u.
func (m Model) Prior(dst, x []float64) (mean float64, v []float64) {
	p, q := m.Form.count()
	d := p + q
	row := m.Form.powers(m.Form.powers(make([]float64, 0, d), x, m.Form.Random), x, m.Form.Fixed)
	for j := range d {
		sum := 0.0
		for i := j; i < d; i++ {
			sum += row[i] * m.Factor[i*d+j]
		}
		dst = append(dst, sum)
	}
	return dot(m.Beta, row[q:]), dst
}

// Posterior is a model given the context of a function.
type Posterior struct {
	model Model
	dim   int       // p + q
	mean  []float64 // [dim]: of the standardised coefficients
	root  []float64 // [dim, dim], lower triangular: the Cholesky factor of the inverse of their covariance

	row, scaled []float64 // [dim], scratch
}

// Given returns the posterior given context points x [n, dx] and y [n]. There may be none.
func (m Model) Given(x, y []float64) *Posterior {
	p, q := m.Form.count()
	d, dx := p+q, len(m.Form.Fixed)
	s := &Posterior{model: m, dim: d, mean: make([]float64, d), root: make([]float64, d*d),
		row: make([]float64, 0, d), scaled: make([]float64, d)}
	for i := range d {
		s.root[i*d+i] = 1
	}
	w := 1 / (m.Noise * m.Noise)
	for k, v := range y {
		s.load(x[k*dx:][:dx])
		r := v - s.fixed()
		for i, a := range s.scaled {
			s.mean[i] += w * a * r
			for j, b := range s.scaled[:i+1] {
				s.root[i*d+j] += w * a * b
			}
		}
	}
	factorise(s.root, d)
	forward(s.root, s.mean)
	backward(s.root, s.mean)
	return s
}

// load sets row to [q(x), p(x)] and scaled to the factor's transpose times that.
func (s *Posterior) load(x []float64) {
	form := s.model.Form
	s.row = form.powers(form.powers(s.row[:0], x, form.Random), x, form.Fixed)
	for j := range s.scaled {
		sum := 0.0
		for i := j; i < s.dim; i++ {
			sum += s.row[i] * s.model.Factor[i*s.dim+j]
		}
		s.scaled[j] = sum
	}
}

// fixed returns βᵀp(x) of the loaded x.
func (s *Posterior) fixed() float64 {
	sum, first := 0.0, s.dim-len(s.model.Beta)
	for i, b := range s.model.Beta {
		sum += b * s.row[first+i]
	}
	return sum
}

// Predict returns the mean and the standard deviation of y at x [dx], noise included.
func (s *Posterior) Predict(x []float64) (mean, sd float64) {
	s.load(x)
	mean = s.fixed()
	for i, a := range s.scaled {
		mean += a * s.mean[i]
	}
	forward(s.root, s.scaled)
	variance := s.model.Noise * s.model.Noise
	for _, a := range s.scaled {
		variance += a * a
	}
	return mean, math.Sqrt(variance)
}
