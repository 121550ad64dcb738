package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// The parts of the distributions on two scales: one with values below 0, one above, near each other.
func ofY() likelihood.GaussianMixture {
	return likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: 1, Scale: 0.8}, {Mean: 3, Scale: 0.3}}, []float64{0, 0.5})
}

func ofLogY() likelihood.GaussianMixture {
	return likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: 0.2, Scale: 0.9}, {Mean: 1, Scale: 0.2}}, []float64{0.2, 0})
}

// onScales returns the mixture of two, the second of a weight.
func onScales(y, other likelihood.GaussianMixture, ofOther float64) likelihood.GaussianMixture {
	return likelihood.MixtureOfMixtures([]likelihood.GaussianMixture{y, other}, []float64{1 - ofOther, ofOther})
}

// reference returns ∫ f over the real line for an f with the given values only between −6 and exp(8).
func reference(f func(float64) float64) float64 {
	sum, step := 0.0, 1e-3
	for y := -6.0; y < 0; y += step { // the midpoint rule
		sum += step * f(y+step/2)
	}
	for z := -14.0; z < 8; z += step {
		y := math.Exp(z + step/2)
		sum += step * y * f(y)
	}
	return sum
}

func TestTwoScalesIsADistributionOfY(t *testing.T) {
	d := onScales(ofY(), ofLogY().On(likelihood.LogY), 0.4)
	p := func(y float64) float64 { return math.Exp(d.LogDensity(y)) }
	near(t, "∫ density", reference(p), 1, 1e-6) // the rule's error
	for _, y := range []float64{-3, -0.1, 0, 0.01, 0.7, 2, 3, 40} {
		want := 0.6*ofY().CDF(y) + 0.4*likelihood.ExpOf(ofLogY()).CDF(y)
		near(t, "CDF", d.CDF(y), want, 1e-15)
		near(t, "survival", d.Survival(y), 1-want, 1e-15)
		if y != 0 { // where the density is not smooth
			const h = 1e-5
			near(t, "dCDF/dy", (d.CDF(y+h)-d.CDF(y-h))/(2*h), p(y), 1e-6)
		}
	}
	for _, q := range probabilities {
		near(t, "CDF of the quantile", min(d.CDF(d.Quantile(q)), 1-d.Survival(d.Quantile(q))), q, 1e-12)
	}
	for i, q := range likelihood.ApproximateQuantiles(d, 0.01, 0.3, 0.5, 0.9) {
		near(t, "approximate quantile", q, d.Quantile([]float64{0.01, 0.3, 0.5, 0.9}[i]), 1e-8)
	}
}

// Mean and variance are those of the parts, where exp is cut at its 0.99 quantile.
func TestTwoScalesMoments(t *testing.T) {
	d := onScales(ofY(), ofLogY().On(likelihood.LogY), 0.4)
	log := likelihood.ExpOf(ofLogY())
	most := log.Quantile(0.99)
	moment := func(k float64) float64 {
		return reference(func(y float64) float64 {
			return 0.6*math.Exp(ofY().LogDensity(y))*math.Pow(y, k) + 0.4*math.Exp(log.LogDensity(y))*math.Pow(min(y, most), k)
		})
	}
	near(t, "mean", d.Mean(), moment(1), 1e-5)
	near(t, "variance", d.Variance(), moment(2)-moment(1)*moment(1), 1e-5)
}

// The score is the integral of pinball losses up to 0.99, and so is that of exp alone.
func TestTwoScalesCRPS(t *testing.T) {
	for _, ofLog := range []float64{0.4, 1} {
		d := onScales(ofY(), ofLogY().On(likelihood.LogY), ofLog)
		const levels = 10_000
		for _, y := range []float64{-5, 0, 0.3, 2.9, 9, 30} {
			want := 0.0
			for i := range levels {
				p := 0.99 * (float64(i) + 0.5) / levels
				e := y - d.Quantile(p)
				want += 2 * max(p*e, (p-1)*e) * 0.99 / levels
			}
			near(t, "CRPS", d.CRPS(y), want, 1e-3) // of the sum, at its lowest levels
		}
	}
	if got, want := onScales(ofY(), ofLogY().On(likelihood.LogY), 0).CRPS(1.3), ofY().CRPS(1.3); got != want {
		t.Errorf("without log y the CRPS is %v, want %v", got, want)
	}
}

// A part of log y that is hardly known has no effect on the score but by its quantiles.
func TestCRPSOfWideLogParts(t *testing.T) {
	wide := likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: 1, Scale: 0.3}, {Mean: 1, Scale: 30}}, []float64{0, -9})
	for name, d := range map[string]likelihood.Distribution{"two scales": onScales(ofY(), wide.On(likelihood.LogY), 0.5), "exp": likelihood.ExpOf(wide)} {
		if c := d.CRPS(2); !(c > 0 && c < 2) {
			t.Errorf("%s: CRPS %v, want one of quantiles from 0 to 4", name, c)
		}
	}
}

// A part of log y whose quantile lies far beyond the other part's takes no digits from the mixture's, which may be
// near the latter.
func TestQuantilesBesideAFarPart(t *testing.T) {
	for _, scale := range []float64{8, 12, 20, 100} {
		log := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0, Scale: scale}})
		d := onScales(ofY(), log.On(likelihood.LogY), 0.1)
		for _, p := range []float64{0.9, 0.95, 0.975, 0.99} {
			q := likelihood.ApproximateQuantiles(d, 0.5, p)[1]
			near(t, "CDF at the quantile", d.CDF(q), p, 1e-8) // the error of q times the density
		}
	}
}

func TestTwoScalesDraws(t *testing.T) {
	d := onScales(ofY(), ofLogY().On(likelihood.LogY), 0.4)
	g := random.New(1, random.Draws)
	checkDraws(t, d, func(i uint64) float64 { return d.Draw(g.Float(0, i), g.Normal(1, i)) })
}

func TestTwoScalesComponents(t *testing.T) {
	sum, logs := 0.0, 0
	for _, c := range onScales(ofY(), ofLogY().On(likelihood.LogY), 0.4).Components() {
		sum += c.Weight
		if c.Scale == likelihood.LogY {
			logs++
		}
	}
	near(t, "weights", sum, 1, 1e-15)
	if logs != 2 {
		t.Errorf("%d components are of log y, want 2", logs)
	}
}
