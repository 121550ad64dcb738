package likelihood

import "math"

// AsymmetricLaplace is the distribution of the paper's equation (1), with the pinball loss ρ_τ(e) =
// max(τe, (τ−1)e):
//
//	AL(y | μ, σ, τ) = τ(1−τ)/σ · exp(−ρ_τ(y−μ)/σ)
//
// Its τ-quantile is μ. A [Mixture] of one component is this distribution.
type AsymmetricLaplace struct {
	Location float64 // μ, in the units of y
	Scale    float64 // σ, in the units of y
	Logit    float64 // z, with τ = sigmoid(z)
}

// laplace is an AsymmetricLaplace with the functions of its logit, which are computed once.
type laplace struct {
	AsymmetricLaplace
	tau, rest               float64 // τ and 1−τ
	logTau, logRest         float64 // their logarithms
	inverseTau, inverseRest float64 // 1/τ = 1 + e⁻ᶻ, 1/(1−τ) = 1 + eᶻ
	difference              float64 // of these two: 2 sinh z
}

// prepare computes the functions of the logit.
func (d AsymmetricLaplace) prepare() laplace {
	size := math.Abs(d.Logit)
	e := math.Exp(-size)
	return d.with(e, math.Log1p(e), math.Exp(size))
}

// with computes the functions of the logit z from e = exp(−|z|), log = log(1 + e) and inverse =
// exp(|z|). τ and its logarithm are Sigmoid and LogSigmoid of z.
func (d AsymmetricLaplace) with(e, log, inverse float64) laplace {
	size := math.Abs(d.Logit)
	l := laplace{d, 1 / (1 + e), e / (1 + e), -log, -(size + log), 1 + e, 1 + inverse, 0}
	switch {
	case size > 21:
		l.difference = inverse
	case size > 0.5:
		l.difference = inverse - 1/inverse
	default:
		l.difference = 2 * math.Sinh(size)
	}
	if d.Logit < 0 {
		l.tau, l.rest, l.logTau, l.logRest = l.rest, l.tau, l.logRest, l.logTau
		l.inverseTau, l.inverseRest, l.difference = l.inverseRest, l.inverseTau, -l.difference
	}
	return l
}

// mean returns μ + σ(1−2τ)/(τ(1−τ)). The fraction equals 1/τ − 1/(1−τ) = −2 sinh z.
func (l laplace) mean() float64 { return l.Location - l.difference*l.Scale }

// variance returns σ²(1−2τ+2τ²)/(τ²(1−τ)²). The fraction equals 1/τ² + 1/(1−τ)². The authors' code
// lacks the square in the denominator.
func (l laplace) variance() float64 {
	a, b := l.Scale*l.inverseTau, l.Scale*l.inverseRest
	return a*a + b*b
}

// slope returns dρ_τ(e)/de, and the derivative from the right at e = 0. ρ_τ(e) equals slope(e)·e.
func (l laplace) slope(e float64) float64 {
	if e < 0 {
		return -l.rest
	}
	return l.tau
}

// logDensity returns log p(y) = log τ + log(1−τ) − log σ − ρ_τ(y−μ)/σ.
func (l laplace) logDensity(y float64) float64 {
	e := y - l.Location
	return l.logTau + l.logRest - math.Log(l.Scale) - l.slope(e)*e/l.Scale
}

// logTail returns the logarithm of the probability of the tail that begins at y and does not
// contain μ, and whether it is the lower tail: log P(Y ≤ y) = log τ + (1−τ)(y−μ)/σ for y ≤ μ, and
// log P(Y > y) = log(1−τ) − τ(y−μ)/σ for y > μ.
func (l laplace) logTail(y float64) (log float64, lower bool) {
	e := (y - l.Location) / l.Scale
	if e <= 0 {
		return l.logTau + l.rest*e, true
	}
	return l.logRest - l.tau*e, false
}

func (l laplace) cdf(y float64) float64 {
	log, lower := l.logTail(y)
	if lower {
		return math.Exp(log)
	}
	return -math.Expm1(log)
}

func (l laplace) survival(y float64) float64 {
	log, lower := l.logTail(y)
	if lower {
		return -math.Expm1(log)
	}
	return math.Exp(log)
}

func (l laplace) quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	if below := math.Log(p) - l.logTau; below <= 0 {
		return l.Location + l.Scale*below/l.rest
	}
	// Next to p = τ, rounding can give the difference the wrong sign. Quantiles would then cross.
	above := math.Min(math.Log1p(-p)-l.logRest, 0)
	return l.Location - l.Scale*above/l.tau
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
