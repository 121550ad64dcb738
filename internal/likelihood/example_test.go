package likelihood_test

import (
	"fmt"
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// An outcome has two modes. The component of level 0.1 is at the mode −1, that of level 0.9 at the
// mode 1.
func ExampleMixture() {
	logit := func(tau float64) float64 { return math.Log(tau / (1 - tau)) }
	m := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{
		{Location: -1, Scale: 0.02, Logit: logit(0.1)},
		{Location: 1, Scale: 0.02, Logit: logit(0.9)},
	}, []float64{0, 0}) // equal weights

	fmt.Printf("P(Y ≤ 0) = %.2f\n", m.CDF(0))
	for _, y := range []float64{-1, 0, 1} {
		fmt.Printf("log density at %2g: %5.2f\n", y, m.LogDensity(y))
	}
	// Output:
	// P(Y ≤ 0) = 0.50
	// log density at -1:  0.81
	// log density at  0: -3.50
	// log density at  1:  0.81
}

// A decoder states [μ, s, a] for each of two levels. The data are in dollars: 10 times the model's
// y, plus 50.
func ExampleNewMixture() {
	raw := []float32{
		0.2, -2, 1,
		0.9, -1, 0,
	}
	z := []float32{-1, 1} // τ = sigmoid(z)
	m := likelihood.NewMixture(raw, z, 1, 0, likelihood.SigmaForm{Floor: 0.01}).In(likelihood.Units{Factor: 10, Offset: 50})

	for _, c := range m.Components() {
		fmt.Printf("τ %.2f  μ %.1f  σ %.2f  weight %.2f\n", c.Tau, c.Mu, c.Sigma, c.Weight)
	}
	fmt.Printf("mean %.1f\n", m.Mean())
	fmt.Printf("90%% interval %.1f to %.1f\n", m.Quantile(0.05), m.Quantile(0.95))
	// Output:
	// τ 0.27  μ 52.0  σ 1.36  weight 0.73
	// τ 0.73  μ 59.0  σ 3.20  weight 0.27
	// mean 54.2
	// 90% interval 42.4 to 65.8
}

func ExampleGaussian() {
	g := likelihood.NewGaussian([]float64{1.5, -1}, 1, 0, 0.1) // [μ, s], with σ ≥ 0.1
	fmt.Printf("mean %g, standard deviation %.3f\n", g.Mean, g.Scale)
	fmt.Printf("P(Y ≤ 2) = %.3f\n", g.CDF(2))
	// Output:
	// mean 1.5, standard deviation 0.382
	// P(Y ≤ 2) = 0.905
}

// Two of BNP's bootstraps disagree. The mixture covers both.
func ExampleGaussianMixture() {
	m := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: -1, Scale: 0.5}, {Mean: 1, Scale: 0.5}})
	fmt.Printf("mean %g, variance %g\n", m.Mean(), m.Variance())
	fmt.Printf("quantiles %.2f and %.2f\n", m.Quantile(0.1), m.Quantile(0.9))
	// Output:
	// mean 0, variance 1.25
	// quantiles -1.42 and 1.42
}
