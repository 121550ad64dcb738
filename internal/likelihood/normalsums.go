package likelihood

import (
	"math"

	"github.com/acqnp/acqnp/internal/simd"
)

// normalSums is a [GaussianMixture] laid out for its density and distribution function at many places.
// One goroutine uses it at a time. The slices have a whole number of simd.DoubleLanes; what fills the last
// lanes adds nothing.
type normalSums struct {
	mean, rate, weight []float64 // μ, 1/σ and w of each component
	z, bell            []float64 // of the last place: (y−μ)/σ and exp(−z²/2)
}

// newNormalSums returns the sums of a mixture.
func newNormalSums(m GaussianMixture) *normalSums {
	n := (len(m.components) + simd.DoubleLanes - 1) / simd.DoubleLanes * simd.DoubleLanes
	all := make([]float64, 5*n)
	s := &normalSums{all[:n], all[n : 2*n], all[2*n : 3*n], all[3*n : 4*n], all[4*n:]}
	for k, g := range m.components {
		s.mean[k], s.rate[k], s.weight[k] = g.Mean, 1/g.Scale, m.weight(k)
	}
	return s
}

// at computes z and the bells at y.
func (s *normalSums) at(y float64) {
	for k, m := range s.mean {
		z := (y - m) * s.rate[k]
		s.z[k], s.bell[k] = z, -z*z/2
	}
	simd.Exps(s.bell, s.bell)
}

const rootTwoPi = 2.506628274631000502415765284811

// density returns p(y) and its derivative.
func (s *normalSums) density(y float64) (density, slope float64) {
	s.at(y)
	for k, b := range s.bell {
		p := s.weight[k] * s.rate[k] * b
		density += p
		slope -= p * s.z[k] * s.rate[k]
	}
	return density / rootTwoPi, slope / rootTwoPi
}

// probability returns P(Y ≤ y) and p(y).
func (s *normalSums) probability(y float64) (probability, density float64) {
	s.at(y)
	for k, b := range s.bell {
		density += s.weight[k] * s.rate[k] * b
		tail := b * millsRatio(math.Abs(s.z[k]))
		if s.z[k] > 0 {
			tail = 1 - tail
		}
		probability += s.weight[k] * tail
	}
	return min(probability, 1), density / rootTwoPi // the rounded weights may sum to more than 1
}

// millsRatio returns P(Z > z)·exp(z²/2) for a standard normal Z and z ≥ 0. Its relative error is 1e-14 up to z = 3
// and 3e-9 at most; that of the probability is 2e-16, absolute.
// The rational function is Hart's, algorithm 5666 of "Computer approximations" (1968), as in West, "Better
// approximations to cumulative normal functions" (2005); beyond, it is the continued fraction.
func millsRatio(z float64) float64 {
	if z > 7 {
		return 1 / (rootTwoPi * (z + 1/(z+2/(z+3/(z+4/(z+5/(z+6/(z+7/(z+8/z)))))))))
	}
	n := 220.206867912376 + z*(221.213596169931+z*(112.079291497871+z*(33.912866078383+z*(6.37396220353165+z*(0.700383064443688+z*0.0352624965998911)))))
	d := 440.413735824752 + z*(793.826512519948+z*(637.333633378831+z*(296.564248779674+z*(86.7807322029461+z*(16.064177579207+z*(1.75566716318264+z*0.0883883476483184))))))
	return n / d
}
