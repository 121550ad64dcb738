package simple

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A basis has the functions that the shared mean of a GP is made of: 1, each column of x, and for
// each column sines on an interval [−reach, reach] of standardised x, as Riutort-Mayol et al. choose
// them for a Gaussian process with the squared exponential kernel.
type basis struct {
	Reach []float64 `json:"reach"` // [DX]
	Sines int       `json:"sines"` // of each column
}

// sinesOfAll bounds the number of sines, of all columns together.
const sinesOfAll = 48

// newBasis returns a basis for the points of standardised groups. Its intervals are half as long
// again as the points reach.
func newBasis(groups []Group) basis {
	dx := groups[0].DX
	b := basis{Reach: make([]float64, dx), Sines: max(6, min(24, sinesOfAll/dx))}
	for _, g := range groups {
		for i, v := range g.X {
			b.Reach[i%dx] = max(b.Reach[i%dx], 1.5*math.Abs(v))
		}
	}
	for c := range b.Reach {
		b.Reach[c] = max(b.Reach[c], 1)
	}
	return b
}

// size returns the number of functions.
func (b basis) size() int { return 1 + len(b.Reach)*(1+b.Sines) }

// at returns the functions at points x [n, DX], as [n, size] with at least one row.
func (b basis) at(x []float64, dx int) *mat.Dense {
	n := len(x) / dx
	phi := mat.NewDense(max(n, 1), b.size(), nil)
	for i := range n {
		row := phi.RawRowView(i)
		row[0] = 1
		for c, v := range x[i*dx:][:dx] {
			row[1+c] = v
			l := b.Reach[c]
			inside := min(max(v, -l), l) // beyond the interval a sine stays at its end, where it is 0
			for j := range b.Sines {
				row[1+dx+c*b.Sines+j] = math.Sin(math.Pi*float64(j+1)*(inside+l)/(2*l)) / math.Sqrt(l)
			}
		}
	}
	return phi
}

// flat is the prior variance of the coefficients of 1 and of the columns of x.
const flat = 100

// prior returns the variances Λ of the coefficients, and their derivatives by the logarithms of
// spread and wave.
func (b basis) prior(h hyper) (lambda, bySpread, byWave []float64) {
	size, dx := b.size(), len(b.Reach)
	lambda, bySpread, byWave = make([]float64, size), make([]float64, size), make([]float64, size)
	for i := range 1 + dx {
		lambda[i] = flat
	}
	for c, l := range b.Reach {
		for j := range b.Sines {
			// The spectral density of the kernel at the frequency of the sine.
			omega := math.Pi * float64(j+1) / (2 * l)
			e := h.Wave * omega
			at := 1 + dx + c*b.Sines + j
			lambda[at] = h.Spread*h.Spread*math.Sqrt(2*math.Pi)*h.Wave*math.Exp(-e*e/2) + 1e-12
			bySpread[at] = 2 * (lambda[at] - 1e-12)
			byWave[at] = (1 - e*e) * (lambda[at] - 1e-12)
		}
	}
	return lambda, bySpread, byWave
}
