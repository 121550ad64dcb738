package catalogue

import "math"

// multimodal are the synthetic benchmarks with several values of y for most x.
var multimodal = []Benchmark{
	{
		Name: "double-sine", Printed: "Double Sine", Kind: Synthetic,
		Description: "each point from one of two sine waves: two values for most x",
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {1e-4, 1e-5}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 5,
		Table:        multimodalTable,
		Results: map[string]Result{
			"cnp":   result(-0.195, 0.009, -0.520, 0.019),
			"canp":  result(0.436, 0.236, -1.742, 0.222),
			"bnp":   result(0.330, 0.010, 0.134, 0.017),
			"cqnp":  result(1.448, 0.042, 1.244, 0.049),
			"acqnp": result(1.582, 0.108, 1.349, 0.098),
		},
	},
	{
		Name: "circle", Printed: "Circle", Kind: Synthetic,
		Description: "circles of random size and place: two values for most x",
		Settings:    map[string]any{"data.interval": []float64{-math.Pi, math.Pi}}, // a whole turn
		Rates: map[string]Rate{
			"cnp": {5e-4, 1e-5}, "canp": {1e-4, 1e-5}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 0}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 5,
		Table:        multimodalTable,
		Results: map[string]Result{
			"cnp":   result(-2.086, 0.204, -2.387, 0.216),
			"canp":  result(-0.272, 0.043, -1.685, 0.082),
			"bnp":   result(0.150, 0.010, 0.065, 0.009),
			"cqnp":  result(2.047, 0.076, 1.932, 0.080),
			"acqnp": result(2.118, 0.059, 2.028, 0.057),
		},
	},
	{
		Name: "lissajous", Printed: "Lissajous", Kind: Synthetic,
		Description: "Lissajous curves: several values for most x",
		Settings:    map[string]any{"data.interval": []float64{-math.Pi, math.Pi}}, // a whole turn
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {1e-4, 1e-5}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 5,
		Table:        multimodalTable,
		Results: map[string]Result{
			"cnp":   result(-2.212, 0.146, -2.962, 0.165),
			"canp":  result(-1.112, 0.499, -2.151, 0.248),
			"bnp":   result(-0.314, 0.011, -0.434, 0.010),
			"cqnp":  result(0.798, 0.020, 0.508, 0.021),
			"acqnp": result(0.929, 0.038, 0.634, 0.034),
		},
	},
}
