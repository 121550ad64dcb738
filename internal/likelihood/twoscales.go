package likelihood

import "math"

// TwoScales is a mixture of two distributions of Y, both mixtures of Gaussians: one of Y, and one of
// log Y or √Y. It gives y < 0 only the probability that the first one does.
//
// Mean, Variance and CRPS take the part of log Y as [Exp] does, without its longest tail.
type TwoScales struct {
	parts   [2]Distribution // of Y: a GaussianMixture, and the Exp or the Squared of one
	weights [2]float64
}

// OnScales returns the mixture of the distribution y of Y and another, an [Exp] or a [Squared] of a
// [GaussianMixture]. ofOther is the weight of the latter. It is y itself if ofOther is 0, and the other if it is 1.
func OnScales(y GaussianMixture, other Distribution, ofOther float64) Distribution {
	switch ofOther {
	case 0:
		return y
	case 1:
		return other
	}
	return TwoScales{[2]Distribution{y, other}, [2]float64{1 - ofOther, ofOther}}
}

// average returns the mean of f over the two parts.
func (d TwoScales) average(f func(Distribution) float64) float64 {
	return d.weights[0]*f(d.parts[0]) + d.weights[1]*f(d.parts[1])
}

// LogDensity returns log p(y).
func (d TwoScales) LogDensity(y float64) float64 {
	a, b := math.Log(d.weights[0])+d.parts[0].LogDensity(y), math.Log(d.weights[1])+d.parts[1].LogDensity(y)
	return LogSumExp([]float64{a, b})
}

// CDF returns P(Y ≤ y).
func (d TwoScales) CDF(y float64) float64 {
	return min(d.average(func(p Distribution) float64 { return p.CDF(y) }), 1) // the rounded weights may sum to more than 1
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (d TwoScales) Survival(y float64) float64 {
	return min(d.average(func(p Distribution) float64 { return p.Survival(y) }), 1)
}

// Quantile returns the smallest float64 y with CDF(y) ≥ p. It is −Inf at p = 0, +Inf at p = 1 and
// NaN outside [0, 1].
func (d TwoScales) Quantile(p float64) float64 {
	return mixtureQuantile(d, p, len(d.parts), func(k int) float64 { return d.parts[k].Quantile(p) })
}

// Mean returns the mean of the parts' means.
func (d TwoScales) Mean() float64 { return d.average(Distribution.Mean) }

// Variance returns the mean of the parts' variances plus the variance of their means.
func (d TwoScales) Variance() float64 {
	mean := d.Mean()
	return d.average(func(p Distribution) float64 { return p.Variance() + (p.Mean()-mean)*(p.Mean()-mean) })
}

// CRPS returns the continuous ranked probability score of the outcome y as [Exp.CRPS] defines it, at the
// levels up to 0.99.
func (d TwoScales) CRPS(y float64) float64 { return cutCRPS(d, y) }

// Components returns the Gaussians of both parts, those of log y and of √y marked.
func (d TwoScales) Components() []Component {
	var all []Component
	for k, part := range d.parts {
		for _, c := range part.Components() {
			c.Weight *= d.weights[k]
			c.Log = k == 1 && !c.Root
			all = append(all, c)
		}
	}
	return all
}

// Draw turns two independent numbers into a draw, as [GaussianMixture.Draw] does.
func (d TwoScales) Draw(u, normal float64) float64 {
	if u < d.weights[0] {
		return d.parts[0].(GaussianMixture).Draw(u/d.weights[0], normal)
	}
	other := d.parts[1].(interface {
		Draw(u, normal float64) float64
	})
	return other.Draw(min((u-d.weights[0])/d.weights[1], 1-0x1p-53), normal)
}
