package simd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// The sums equal those of plain Go to the rounding of their terms: 1e-14 of the sum of the terms'
// sizes, which are positive but for Whole − High·exp.
func TestLaplaceSums(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(41, 42))
		for _, n := range []int{1, 2, 7, 8, 9, 16, 50, 101} {
			terms := make([]simd.LaplaceTerm, n)
			for k := range terms {
				tau, weight, scale := r.Float64(), r.Float64()/float64(n), math.Exp(3*r.NormFloat64())
				terms[k] = simd.LaplaceTerm{Location: 2 * r.NormFloat64(), Up: (1 - tau) / scale, Down: tau / scale,
					Low: weight * tau, High: weight * (1 - tau), Whole: weight, Height: weight * tau * (1 - tau) / scale}
			}
			mixture := simd.NewLaplaceTerms(n)
			for k := range terms {
				mixture.Set(k, &terms[k])
			}
			for _, y := range []float64{0, terms[0].Location, terms[n-1].Location, 0.3, -1, 4, 1e5, -1e5, 1e300, -1e300} {
				var probability, density, slope, size float64
				for _, c := range terms {
					if e := y - c.Location; e < 0 {
						probability += c.Low * math.Exp(c.Up*e)
						density += c.Height * math.Exp(c.Up*e)
						slope += c.Up * c.Height * math.Exp(c.Up*e)
						size += c.Up * c.Height * math.Exp(c.Up*e)
					} else {
						probability += c.Whole - c.High*math.Exp(-c.Down*e)
						density += c.Height * math.Exp(-c.Down*e)
						slope -= c.Down * c.Height * math.Exp(-c.Down*e)
						size += c.Down * c.Height * math.Exp(-c.Down*e)
					}
				}
				p, d := simd.LaplaceSums(mixture, y)
				if math.Abs(p-probability) > 1e-14 || math.Abs(d-density) > 1e-14*density {
					t.Errorf("%d components at %v: distribution function %v and density %v, want %v and %v", n, y, p, d, probability, density)
				}
				if d, s := simd.LaplaceSlope(mixture, y); math.Abs(d-density) > 1e-14*density || math.Abs(s-slope) > 1e-14*size {
					t.Errorf("%d components at %v: density %v and slope %v, want %v and %v", n, y, d, s, density, slope)
				}
				if y < -10 && math.Abs(p-probability) > 1e-14*probability {
					t.Errorf("%d components at %v: tail %v, want %v", n, y, p, probability)
				}
			}
		}
	})
}
