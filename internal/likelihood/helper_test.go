package likelihood_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// distribution has the methods that the Gaussian, the asymmetric Laplace and its mixture share.
type distribution interface {
	LogDensity(y float64) float64
	CDF(y float64) float64
	Quantile(p float64) float64
}

// probabilities reach far into both tails. Those near 0.5 are where the mixture changes from one
// tail to the other.
var probabilities = []float64{1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.25, 0.4, 0.5 - 1e-9, 0.5, 0.5 + 1e-9, 0.6, 0.75, 0.9, 0.99, 0.999, 1 - 1e-6, 1 - 1e-12}

// floor is the lower bound of σ in tests that do not set their own.
const floor = 0.02

// The two forms of the scale.
var (
	paper   = likelihood.SigmaForm{Floor: floor}
	natural = likelihood.SigmaForm{Floor: floor, Natural: true}
)

// gaussianMixture reads a mixture of equal weights from rows [k, 2·dy].
func gaussianMixture(raw []float64, dy, channel int, floor float64) likelihood.GaussianMixture {
	var components []likelihood.Gaussian
	for row := range slices.Chunk(raw, 2*dy) {
		components = append(components, likelihood.NewGaussian(row, dy, channel, floor))
	}
	return likelihood.GaussianMixtureOf(components)
}

// near fails unless got is want within tolerance·max(1, |want|).
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.17g, want %.17g within %g", what, got, want, tolerance)
	}
}

func finite(t *testing.T, what string, values ...float64) {
	t.Helper()
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: %g is not finite", what, v)
		}
	}
}

// integral returns ∫ f over the reals. f has kinks at the given places, varies there on a scale of
// at least `scale`, and is negligible further away than `reach`. The intervals start at a quarter of
// the scale on both sides of every kink and grow with the distance. On each interval a Gauss-Legendre
// rule of 16 points is exact up to rounding.
func integral(f func(float64) float64, kinks []float64, scale, reach float64) float64 {
	var ends []float64
	for _, k := range kinks {
		ends = append(ends, k)
		for d := scale / 4; d < reach; d *= 1.4 {
			ends = append(ends, k-d, k+d)
		}
	}
	slices.Sort(ends)
	sum := 0.0
	for i := 1; i < len(ends); i++ {
		if ends[i] > ends[i-1] {
			sum += quad.Fixed(f, ends[i-1], ends[i], 16, quad.Legendre{}, 0)
		}
	}
	return sum
}

// checkDraws fails if the empirical distribution of draws is further from CDF than
// chance would put it for one of 10⁵ seeds (asymptotically 2·exp(−2·2.47²)). The seeds are fixed,
// so the result is always the same.
func checkDraws(t *testing.T, d distribution, draw func(i uint64) float64) {
	t.Helper()
	draws := make([]float64, 20000)
	for i := range draws {
		draws[i] = draw(uint64(i))
	}
	slices.Sort(draws)
	n, worst := float64(len(draws)), 0.0
	for i, y := range draws {
		p := d.CDF(y)
		worst = max(worst, p-float64(i)/n, float64(i+1)/n-p)
	}
	if bound := 2.47 / math.Sqrt(n); worst > bound {
		t.Errorf("%+v: Kolmogorov-Smirnov distance %g of %g draws, bound %g", d, worst, n, bound)
	}
}

// checkEnds checks quantiles at the ends of [0, 1] and beyond.
func checkEnds(t *testing.T, d distribution) {
	t.Helper()
	if low, high := d.Quantile(0), d.Quantile(1); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("%+v: quantiles %g and %g at 0 and 1", d, low, high)
	}
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		if q := d.Quantile(p); !math.IsNaN(q) {
			t.Errorf("%+v: quantile(%g) = %g, want NaN", d, p, q)
		}
	}
}

// checkMoments compares the integral of the density, the mean and the variance with quadrature, as integral does it.
func checkMoments(t *testing.T, d likelihood.Distribution, kinks []float64, scale, reach, tolerance float64) {
	t.Helper()
	expect := func(f func(float64) float64) float64 {
		return integral(func(y float64) float64 { return f(y) * math.Exp(d.LogDensity(y)) }, kinks, scale, reach)
	}
	mean := expect(func(y float64) float64 { return y })
	near(t, "∫ density", expect(func(float64) float64 { return 1 }), 1, 1e-12)
	near(t, "mean", d.Mean(), mean, tolerance)
	near(t, "variance", d.Variance(), expect(func(y float64) float64 { return (y - mean) * (y - mean) }), tolerance)
}

// raw returns a decoder output for n levels of dy channels, with numbers of the size that occurs in
// training, and the logits of the levels.
func raw(seed uint64, n, dy int) (raw, z []float64) {
	g := random.New(seed, random.Draws)
	raw, z = make([]float64, 3*dy*n), make([]float64, n)
	for i := range raw {
		raw[i] = g.Normal(0, uint64(i))
	}
	for k := range z {
		z[k] = 1.5 * g.Normal(1, uint64(k))
	}
	return raw, z
}

// parts returns the components that raw and z describe for one channel, and their weight logits, by
// the paper's formulas.
func parts(raw, z []float64, dy, channel int) (components []likelihood.AsymmetricLaplace, weights []float64) {
	for k := range z {
		row := raw[3*dy*k:]
		components = append(components, likelihood.AsymmetricLaplace{
			Location: row[channel],
			Scale:    floor + (1-floor)*math.Log(1+math.Exp(row[dy+channel])),
			Logit:    z[k],
		})
		weights = append(weights, row[2*dy+channel])
	}
	return components, weights
}

// naive returns the density of an asymmetric Laplace distribution as the paper writes it.
func naive(d likelihood.AsymmetricLaplace, y float64) float64 {
	tau, e := 1/(1+math.Exp(-d.Logit)), y-d.Location
	return tau * (1 - tau) / d.Scale * math.Exp(-math.Max(tau*e, (tau-1)*e)/d.Scale)
}
