package likelihood

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// GaussianFloor is the least standard deviation a decoder can state: σ = 0.1 + 0.9·softplus(s).
const GaussianFloor = 0.1

// Gaussian is the normal distribution; Scale is its standard deviation.
type Gaussian struct{ Mean, Scale float64 }

// NewGaussian is the distribution of one channel of y from the decoder's raw output at one point, in blocks
// [μ_1..μ_dy, s_1..s_dy]; channels count from 0.
func NewGaussian[T Float](raw []T, dy, channel int) Gaussian {
	return Gaussian{
		Mean:  float64(raw[channel]),
		Scale: GaussianFloor + (1-GaussianFloor)*Softplus(float64(raw[dy+channel])),
	}
}

// LogDensity is log p(y).
func (g Gaussian) LogDensity(y float64) float64 {
	e := (y - g.Mean) / g.Scale
	return -0.5*e*e - math.Log(g.Scale) - 0.5*math.Log(2*math.Pi)
}

// CDF is the probability of a value up to y.
func (g Gaussian) CDF(y float64) float64 {
	return 0.5 * math.Erfc((g.Mean-y)/(g.Scale*math.Sqrt2))
}

// Survival is 1 − CDF(y) without its cancellation.
func (g Gaussian) Survival(y float64) float64 {
	return 0.5 * math.Erfc((y-g.Mean)/(g.Scale*math.Sqrt2))
}

// Quantile inverts CDF; ±Inf at p = 1 and 0, NaN outside [0, 1].
func (g Gaussian) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return g.Mean + g.Scale*mathext.NormalQuantile(p)
}

// Draw turns a standard normal number into a draw.
func (g Gaussian) Draw(normal float64) float64 { return g.Mean + g.Scale*normal }
