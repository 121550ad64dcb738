package simd

import (
	"fmt"
	"math"
)

// LaplaceTerms has the components of a mixture of asymmetric Laplace distributions, as [LaplaceSums]
// reads them: blocks of eight components. Each block has seven rows of eight numbers.
type LaplaceTerms []float64

// A LaplaceTerm is a component. Up to its Location μ, it adds Low·exp(Up·(y−μ)) to the distribution
// function; beyond, it adds Whole − High·exp(−Down·(y−μ)). To the density it adds Height times the
// same exponential.
type LaplaceTerm struct{ Location, Up, Down, Low, High, Whole, Height float64 }

const (
	termLanes = 8
	termBlock = 7 * termLanes
)

// NewLaplaceTerms returns room for n components that add nothing, n > 0.
func NewLaplaceTerms(n int) LaplaceTerms {
	return make(LaplaceTerms, (n+termLanes-1)/termLanes*termBlock)
}

// Set makes t component k. All its numbers must be finite; Up and Down must not be negative.
func (terms LaplaceTerms) Set(k int, t *LaplaceTerm) {
	at := terms[k/termLanes*termBlock+k%termLanes:][:termBlock-termLanes+1]
	at[0], at[termLanes], at[2*termLanes] = t.Location, t.Up, -t.Down
	at[3*termLanes], at[4*termLanes], at[5*termLanes], at[6*termLanes] = t.Low, -t.High, t.Whole, t.Height
}

func (terms LaplaceTerms) check() {
	if len(terms) == 0 || len(terms)%termBlock != 0 {
		panic(fmt.Sprintf("simd: %d numbers of a mixture, want a positive multiple of %d", len(terms), termBlock))
	}
}

// portableLaplaceSums adds as the kernels do: eight sums, which are added by halves.
func portableLaplaceSums(terms LaplaceTerms, y float64) (probability, density float64) {
	var below, dense [termLanes]float64
	for ; len(terms) > 0; terms = terms[termBlock:] {
		for i := range termLanes {
			e := y - terms[i]
			factor, whole := terms[4*termLanes+i], terms[5*termLanes+i]
			if e < 0 {
				factor, whole = terms[3*termLanes+i], 0
			}
			// The product that is not taken is positive.
			p := math.Exp(math.Min(terms[termLanes+i]*e, terms[2*termLanes+i]*e))
			below[i] += whole + float64(factor*p) // float64 keeps the compiler from fusing the two
			dense[i] += float64(terms[6*termLanes+i] * p)
		}
	}
	return total(below), total(dense)
}

func portableLaplaceSlope(terms LaplaceTerms, y float64) (density, derivative float64) {
	var dense, slope [termLanes]float64
	for ; len(terms) > 0; terms = terms[termBlock:] {
		for i := range termLanes {
			e, up, down := y-terms[i], terms[termLanes+i], terms[2*termLanes+i]
			p := float64(terms[6*termLanes+i] * math.Exp(math.Min(up*e, down*e)))
			if e >= 0 {
				up = down
			}
			dense[i] += p
			slope[i] += float64(up * p)
		}
	}
	return total(dense), total(slope)
}

// total adds by halves.
func total(x [termLanes]float64) float64 {
	for half := termLanes / 2; half > 0; half /= 2 {
		for i := range half {
			x[i] += x[i+half]
		}
	}
	return x[0]
}
