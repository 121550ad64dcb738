package likelihood_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// logit returns the logit of a level.
func logit(tau float64) float64 { return math.Log(tau / (1 - tau)) }

// quadratureCRPS returns ∫ (F(t) − 1{y ≤ t})² dt, with kinks at the given places and at y.
func quadratureCRPS(d likelihood.Distribution, y float64, kinks []float64, scale, reach float64) float64 {
	return integral(func(t float64) float64 {
		if t < y {
			return math.Pow(d.CDF(t), 2)
		}
		return math.Pow(d.Survival(t), 2)
	}, append(slices.Clone(kinks), y), scale, reach)
}

// The intervals of the quadrature begin at a quarter of the smallest scale, so that it is exact up to
// thousands of rounding errors of 1e-16.
func TestCRPSEqualsQuadrature(t *testing.T) {
	for seed := range uint64(2) {
		raw, z := raw(seed, 6, 1)
		components, _ := parts(raw, z, 1, 0)
		var kinks []float64
		scale, reach := math.Inf(1), 0.0
		for _, c := range components {
			kinks, scale, reach = append(kinks, c.Location), min(scale, c.Scale), max(reach, 2*spread(c))
		}
		mixture := likelihood.NewMixture(raw, z, 1, 0, paper)
		gaussians := gaussianMixture(raw[:12], 1, 0, floor)
		for _, c := range gaussians.Components() {
			kinks, scale = append(kinks, c.Mu), min(scale, c.Sigma)
		}
		for _, y := range []float64{-6, -1, 0.1, 0.8, 5} {
			near(t, "CRPS", mixture.CRPS(y), quadratureCRPS(mixture, y, kinks, scale, reach+20), 1e-11)
			near(t, "CRPS of Gaussians", gaussians.CRPS(y), quadratureCRPS(gaussians, y, kinks, scale, reach+20), 1e-11)
		}
	}
}

// The closed forms that the package scoringRules of R uses: Jordan, Krüger, Lerch, "Evaluating
// probabilistic forecasts with scoringRules" (2019), appendix A.
func TestCRPSEqualsPublishedFormulas(t *testing.T) {
	normal := distuv.UnitNormal
	for _, y := range []float64{-40, -3, -0.2, 0, 0.7, 2, 1000} {
		// crps_lapl: |z| + exp(−|z|) − 3/4. At τ = ½, AL(μ, σ) is a Laplace distribution of scale 2σ.
		laplace := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: 0.3, Scale: 0.7}}, []float64{0})
		z := math.Abs(y-0.3) / 1.4
		near(t, "Laplace", laplace.CRPS(y), 1.4*(z+math.Exp(-z)-0.75), 1e-13)
		const tau, sigma = 0.2, 0.5
		skewed := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: 0.3, Scale: sigma, Logit: logit(tau)}}, []float64{0})
		near(t, "asymmetric Laplace", skewed.CRPS(y), asymmetricLaplaceCRPS(0.3, sigma, tau, y), 1e-13)
		// crps_norm: z(2Φ(z)−1) + 2φ(z) − 1/√π.
		g := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0.3, Scale: 2}})
		z = (y - 0.3) / 2
		near(t, "normal", g.CRPS(y), 2*(z*(2*normal.CDF(z)-1)+2*normal.Prob(z)-1/math.Sqrt(math.Pi)), 1e-13)
		// crps_mixnorm: Σ w A(y−m, s²) − ½ΣΣ ww A(m−m', s²+s'²), A(m, s²) = 2sφ(m/s) + m(2Φ(m/s)−1).
		a := func(m, s float64) float64 { return 2*s*normal.Prob(m/s) + m*(2*normal.CDF(m/s)-1) }
		two := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: -1, Scale: 0.5}, {Mean: 2, Scale: 1.2}})
		within := (a(0, 0.5*math.Sqrt2) + a(0, 1.2*math.Sqrt2)) / 8
		near(t, "mixture of normals", two.CRPS(y), (a(y+1, 0.5)+a(y-2, 1.2))/2-within-a(3, 1.3)/4, 1e-13)
		// crps_lnorm: y(2Φ(ω)−1) − 2exp(m+s²/2)(Φ(ω−s) + Φ(s/√2) − 1), ω = (log y − m)/s.
		if y > 0 {
			w := (math.Log(y) - 0.3) / 0.8
			want := y*(2*normal.CDF(w)-1) - 2*math.Exp(0.3+0.32)*(normal.CDF(w-0.8)+normal.CDF(0.8/math.Sqrt2)-1)
			log := likelihood.ExpOf(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0.3, Scale: 0.8}}))
			near(t, "log-normal", log.CRPS(y), want, 1e-12)
		}
	}
}

// asymmetricLaplaceCRPS integrates F² below y and (1−F)² above it by hand.
func asymmetricLaplaceCRPS(mu, sigma, tau, y float64) float64 {
	if y < mu { // the mirror image
		mu, y, tau = -mu, -y, 1-tau
	}
	a, b, e := (1-tau)/sigma, tau/sigma, y-mu
	s := math.Exp(-b * e)
	return tau*tau/(2*a) + e - 2*(1-tau)*(1-s)/b + (1-tau)*(1-tau)*(1-s*s)/(2*b) + (1-tau)*(1-tau)*s*s/(2*b)
}

// Components that a hundredth of a level or less tells apart have nearly equal rates and locations;
// those of levels near 0 and 1 have tails 1e12 times as long as others.
func TestCRPSOfExtremeComponents(t *testing.T) {
	al := func(mu, sigma, tau float64) likelihood.AsymmetricLaplace {
		return likelihood.AsymmetricLaplace{Location: mu, Scale: sigma, Logit: logit(tau)}
	}
	// A mixture of equal components is one of them.
	same := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{al(1, 0.3, 0.4), al(1, 0.3, 0.4), al(1, 0.3, 0.4)}, []float64{0, 1, 2})
	// 1e-9 away from being equal: the CRPS changes by about as much.
	nearly := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{al(1, 0.3, 0.4), al(1+1e-10, 0.3, 0.4+1e-10), al(1, 0.3+1e-10, 0.4)}, []float64{0, 1, 2})
	for _, y := range []float64{-5, 0.9, 1, 1.00000001, 3} {
		want := asymmetricLaplaceCRPS(1, 0.3, 0.4, y)
		near(t, "equal components", same.CRPS(y), want, 1e-13)
		near(t, "nearly equal components", nearly.CRPS(y), want, 1e-8)
	}
	// A component of weight 1e-13 and scale 1e12 adds 2·1e-13·∫(1−F)S to the CRPS of the others, about
	// 1e-13 times the distance to y. Differences of expectations would lose it among 0.1.
	one, wide := al(1, 0.3, 0.4), likelihood.AsymmetricLaplace{Location: 1, Scale: 0.3, Logit: math.Log(1e-12)}
	far := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{one, wide}, []float64{0, math.Log(1e-13)})
	for _, y := range []float64{-5, 0.9, 1, 3} {
		near(t, "a faint long tail", far.CRPS(y), asymmetricLaplaceCRPS(1, 0.3, 0.4, y), 1e-11)
	}
	// exp(Z) has quantiles above 1e300 at a scale of 100 or more, and levels far into the tail.
	long := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{al(2, 10, 0.3), al(2, 0.3, 0.01), al(-300, 0.01, 1e-4)}, []float64{0, 1, 2})
	for _, d := range []likelihood.Distribution{saturated(), likelihood.ExpOf(long)} {
		for _, y := range []float64{-1e6, -1, 0, 1e-300, 1, 2, 1e6, 1e250} {
			if c := d.CRPS(y); !(c >= 0) || math.IsInf(c, 0) {
				t.Errorf("CRPS of extreme levels at %g is %g", y, c)
			}
		}
	}
}

func TestCRPSConvertsWithTheUnits(t *testing.T) {
	raw, z := raw(4, 6, 2)
	mixture, gaussians := likelihood.NewMixture(raw, z, 2, 1, paper), gaussianMixture(raw, 2, 1, floor)
	units := likelihood.Units{Factor: 7, Offset: -3}
	for _, y := range []float64{-4, 0, 0.3, 5} {
		near(t, "CRPS", mixture.In(units).CRPS(7*y-3), 7*mixture.CRPS(y), 1e-12)
		near(t, "CRPS of Gaussians", gaussians.In(units).CRPS(7*y-3), 7*gaussians.CRPS(y), 1e-12)
	}
}

// The CRPS of exp(Z) of a mixture is the integral of pinball losses over levels up to 0.99. The
// midpoint rule of 2000 levels has an error of about 1e-5 of the largest loss.
func TestCRPSOfExpIsAnIntegralOfPinballLosses(t *testing.T) {
	for seed := range uint64(2) {
		raw, z := raw(seed, 4, 1)
		d := likelihood.ExpOf(likelihood.NewMixture(raw, z, 1, 0, paper).In(likelihood.Units{Factor: 0.3, Offset: 1}))
		const n = 2000
		var levels, quantiles []float64
		for i := range n {
			levels = append(levels, 0.99*(float64(i)+0.5)/n)
			quantiles = append(quantiles, d.Quantile(levels[i]))
		}
		for _, y := range []float64{-1, 0, 0.2, 2, 4, d.Quantile(0.9895), 2 * d.Quantile(0.99)} {
			sum := 0.0
			for i, q := range quantiles {
				sum += 2 * 0.99 / n * math.Max(levels[i]*(y-q), (levels[i]-1)*(y-q))
			}
			near(t, "CRPS", d.CRPS(y), sum, 1e-4)
		}
	}
}

// In terms of the distribution function, the same score is ∫_0^y F² + ∫_y^q (1−F)² − 0.01² (q−y)
// with q = Q(0.99). That of Gaussians has no q.
func TestCRPSOfExpEqualsQuadrature(t *testing.T) {
	raw, z := raw(7, 4, 1)
	mixture := likelihood.NewMixture(raw, z, 1, 0, paper).In(likelihood.Units{Factor: 0.3, Offset: 1})
	gaussians := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0.5, Scale: 0.4}, {Mean: -1, Scale: 0.7}, {Mean: 0.2, Scale: 0.1}})
	for _, part := range []likelihood.Distribution{mixture, gaussians} {
		d := likelihood.ExpOf(part)
		most, rest := d.Quantile(0.99), 1e-4
		if _, ok := part.(likelihood.GaussianMixture); ok {
			most, rest = math.Inf(1), 0
		}
		var kinks []float64
		for _, c := range part.Components() {
			kinks = append(kinks, c.Mu)
		}
		for _, y := range []float64{-2, 0, 0.01, 0.6, 1.5, 4} {
			want := integrateAbove0(func(u float64) float64 {
				switch {
				case u < y:
					return math.Pow(d.CDF(u), 2)
				case u < most:
					return math.Pow(d.Survival(u), 2)
				}
				return 0
			}, append(kinks, math.Log(math.Max(y, 1e-20)), math.Log(math.Min(most, 1e20))), 50) - math.Min(y, 0)
			if rest > 0 {
				want -= rest * (most - y)
			}
			near(t, "CRPS", d.CRPS(y), want, 1e-9) // 5000 intervals of rounding errors
		}
	}
}

// With σ of log y = 20, E[Y] is e^200 and the CRPS e^97. Quadrature over log t, where (1−F)² t is largest
// at σ²/2.
func TestCRPSOfExpOfWideGaussians(t *testing.T) {
	for _, sigma := range []float64{3, 9, 20} {
		z := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0.3, Scale: sigma}, {Mean: 1, Scale: 0.5}})
		for _, y := range []float64{-1, 0, 0.5, 3, 1e9} {
			at := math.Log(math.Max(y, 1e-300))
			want := integral(func(u float64) float64 {
				off := z.Survival(u)
				if u < at {
					off = z.CDF(u)
				}
				return off * off * math.Exp(u)
			}, []float64{at, 1, sigma * sigma / 2}, 0.5, 500) - math.Min(y, 0)
			near(t, "CRPS", likelihood.ExpOf(z).CRPS(y), want, 1e-8)
		}
	}
}

func TestCRPSOfBrokenOutputsIsNaN(t *testing.T) {
	m := likelihood.NewMixture([]float64{0, 0, math.NaN(), 1, 0, 0}, []float64{0, 1}, 1, 0, paper)
	for _, c := range []float64{m.CRPS(0), likelihood.ExpOf(m).CRPS(1)} {
		if !math.IsNaN(c) {
			t.Errorf("CRPS %g of weights that are NaN", c)
		}
	}
}
