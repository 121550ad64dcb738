package likelihood

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Tails are the deviations of Gaussians of equal weights that together have other tails than one,
// relative to its own deviation. nil are the tails of a Gaussian.
type Tails []float64

// tailParts is the number of Gaussians that stand for a Student's t. Five have its density to 5% up
// to three deviations; beyond, their tails are those of the widest, but finite in every moment.
const tailParts = 5

// StudentTails returns the tails of Student's t with df degrees of freedom; nil for a df of 0.
// Student's t is a Gaussian whose variance is df/χ² times σ², with a χ² of df degrees of freedom. So
// the parts have the χ² at its quantiles 10%, 30%, …, 90%.
func StudentTails(df float64) Tails {
	if df == 0 {
		return nil
	}
	tails, chi := make(Tails, tailParts), distuv.ChiSquared{K: df}
	for j := range tails {
		tails[j] = math.Sqrt(df / chi.Quantile((float64(j)+0.5)/tailParts))
	}
	return tails
}

// Tailed returns the mixture with these tails: each Gaussian becomes several of the same mean. It
// returns m itself for nil.
func (m GaussianMixture) Tailed(tails Tails) GaussianMixture {
	if tails == nil {
		return m
	}
	components := make([]Gaussian, 0, len(tails)*len(m.components))
	for _, factor := range tails {
		for _, c := range m.components {
			components = append(components, Gaussian{Mean: c.Mean, Scale: factor * c.Scale})
		}
	}
	return GaussianMixture{components}
}
