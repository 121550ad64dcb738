package simple

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
)

// A basis holds the functions whose weighted sums are smooth functions of x: 1, each column of x, and for each
// column sines on an interval [−reach, reach] of standardised x. Riutort-Mayol et al. choose these sines
// for a Gaussian process with the squared exponential kernel. A column with two values has no sines.
type basis struct {
	Reach    []float64 `json:"reach"` // [DX]
	Sines    []int     `json:"sines"` // [DX]
	Products []product `json:"products,omitempty"`

	Crossings []crossing `json:"crossings,omitempty"`
}

// sinesOfAll bounds the number of sines, of all columns together, where columns are few.
const sinesOfAll = 48

// newBasis returns a basis for the points of standardised groups, with at most most sines of a column. Its
// intervals reach half as far again as the points.
func newBasis(groups []points.Group, most int) basis {
	dx := groups[0].DX
	b := basis{Reach: make([]float64, dx), Sines: make([]int, dx)}
	wide := 0
	for c := range dx {
		seen := map[float64]bool{}
		for _, g := range groups {
			for _, v := range g.Column(c) {
				b.Reach[c] = max(b.Reach[c], 1.5*math.Abs(v))
				if len(seen) <= most {
					seen[v] = true
				}
			}
		}
		b.Reach[c] = max(b.Reach[c], 1)
		if len(seen) > 2 {
			b.Sines[c] = min(most, 2*len(seen))
			wide++
		}
	}
	for c, n := range b.Sines {
		b.Sines[c] = min(n, max(6, sinesOfAll/max(wide, 1)))
	}
	return b
}

// check returns an error unless the numbers make a basis for dx columns.
func (b basis) check(dx int) error {
	if len(b.Sines) != dx || sound(lengthOf{b.Reach, dx}) != nil {
		return errDamaged
	}
	for c, n := range b.Sines {
		if n < 0 || n > sinesOfAll || !(b.Reach[c] > 0) {
			return errDamaged
		}
	}
	for _, p := range b.Products {
		for i, c := range p.Columns {
			if c < 0 || c >= dx || p.Sines[i] < 0 || p.Sines[i] > b.Sines[c] {
				return errDamaged
			}
		}
	}
	return checkCrossings(b.Crossings, dx)
}

// size returns the number of functions.
func (b basis) size() int {
	n := 1 + len(b.Reach)
	for _, s := range b.Sines {
		n += s
	}
	for _, p := range b.Products {
		n += p.size()
	}
	return n + cellsOf(b.Crossings)
}

// starts returns the places of the sines of each column among the functions, and the place after all.
func (b basis) starts() []int {
	at := 1 + len(b.Reach)
	all := make([]int, 0, len(b.Sines)+1)
	for _, s := range b.Sines {
		all = append(all, at)
		at += s
	}
	return append(all, at)
}

// evaluate returns the functions at points, as [n, size] with at least one row.
func (b basis) evaluate(p points.Points) *mat.Dense {
	dx := len(b.Reach)
	phi, starts := mat.NewDense(max(p.Len(), 1), b.size(), nil), b.starts()
	for i := range p.Len() {
		row := phi.RawRowView(i)
		row[0] = 1
		at := row[1+dx:]
		for c, v := range p.Row(i) {
			row[1+c] = v
			l := b.Reach[c]
			inside := min(max(v, -l), l) // beyond the interval a sine stays at its end, where it is 0
			// sin(jα) by the recurrence of Chebyshev's polynomials.
			s, co := math.Sincos(math.Pi * (inside + l) / (2 * l))
			before, now := 0.0, s/math.Sqrt(l)
			for j := range b.Sines[c] {
				at[j] = now
				before, now = now, 2*co*now-before
			}
			at = at[b.Sines[c]:]
		}
		at = row[starts[dx]:]
		for _, one := range b.Products {
			at = one.fill(at, row, starts)
		}
		at = at[:0]
		for _, one := range b.Crossings {
			at = one.appendCells(at, row[1:])
		}
	}
	return phi
}

// flat is the prior variance of the coefficient of 1. Those of the columns of x have the deviation steepest.
const flat = 100

// A prior is the variances of the coefficients of a basis, and their derivatives by the logarithms of
// spread, wave, ridge and blend. Those of cells are twice the variance, by the deviation of their crossing.
type prior struct {
	variance, bySpread, byWave, byRidge, byBlend []float64

	crossing []int // of the functions behind the others, which are cells
}

// prior returns the prior for functions of deviation spread and length wave, and coefficients of
// columns with two values of deviation ridge. blend is the deviation of products, cells that of each crossing.
func (b basis) prior(spread, wave, ridge, blend float64, cells []float64) prior {
	size, dx := b.size(), len(b.Reach)
	p := prior{make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size), nil}
	p.variance[0] = flat
	at := 1 + dx
	for c, l := range b.Reach {
		p.variance[1+c] = steepest * steepest
		if b.Sines[c] == 0 {
			p.variance[1+c], p.byRidge[1+c] = ridge*ridge, 2*ridge*ridge
		}
		for j := range b.Sines[c] {
			density, e := spectral(j, l, wave)
			v := spread * spread * density
			p.variance[at], p.bySpread[at], p.byWave[at] = v+1e-12, 2*v, (1-e*e)*v
			at++
		}
	}
	for _, one := range b.Products {
		at = one.prior(&p, at, b.Reach, blend, wave)
	}
	for k, c := range b.Crossings {
		for range c.size() {
			p.variance[at], p.crossing = cells[k]*cells[k]+1e-12, append(p.crossing, k)
			at++
		}
	}
	return p
}
