package catalogue

import (
	"math"
	"slices"
)

// gaussianPoints is the largest number of points of a group from a Gaussian process. The source
// keeps the covariance matrix and its Cholesky factor in float64: 128 MiB each at 4096 points, 763
// MiB each at 10,000. Factoring takes N³/3 multiplications for every group of a batch.
const gaussianPoints = 4096

// unimodal are the synthetic benchmarks with one value of y for each x, apart from noise.
var unimodal = []Benchmark{
	{
		Name: "sawtooth", Printed: "Sawtooth", Kind: Synthetic, Unimodal: true, Table: unimodalTable,
		Description: "Fourier series of a sawtooth wave: discontinuous functions of one variable",
		Settings:    map[string]any{"data.harmonics": []int{10, 19}, "data.zero_mean": true, "model.adaptor": []int{128, 128, 128}},
		Rates:       byModel([]Rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {5e-4, 1e-5}, {5e-4, 0}}),
	},
	{
		Name: "rbf", Printed: "RBF", Kind: Synthetic, Unimodal: true, Table: unimodalTable,
		Description: "Gaussian process with a squared-exponential kernel",
		MaxPoints:   gaussianPoints,
		Settings:    gaussianSettings(5),
		Rates:       byModel([]Rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 0}}),
	},
	{
		Name: "matern52", Printed: "Matérn 5/2", Kind: Synthetic, Unimodal: true, Table: unimodalTable,
		Description: "Gaussian process with a Matérn 5/2 kernel",
		MaxPoints:   gaussianPoints,
		Settings:    gaussianSettings(4),
		Rates:       byModel([]Rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {5e-3, 1e-5}, {1e-3, 1e-5}}),
	},
}

// gaussianSettings returns the parameters of the Gaussian processes: length scale ℓ, amplitude σ
// and the standard deviation of the noise. The adaptor has as many layers as depth.
func gaussianSettings(depth int) map[string]any {
	return map[string]any{"data.length_scale": 0.25, "data.amplitude": 0.75, "data.noise": 0.02, "eval.max_context": 50,
		"model.adaptor": slices.Repeat([]int{128}, depth)}
}

// multimodal are the synthetic benchmarks with several values of y for most x.
var multimodal = []Benchmark{
	{
		Name: "double-sine", Printed: "Double Sine", Kind: Synthetic, Table: multimodalTable,
		Description: "each point from one of two sine waves: two values for most x",
		Rates:       byModel([]Rate{{5e-4, 0}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}),
	},
	{
		Name: "circle", Printed: "Circle", Kind: Synthetic, Table: multimodalTable,
		Description: "circles of random size and place: two values for most x",
		Settings:    map[string]any{"data.interval": []float64{-math.Pi, math.Pi}}, // a whole turn
		Rates:       byModel([]Rate{{5e-4, 1e-5}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 0}, {1e-3, 1e-5}}),
	},
	{
		Name: "lissajous", Printed: "Lissajous", Kind: Synthetic, Table: multimodalTable,
		Description: "Lissajous curves: several values for most x",
		Settings:    map[string]any{"data.interval": []float64{-math.Pi, math.Pi}}, // a whole turn
		Rates:       byModel([]Rate{{5e-4, 0}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}),
	},
}

// transformers are the functions on which transformer neural processes are measured: Hassan et al.
// (ICLR 2026), appendix D.2 for the data and D.5 for the evaluation. Rates are those of csv.
var transformers = []Benchmark{
	{
		Name: "tnp-sawtooth", Printed: "TNP Sawtooth", Kind: Synthetic, Unimodal: true,
		Description: "noisy sawtooth waves, as for transformer neural processes",
		Settings:    transformerSettings(),
		Rates:       csv.Rates,
	},
	{
		Name: "tnp-gp", Printed: "TNP GP", Kind: Synthetic, Unimodal: true,
		Description: "Gaussian processes of three kernels, as for transformer neural processes",
		MaxPoints:   gaussianPoints,
		Settings:    transformerSettings(),
		Rates:       csv.Rates,
	},
}

func transformerSettings() map[string]any {
	return map[string]any{"eval.contexts": []int{8, 16, 32, 64, 128}, "eval.max_context": 128}
}
