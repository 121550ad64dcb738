package likelihood_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

func TestGaussianEqualsTheTextbook(t *testing.T) {
	for _, g := range []likelihood.Gaussian{{0, 1}, {-2, 0.1}, {5, 30}} {
		want := distuv.Normal{Mu: g.Mean, Sigma: g.Scale}
		for _, e := range []float64{-8, -3, -1, 0, 0.5, 2, 8} {
			y := g.Mean + e*g.Scale
			near(t, "log density", g.LogDensity(y), want.LogProb(y), 1e-12)
			near(t, "CDF", g.CDF(y), want.CDF(y), 1e-14)
		}
		for _, p := range probabilities {
			// Both tails keep their digits: relative 1e-9 of the smaller one.
			got := g.Quantile(p)
			tail, lower := 1-p, likelihood.Gaussian{Mean: -g.Mean, Scale: g.Scale}.CDF(-got)
			if p < 0.5 {
				tail, lower = p, g.CDF(got)
			}
			near(t, "tail at the quantile / tail", lower/tail, 1, 1e-9)
		}
		checkEnds(t, g)
		kinks := []float64{g.Mean}
		near(t, "∫ density", integral(func(y float64) float64 { return math.Exp(g.LogDensity(y)) }, kinks, g.Scale, 40*g.Scale), 1, 1e-13)
	}
}

func TestGaussianOfADecoder(t *testing.T) {
	raw := []float32{1, 2, 3, -0.5, 0, 700} // dy = 3
	for channel, scale := range []float64{0.1 + 0.9*math.Log(1+math.Exp(-0.5)), 0.1 + 0.9*math.Ln2, 0.1 + 0.9*700} {
		g := likelihood.NewGaussian(raw, 3, channel, 0.1)
		near(t, "mean", g.Mean, float64(channel+1), 0)
		near(t, "scale", g.Scale, scale, 1e-14)
	}
	for _, floor := range []float64{0.1, 0.003} {
		if g := likelihood.NewGaussian([]float64{0, -1000}, 1, 0, floor); g.Scale != floor {
			t.Errorf("the floor is %g, want %g", g.Scale, floor)
		}
	}
}

func TestGaussianDraws(t *testing.T) {
	d, g := likelihood.Gaussian{Mean: -1, Scale: 2.5}, random.New(7, random.Draws)
	checkDraws(t, d, func(i uint64) float64 { return d.Draw(g.Normal(0, i)) })
}
