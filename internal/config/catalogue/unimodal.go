package catalogue

// gaussianPoints is the largest number of points of a function from a Gaussian process. The source
// keeps the covariance matrix and its Cholesky factor in float64: 128 MiB each at 4096 points, 763
// MiB each at 10,000. Factoring takes N³/3 multiplications for every function of a batch.
const gaussianPoints = 4096

// unimodal are the synthetic benchmarks with one value of y for each x, apart from noise.
var unimodal = []Benchmark{
	{
		Name: "sawtooth", Printed: "Sawtooth", Kind: Synthetic, Unimodal: true,
		Description: "Fourier series of a sawtooth wave: discontinuous functions of one variable",
		Settings:    map[string]any{"data.harmonics": []int{10, 19}, "data.zero_mean": true},
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {5e-4, 1e-5}, "acqnp": {5e-4, 0},
		},
		AdaptorDepth: 3,
		Table:        unimodalTable,
		Results: map[string]Result{
			"cnp":   result(0.937, 0.023, 0.586, 0.038),
			"canp":  result(1.191, 0.190, 0.341, 0.085),
			"bnp":   result(0.884, 0.038, 0.769, 0.039),
			"cqnp":  result(1.229, 0.031, 0.833, 0.035),
			"acqnp": result(1.386, 0.042, 1.026, 0.039),
		},
	},
	{
		Name: "rbf", Printed: "RBF", Kind: Synthetic, Unimodal: true,
		Description: "Gaussian process with a squared-exponential kernel",
		MaxPoints:   gaussianPoints,
		Settings:    gaussianSettings(),
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 0},
		},
		AdaptorDepth: 5,
		Table:        unimodalTable,
		Results: map[string]Result{
			"cnp":   result(0.837, 0.058, 0.100, 0.023),
			"canp":  result(1.269, 0.083, 0.225, 0.052),
			"bnp":   result(1.121, 0.008, 0.339, 0.009),
			"cqnp":  result(0.947, 0.042, 0.083, 0.037),
			"acqnp": result(1.215, 0.027, 0.254, 0.020),
		},
	},
	{
		Name: "matern52", Printed: "Matérn 5/2", Kind: Synthetic, Unimodal: true,
		Description: "Gaussian process with a Matérn 5/2 kernel",
		MaxPoints:   gaussianPoints,
		Settings:    gaussianSettings(),
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {5e-3, 1e-5}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 4,
		Table:        unimodalTable,
		Results: map[string]Result{
			"cnp":   result(0.626, 0.056, -0.183, 0.013),
			"canp":  result(1.058, 0.382, -0.015, 0.198),
			"bnp":   result(0.879, 0.018, -0.048, 0.018),
			"cqnp":  result(0.515, 0.039, -0.373, 0.041),
			"acqnp": result(0.912, 0.042, -0.117, 0.025),
		},
	},
}

// gaussianSettings returns the parameters of the Gaussian processes: length scale ℓ, amplitude σ
// and the standard deviation of the noise.
func gaussianSettings() map[string]any {
	return map[string]any{"data.length_scale": 0.25, "data.amplitude": 0.75, "data.noise": 0.02, "eval.max_context": 50}
}
