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
