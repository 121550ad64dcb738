// Package likelihood computes the predictive distributions of the models in float64. Every faster
// implementation is tested against it, and predictions use it. [Densities] and [ApproximateQuantiles]
// are the fast forms of LogDensity and Quantile, for many numbers of one distribution.
//
// A decoder states the parameters of one distribution for each channel of y at each point:
//
//   - CNP and CANP state a [Gaussian], the paper's equation (4). Of CNP,
//     model.head can make it a [GaussianMixture] with weights, or a [Mixture].
//   - BNP states one Gaussian for each of its k bootstraps. They make a [GaussianMixture] with
//     equal weights.
//   - CQNP and ACQNP state an [AsymmetricLaplace] distribution for each of N_τ quantile levels,
//     equation (1), and a weight for each. They make a [Mixture], equation (9).
//
// Both mixtures implement [Distribution]: density, distribution function, quantiles, mean, variance
// and score. [NewMixture] and [NewGaussian] read a decoder's outputs. [Units] converts the result from
// the model's units into those of the data. [HighestDensity] and [Modes] say where a distribution's
// density is high.
//
// Each part of a mixture has a weight, a place, a width and a [Scale]: it is a distribution of y, log y
// or √y. A mixture of Gaussians has parts of y and of one other scale, one of asymmetric Laplace
// distributions is of one scale. A [Support] makes atoms of the bounds of y, or whole numbers of all
// of it. Only Gaussians can have one.
//
// These two are the only kinds of distributions, and no function asks which one it has. What differs
// is in methods of Distribution; some of them are for this package alone, such as the curve of the
// density, in which regions, ranks and modes are searched.
//
// A decoder's output s stands for the scale σ = floor + (1−floor)·softplus(s). The floor is the
// configuration's model.sigma_floor, above 0 and below 1. The [SigmaForm] of a quantile model can take
// the level into σ as well.
//
// # Logits
//
// A level τ is stored as its logit z, τ = sigmoid(z), and the weights as logits a, w = softmax(a).
// Logarithms are computed from the logits, so they keep their digits where τ is near 0 or 1 or a
// weight is near 0. All results are finite for logits z and a up to ±100, every scale from its
// floor up, and |y−μ| up to 1e6.
package likelihood

// Distribution is the predictive distribution of one channel of y at one point.
type Distribution interface {
	// LogDensity returns log p(y), or log P(Y = y) at an atom and for whole numbers.
	LogDensity(y float64) float64
	// CDF returns P(Y ≤ y).
	CDF(y float64) float64
	// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
	Survival(y float64) float64
	// Quantile returns the smallest float64 y with CDF(y) ≥ p: at p = 0 and p = 1 the least and the
	// greatest value, which may be infinite. It is NaN outside [0, 1].
	Quantile(p float64) float64
	// Mean returns E[Y], in the units of y.
	Mean() float64
	// Variance returns E[(Y−E[Y])²], in the squared units of y.
	Variance() float64
	// CRPS returns the continuous ranked probability score of the outcome y, in the units of y: a
	// distance between the distribution and y, 0 at best. It is finite.
	CRPS(y float64) float64
	// Components returns the parts of the mixture, in the order of the decoder's outputs.
	Components() []Component
	// HasLevels reports whether the parts are asymmetric Laplace distributions, of quantile levels.
	HasLevels() bool
	// Draw turns two independent numbers into a draw. The first, uniform on [0, 1), picks the part; the second, uniform
	// too if the parts have levels and otherwise standard normal, the value.
	Draw(uniform, second float64) float64
	// Support returns the values that Y can have.
	Support() Support
	kind
}

// A kind is what functions of this package ask of each kind of distribution.
type kind interface {
	on(s Scale) Distribution                          // of the Y that has the distribution on a scale
	real() Distribution                               // of the numbers that the Support makes values of
	densities(ys []float64) []float64                 // as Densities returns them
	quantiles(within float64, ps []float64) []float64 // as ApproximateQuantiles returns them, with another error
	curve() (c curve, ok bool)                        // of the density of real; ok is false if a number is not finite
}

// ExpOf returns the distribution of exp(Z), where z is that of Z.
func ExpOf(z Distribution) Distribution { return z.on(LogY) }

// Component is one part of a mixture. The weights of a mixture sum to 1.
type Component struct {
	Tau    float64 // level τ of an asymmetric Laplace distribution; NaN for a Gaussian
	Mu     float64 // its τ-quantile μ; the mean of a Gaussian
	Sigma  float64 // its scale σ; the standard deviation of a Gaussian
	Weight float64
	Scale  Scale // Mu and Sigma are of y on it
}

// Value returns the y of μ.
func (c Component) Value() float64 { return c.Scale.Value(c.Mu) }

// SigmaForm says how the scale σ of an asymmetric Laplace distribution follows from a decoder's output s
// and the level τ. With scale = Floor + (1−Floor)·softplus(s), σ is
//
//	scale           the paper's form
//	4τ(1−τ)·scale   the natural form
//
// The sides of a distribution are exponentials of the scales σ/(1−τ), below μ, and σ/τ, above it. In
// the paper's form one of them grows without a bound as τ nears 0 or 1. In the natural form both are
// at most 4·scale, and the density at μ is 1/(4·scale), whatever τ is. At τ = ½ both forms are equal.
type SigmaForm struct {
	Floor   float64 // above 0 and below 1
	Natural bool
}

// Units converts a y of the model into the units of the data: Factor·y + Offset, with Factor > 0.
type Units struct{ Factor, Offset float64 }

// location converts a value of y.
func (u Units) location(y float64) float64 { return u.Factor*y + u.Offset }

// scale converts a width, such as a standard deviation.
func (u Units) scale(sigma float64) float64 { return u.Factor * sigma }

// Densities returns the density exp(d.LogDensity(y)) at each y, for many y in about a twentieth of the
// time if d is a [Mixture]. The relative error is that of rounding. With a [Support] it is the density
// beside atoms, and the probability of the nearest whole number.
func Densities(d Distribution, ys []float64) []float64 { return d.densities(ys) }
