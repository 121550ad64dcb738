package catalogue

// prior is a prior over functions, which the paper does not have. The program's own weights, those of
// package prior, are trained on it.
var prior = Benchmark{
	Name: "prior", Printed: "Prior", Kind: Synthetic,
	Description: "functions of families of many kinds: a prior for small data sets of your own",
	MaxPoints:   4096, // each has 32 words of a random stream
	Settings: map[string]any{
		"data.min_context": 0, "data.interval": []float64{0, 1}, "eval.num_points": 64, "eval.max_context": 50,
	},
	Rates: map[string]Rate{
		"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 0}, "acqnp": {1e-3, 0},
	},
	AdaptorDepth: 3,
}
