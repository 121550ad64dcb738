package likelihood

import "math"

// Exp is the distribution of Y = exp(Z), where Z has another distribution. Its density is
// p(y) = p_Z(log y)/y, and 0 at y ≤ 0.
//
// The tail of an asymmetric Laplace distribution with σ ≥ τ is so long that exp(Z) has no finite
// mean, and with those of Student's t it can be a thousand medians. Mean and Variance of a [Mixture] and
// of a [GaussianMixture] with weights, of [Tails], of a [Part] beside it or of a decoder, are therefore
// those of min(Y, q), where q is the quantile of Y at 0.99. Those of other Gaussians are exact.
type Exp struct{ z Distribution }

// ExpOf returns the distribution of exp(Z), where z is that of Z: a [Mixture] or a
// [GaussianMixture].
func ExpOf(z Distribution) Exp { return Exp{z} }

// maxExponent is the logarithm of the largest float64.
const maxExponent = 709.78

// cut is the probability above which Mean and Variance, and CRPS of a Mixture, cut the upper tail.
const cut = 0.99

// cutoff returns the quantile of Z at cut, to 1e-9 of the smallest scale of a component.
func cutoff(z Distribution) float64 { return ApproximateQuantiles(z, cut)[0] }

// LogDensity returns log p(y) = log p_Z(log y) − log y.
func (d Exp) LogDensity(y float64) float64 {
	if !(y > 0) {
		return math.Inf(-1)
	}
	z := math.Log(y)
	return d.z.LogDensity(z) - z
}

// CDF returns P(Y ≤ y).
func (d Exp) CDF(y float64) float64 {
	if !(y > 0) {
		return 0
	}
	return d.z.CDF(math.Log(y))
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (d Exp) Survival(y float64) float64 {
	if !(y > 0) {
		return 1
	}
	return d.z.Survival(math.Log(y))
}

// Quantile returns exp of Z's quantile. It is 0 at p = 0, +Inf at p = 1 and NaN outside [0, 1].
func (d Exp) Quantile(p float64) float64 { return math.Exp(d.z.Quantile(p)) }

// Mean returns E[Y], or E[min(Y, q)] where tails are cut. It is +Inf if that is too large for a float64.
func (d Exp) Mean() float64 { return d.moment(1) }

// Variance returns the variance of Y, or of min(Y, q) where tails are cut. It is +Inf if that is too
// large for a float64.
func (d Exp) Variance() float64 {
	mean, square := d.moment(1), d.moment(2)
	if math.IsInf(square, 1) {
		return square
	}
	if v := square - mean*mean; v > cancelled*square {
		return v
	}
	return mean * mean * d.z.Variance()
}

// cancelled is the ratio of variance to mean square below which their difference is mostly rounding. exp is nearly a
// line over so narrow a distribution.
const cancelled = 1e-8

// Components returns the parts of Z's mixture: μ and σ are those of log y.
func (d Exp) Components() []Component { return d.z.Components() }

// Draw turns two independent numbers into a draw of exp of a [GaussianMixture], as [GaussianMixture.Draw]
// does. It panics for a [Mixture].
func (d Exp) Draw(u, normal float64) float64 { return math.Exp(d.z.(GaussianMixture).Draw(u, normal)) }

// moment returns E[Y^k], or E[min(Y, q)^k] where tails are cut.
func (d Exp) moment(k float64) float64 {
	most := math.Inf(1)
	if g, ok := d.z.(GaussianMixture); !ok || g.weights != nil {
		most = cutoff(d.z)
		if k*most > maxExponent {
			return math.Inf(1) // so are all values above the cut
		}
	}
	switch z := d.z.(type) {
	case Mixture:
		sum := 0.0
		for i, w := range z.weights {
			if w > 0 {
				sum += w * z.components[i].expMoment(k, most)
			}
		}
		return sum
	case GaussianMixture:
		if z.weights != nil {
			return z.average(func(g Gaussian) float64 { return g.expMoment(k, most) })
		}
		return z.average(func(g Gaussian) float64 { return math.Exp(k*g.Mean + k*k*g.Scale*g.Scale/2) })
	}
	return math.NaN()
}

// expMoment returns E[exp(k·min(Z, most))] for k > 0. With A = τ(1−τ)/σ, the density of Z is
// A·exp((1−τ)(z−μ)/σ) up to μ and A·exp(−τ(z−μ)/σ) beyond.
func (l laplace) expMoment(k, most float64) float64 {
	up, down := l.rest/l.Scale, l.tau/l.Scale
	logA := l.logTau + l.logRest - math.Log(l.Scale)
	top := math.Exp(k*most) * l.survival(most)
	e := most - l.Location
	if e <= 0 {
		return math.Exp(logA+k*most+up*e)/(up+k) + top
	}
	// ∫_0^e exp((k−τ/σ)t) dt, which is e if the rate is 0.
	rate, above := k-down, e
	if rate != 0 {
		above = math.Expm1(rate*e) / rate
	}
	return math.Exp(logA+k*l.Location)*(1/(up+k)+above) + top
}

// expMoment returns E[exp(k·min(Z, most))]: exp(kμ + k²σ²/2) Φ((most−μ)/σ − kσ) and what is cut. The first
// two factors can be too large for a float64, and their product not.
func (g Gaussian) expMoment(k, most float64) float64 {
	below := k*g.Mean + k*k*g.Scale*g.Scale/2 + LogNormalCDF((most-g.Mean)/g.Scale-k*g.Scale)
	return math.Exp(below) + math.Exp(k*most)*g.Survival(most)
}

// LogNormalCDF returns log Φ(x) to 1e-9, however far x is below 0.
func LogNormalCDF(x float64) float64 {
	if x > -30 {
		return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
	}
	s := 1 / (x * x)
	return -x*x/2 - math.Log(-x*math.Sqrt(2*math.Pi)) + math.Log1p(-s*(1-s*(3-15*s)))
}
