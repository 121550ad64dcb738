package likelihood

import "math"

// LaplaceFloor is the least scale a decoder can state: σ = 0.01 + 0.99·softplus(s).
const LaplaceFloor = 0.01

// laplaceScale is σ of the raw decoder output s.
func laplaceScale(s float64) float64 { return LaplaceFloor + (1-LaplaceFloor)*Softplus(s) }

// AsymmetricLaplace is the distribution whose log density is log τ + log(1−τ) − log σ − ρ_τ(y−μ)/σ with the pinball
// loss ρ_τ(e) = max(τe, (τ−1)e). Its τ-quantile is Location; Logit is z with τ = sigmoid(z).
type AsymmetricLaplace struct{ Location, Scale, Logit float64 }

// LogDensity is log p(y).
func (d AsymmetricLaplace) LogDensity(y float64) float64 { return d.law().logDensity(y) }

// CDF is the probability of a value up to y.
func (d AsymmetricLaplace) CDF(y float64) float64 { return d.law().cdf(y) }

// Survival is 1 − CDF(y), exact to the last digits where that difference would cancel.
func (d AsymmetricLaplace) Survival(y float64) float64 { return d.law().survival(y) }

// Quantile inverts CDF; ∓Inf at p = 0 and 1, NaN outside [0, 1].
func (d AsymmetricLaplace) Quantile(p float64) float64 { return d.law().quantile(p) }

// Mean is μ + σ(1−2τ)/(τ(1−τ)), where the fraction is 1/τ − 1/(1−τ) = −2 sinh z.
func (d AsymmetricLaplace) Mean() float64 {
	return d.Location - 2*math.Sinh(d.Logit)*d.Scale
}

// Variance is σ²(1−2τ+2τ²)/(τ²(1−τ)²), where the fraction is 1/τ² + 1/(1−τ)². (The authors' code forgets the square
// in the denominator.)
func (d AsymmetricLaplace) Variance() float64 {
	a := d.Scale * (1 + math.Exp(-d.Logit))
	b := d.Scale * (1 + math.Exp(d.Logit))
	return a*a + b*b
}

// Draw turns u, uniform on the multiples of 2⁻²⁴ in [0, 1), into a draw.
func (d AsymmetricLaplace) Draw(u float64) float64 { return d.Quantile(centred(u)) }

// law is an AsymmetricLaplace with the functions of its logit worked out once: τ, 1−τ and their logarithms.
type law struct {
	AsymmetricLaplace
	level, rest       float64
	logLevel, logRest float64
}

func (d AsymmetricLaplace) law() law {
	return law{d, Sigmoid(d.Logit), Sigmoid(-d.Logit), LogSigmoid(d.Logit), LogSigmoid(-d.Logit)}
}

// slope is dρ_τ(e)/de, at e = 0 from the right; ρ_τ(e) is slope(e)·e.
func (l law) slope(e float64) float64 {
	if e < 0 {
		return -l.rest
	}
	return l.level
}

func (l law) logDensity(y float64) float64 {
	e := y - l.Location
	return l.logLevel + l.logRest - math.Log(l.Scale) - l.slope(e)*e/l.Scale
}

// logTail is the logarithm of the probability beyond y on the side of the location where y lies, and whether that is
// the lower side: log P(Y ≤ y) = log τ + (1−τ)(y−μ)/σ for y ≤ μ, log P(Y > y) = log(1−τ) − τ(y−μ)/σ above.
func (l law) logTail(y float64) (log float64, lower bool) {
	e := (y - l.Location) / l.Scale
	if e <= 0 {
		return l.logLevel + l.rest*e, true
	}
	return l.logRest - l.level*e, false
}

func (l law) cdf(y float64) float64 {
	log, lower := l.logTail(y)
	if lower {
		return math.Exp(log)
	}
	return -math.Expm1(log)
}

func (l law) survival(y float64) float64 {
	log, lower := l.logTail(y)
	if lower {
		return -math.Expm1(log)
	}
	return math.Exp(log)
}

func (l law) quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	if below := math.Log(p) - l.logLevel; below <= 0 {
		return l.Location + l.Scale*below/l.rest
	}
	// Next to p = τ rounding can give the difference the wrong sign, which would let quantiles cross.
	above := math.Min(math.Log1p(-p)-l.logRest, 0)
	return l.Location - l.Scale*above/l.level
}
