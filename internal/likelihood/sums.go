package likelihood

import (
	"math"

	"github.com/acqnp/acqnp/internal/simd"
)

// sums returns the mixture in the form that simd.LaplaceSums adds up fast. It returns false if a
// parameter is not finite.
func (m Mixture) sums() (simd.LaplaceTerms, bool) {
	terms, sum := simd.NewLaplaceTerms(len(m.components)), 0.0
	for k := range m.components {
		c, w := &m.components[k], m.weights[k]
		rate := 1 / c.Scale
		t := simd.LaplaceTerm{Location: c.Location, Up: c.rest * rate, Down: c.tau * rate, Low: w * c.tau, High: w * c.rest, Whole: w}
		t.Height = t.Low * t.Up
		terms.Set(k, &t)
		sum += 0 * (t.Location + t.Up + t.Down + t.Height)
	}
	return terms, sum == 0 // 0 times a NaN or an infinity is a NaN
}

// Densities returns the density exp(d.LogDensity(y)) at each y, for many y in about a twentieth of the
// time if d is a [Mixture] or its [Exp]. The relative error is that of rounding.
func Densities(d Distribution, ys []float64) []float64 {
	densities := make([]float64, len(ys))
	z, exp := d, false
	if e, ok := d.(Exp); ok {
		z, exp = e.z, true
	}
	m, ok := z.(Mixture)
	var terms simd.LaplaceTerms
	if ok {
		terms, ok = m.sums()
	}
	for i, y := range ys {
		switch {
		case !ok || math.IsInf(y, 0) || math.IsNaN(y):
			densities[i] = math.Exp(d.LogDensity(y))
		case !exp:
			_, densities[i] = simd.LaplaceSums(terms, y)
		case y > 0:
			_, p := simd.LaplaceSums(terms, math.Log(y))
			densities[i] = p / y
		}
	}
	return densities
}
