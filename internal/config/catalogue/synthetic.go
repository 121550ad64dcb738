package catalogue

import "math"

// gaussianPoints is the largest number of points of a function from a Gaussian process. The source
// keeps the covariance matrix and its Cholesky factor in float64: 128 MiB each at 4096 points, 763
// MiB each at 10,000. Factoring takes N³/3 multiplications for every function of a batch.
const gaussianPoints = 4096

// unimodal are the synthetic benchmarks with one value of y for each x, apart from noise.
var unimodal = []Benchmark{
	{
		Name: "sawtooth", Printed: "Sawtooth", Kind: Synthetic, Unimodal: true,
		Description:  "Fourier series of a sawtooth wave: discontinuous functions of one variable",
		Settings:     map[string]any{"data.harmonics": []int{10, 19}, "data.zero_mean": true},
		Rates:        byModel([]Rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {5e-4, 1e-5}, {5e-4, 0}}),
		AdaptorDepth: 3, Table: unimodalTable,
	},
	{
		Name: "rbf", Printed: "RBF", Kind: Synthetic, Unimodal: true,
		Description:  "Gaussian process with a squared-exponential kernel",
		MaxPoints:    gaussianPoints,
		Settings:     gaussianSettings(),
		Rates:        byModel([]Rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 0}}),
		AdaptorDepth: 5, Table: unimodalTable,
	},
	{
		Name: "matern52", Printed: "Matérn 5/2", Kind: Synthetic, Unimodal: true,
		Description:  "Gaussian process with a Matérn 5/2 kernel",
		MaxPoints:    gaussianPoints,
		Settings:     gaussianSettings(),
		Rates:        byModel([]Rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {5e-3, 1e-5}, {1e-3, 1e-5}}),
		AdaptorDepth: 4, Table: unimodalTable,
	},
}

// gaussianSettings returns the parameters of the Gaussian processes: length scale ℓ, amplitude σ
// and the standard deviation of the noise.
func gaussianSettings() map[string]any {
	return map[string]any{"data.length_scale": 0.25, "data.amplitude": 0.75, "data.noise": 0.02, "eval.max_context": 50}
}

// multimodal are the synthetic benchmarks with several values of y for most x.
var multimodal = []Benchmark{
	{
		Name: "double-sine", Printed: "Double Sine", Kind: Synthetic,
		Description:  "each point from one of two sine waves: two values for most x",
		Rates:        byModel([]Rate{{5e-4, 0}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}),
		AdaptorDepth: 5, Table: multimodalTable,
	},
	{
		Name: "circle", Printed: "Circle", Kind: Synthetic,
		Description:  "circles of random size and place: two values for most x",
		Settings:     map[string]any{"data.interval": []float64{-math.Pi, math.Pi}}, // a whole turn
		Rates:        byModel([]Rate{{5e-4, 1e-5}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 0}, {1e-3, 1e-5}}),
		AdaptorDepth: 5, Table: multimodalTable,
	},
	{
		Name: "lissajous", Printed: "Lissajous", Kind: Synthetic,
		Description:  "Lissajous curves: several values for most x",
		Settings:     map[string]any{"data.interval": []float64{-math.Pi, math.Pi}}, // a whole turn
		Rates:        byModel([]Rate{{5e-4, 0}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}),
		AdaptorDepth: 5, Table: multimodalTable,
	},
}

// transformers are the functions on which transformer neural processes are measured: Hassan et al.
// (ICLR 2026), appendix D.2 for the data and D.5 for the evaluation. Rates are those of csv.
var transformers = []Benchmark{
	{
		Name: "tnp-sawtooth", Printed: "TNP Sawtooth", Kind: Synthetic, Unimodal: true,
		Description:  "noisy sawtooth waves, as for transformer neural processes",
		Settings:     transformerSettings(),
		Rates:        csv.Rates,
		AdaptorDepth: 5,
	},
	{
		Name: "tnp-gp", Printed: "TNP GP", Kind: Synthetic, Unimodal: true,
		Description:  "Gaussian processes of three kernels, as for transformer neural processes",
		MaxPoints:    gaussianPoints,
		Settings:     transformerSettings(),
		Rates:        csv.Rates,
		AdaptorDepth: 5,
	},
}

func transformerSettings() map[string]any {
	return map[string]any{"eval.contexts": []int{8, 16, 32, 64, 128}, "eval.max_context": 128}
}
