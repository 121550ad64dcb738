package likelihood

import "math"

// Squared is the distribution of Y = Z·|Z|, where Z is a mixture of Gaussians: Z is the root of a Y of 0 or more. What
// it has below 0 is for a [Support] to move to 0.
type Squared struct{ z GaussianMixture }

// SquareOf returns the distribution of Z·|Z|, where z is that of Z.
func SquareOf(z GaussianMixture) Squared { return Squared{z} }

func squared(z float64) float64 { return z * math.Abs(z) }

func squareRoot(y float64) float64 { return math.Copysign(math.Sqrt(math.Abs(y)), y) }

// LogDensity returns log p(y) = log p_Z(√y) − log 2√y. It is infinite at 0.
func (d Squared) LogDensity(y float64) float64 {
	z := squareRoot(y)
	return d.z.LogDensity(z) - math.Log(2*math.Abs(z))
}

// CDF returns P(Y ≤ y).
func (d Squared) CDF(y float64) float64 { return d.z.CDF(squareRoot(y)) }

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (d Squared) Survival(y float64) float64 { return d.z.Survival(squareRoot(y)) }

// Quantile returns the square of Z's quantile, with its sign.
func (d Squared) Quantile(p float64) float64 { return squared(d.z.Quantile(p)) }

// Mean returns E[Y].
func (d Squared) Mean() float64 { return d.unbounded().Mean() }

// Variance returns E[(Y−E[Y])²].
func (d Squared) Variance() float64 { return d.unbounded().Variance() }

// CRPS returns the continuous ranked probability score of the outcome y, as [Supported.CRPS] does.
func (d Squared) CRPS(y float64) float64 { return d.unbounded().CRPS(y) }

func (d Squared) unbounded() Supported { return Supported{of: d, low: math.Inf(-1), high: math.Inf(1)} }

// Components returns the Gaussians of √Y.
func (d Squared) Components() []Component {
	all := d.z.Components()
	for i := range all {
		all[i].Root = true
	}
	return all
}

// Draw turns two independent numbers into a draw, as [GaussianMixture.Draw] does.
func (d Squared) Draw(u, normal float64) float64 { return squared(d.z.Draw(u, normal)) }
