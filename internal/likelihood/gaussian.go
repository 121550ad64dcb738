package likelihood

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Gaussian is a normal distribution. Mean and Scale, its standard deviation σ, are in the units of
// y.
type Gaussian struct{ Mean, Scale float64 }

// NewGaussian reads the distribution of one channel from a decoder's outputs at one point. raw is
// [2·dy] and holds the blocks [μ_1..μ_dy, s_1..s_dy], with σ = floor + (1−floor)·softplus(s).
// Channels count from 0.
func NewGaussian[T Float](raw []T, dy, channel int, floor float64) Gaussian {
	return Gaussian{
		Mean:  float64(raw[channel]),
		Scale: scaleOf(float64(raw[dy+channel]), floor),
	}
}

// LogDensity returns log p(y).
func (g Gaussian) LogDensity(y float64) float64 {
	e := (y - g.Mean) / g.Scale
	return -0.5*e*e - math.Log(g.Scale) - 0.5*math.Log(2*math.Pi)
}

// CDF returns P(Y ≤ y).
func (g Gaussian) CDF(y float64) float64 {
	z := (g.Mean - y) / (g.Scale * math.Sqrt2)
	if z < -6 { // 1 − 1e-17: the same bits, sooner
		return 1
	}
	return 0.5 * math.Erfc(z)
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (g Gaussian) Survival(y float64) float64 {
	return 0.5 * math.Erfc((y-g.Mean)/(g.Scale*math.Sqrt2))
}

// Quantile returns the inverse of CDF at p. It is −Inf at p = 0, +Inf at p = 1 and NaN outside [0,
// 1].
func (g Gaussian) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return g.Mean + g.Scale*mathext.NormalQuantile(p)
}

// Draw turns a standard normal number into a draw from g.
func (g Gaussian) Draw(normal float64) float64 { return g.Mean + g.Scale*normal }

// between returns E[Z^k; a < Z < b] for k up to 4.
func (g Gaussian) between(k int, a, b float64) float64 {
	if !(a < b) {
		return 0
	}
	alpha, beta := (a-g.Mean)/g.Scale, (b-g.Mean)/g.Scale
	end := func(x float64, power int) float64 { // x^power φ(x)
		if math.IsInf(x, 0) {
			return 0
		}
		return math.Pow(x, float64(power)) * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
	}
	var m [5]float64 // of the standard normal distribution
	if m[0] = g.CDF(b) - g.CDF(a); alpha > 0 {
		m[0] = g.Survival(a) - g.Survival(b)
	}
	m[1] = end(alpha, 0) - end(beta, 0)
	for j := 2; j <= k; j++ {
		m[j] = float64(j-1)*m[j-2] + end(alpha, j-1) - end(beta, j-1)
	}
	sum, binomial := 0.0, 1.0
	for j := range k + 1 {
		sum += binomial * math.Pow(g.Mean, float64(k-j)) * math.Pow(g.Scale, float64(j)) * m[j]
		binomial *= float64(k-j) / float64(j+1)
	}
	return sum
}

// expBetween returns E[exp(kZ); a < Z < b].
func (g Gaussian) expBetween(k, a, b float64) float64 {
	if !(a < b) {
		return 0
	}
	whole := k*g.Mean + k*k*g.Scale*g.Scale/2
	up := func(z float64) float64 {
		if math.IsInf(z, -1) {
			return 0
		}
		return math.Exp(whole + LogNormalCDF((z-g.Mean)/g.Scale-k*g.Scale))
	}
	return up(b) - up(a)
}

// LogNormalCDF returns log Φ(x) to 1e-9, however far x is below 0.
func LogNormalCDF(x float64) float64 {
	if x > -30 {
		return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
	}
	s := 1 / (x * x)
	return -x*x/2 - math.Log(-x*math.Sqrt(2*math.Pi)) + math.Log1p(-s*(1-s*(3-15*s)))
}
