package likelihood

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// tailParts is the number of Gaussians that stand for a Student's t. Five have its density to 5% up
// to three deviations; beyond, their tails are those of the widest, but finite in every moment.
const tailParts = 5

// Tailed returns the mixture with the tails of Student's t with df degrees of freedom, or m itself
// for a df of 0. Student's t is a Gaussian whose variance is df/χ² times σ², with a χ² of df degrees
// of freedom. So each Gaussian becomes several of the same mean and equal weights, with the χ² of
// their variances at its quantiles 10%, 30%, …, 90%.
func (m GaussianMixture) Tailed(df float64) GaussianMixture {
	if df == 0 {
		return m
	}
	components := make([]Gaussian, 0, tailParts*len(m.components))
	for _, factor := range tailFactors(df) {
		for _, c := range m.components {
			components = append(components, Gaussian{Mean: c.Mean, Scale: factor * c.Scale})
		}
	}
	return GaussianMixture{components}
}

// tailFactors returns what the deviations of the Gaussians that stand for one are, relative to its own.
func tailFactors(df float64) (factors [tailParts]float64) {
	chi := distuv.ChiSquared{K: df}
	for j := range factors {
		factors[j] = math.Sqrt(df / chi.Quantile((float64(j)+0.5)/tailParts))
	}
	return factors
}
