package likelihood

import "math"

// A Part is a distribution beside those of a network: a Gaussian beside Gaussians, and a symmetric
// Laplace distribution, which is the asymmetric one of level 1/2, beside those of a [Mixture].
type Part struct{ Mean, Deviation, Weight float64 }

// laplaceScale is the σ of an asymmetric Laplace distribution of level 1/2 and deviation 1, whose
// variance is 8σ².
var laplaceScale = 1 / math.Sqrt(8)

// In returns the part in the units that u converts to.
func (p Part) In(u Units) Part {
	return Part{u.location(p.Mean), u.scale(p.Deviation), p.Weight}
}

// asGaussian and asLaplace return the part's distribution beside Gaussians, and beside a Mixture.
func (p Part) asGaussian() Gaussian { return Gaussian{p.Mean, p.Deviation} }
func (p Part) asLaplace() AsymmetricLaplace {
	return AsymmetricLaplace{Location: p.Mean, Scale: p.Deviation * laplaceScale}
}

// GaussianDensity and LaplaceDensity return the log of the weight times the density of y of Gaussians,
// and of Laplace distributions.
func GaussianDensity(parts []Part, y float64) float64 {
	sum := 0.0
	for _, p := range parts {
		z := (y - p.Mean) / p.Deviation
		sum += p.Weight / p.Deviation * math.Exp(-z*z/2)
	}
	return math.Log(sum / math.Sqrt(2*math.Pi))
}

// LaplaceDensity is that of Laplace distributions; see GaussianDensity.
func LaplaceDensity(parts []Part, y float64) float64 {
	sum := 0.0
	for _, p := range parts {
		sigma := p.Deviation * laplaceScale
		sum += p.Weight / sigma * math.Exp(-math.Abs(y-p.Mean)/(2*sigma))
	}
	return math.Log(sum / 4)
}

// weightOf returns the sum of the weights.
func weightOf(parts []Part) (sum float64) {
	for _, p := range parts {
		sum += p.Weight
	}
	return sum
}

// Beside returns the mixture with the parts after the components, which keep the rest of the weight.
// The sum of the parts' weights is below 1.
func (m GaussianMixture) Beside(parts []Part) GaussianMixture {
	if len(parts) == 0 {
		return m
	}
	var all GaussianMixture
	rest := 1 - weightOf(parts)
	for k, c := range m.components {
		all.components, all.weights = append(all.components, c), append(all.weights, rest*m.weight(k))
	}
	for _, p := range parts {
		all.components, all.weights = append(all.components, p.asGaussian()), append(all.weights, p.Weight)
	}
	return all
}

// Beside returns the mixture with the parts after the components, which keep the rest of the weight.
// The sum of the parts' weights is below 1.
func (m Mixture) Beside(parts []Part) Mixture {
	if len(parts) == 0 {
		return m
	}
	components, logits := make([]laplace, 0, len(m.components)+len(parts)), make([]float64, 0, len(m.components)+len(parts))
	rest := math.Log1p(-weightOf(parts))
	for k, c := range m.components {
		components, logits = append(components, c), append(logits, rest+m.logWeights[k])
	}
	for _, p := range parts {
		components, logits = append(components, p.asLaplace().prepare()), append(logits, math.Log(p.Weight))
	}
	return mixtureOf(components, logits)
}
