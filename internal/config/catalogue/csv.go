package catalogue

// csv is your own data, which the paper does not have. Its rates are the most frequent ones of the
// paper's tables.
var csv = Benchmark{
	Name: "csv", Printed: "csv", Kind: CSV,
	Description: "your own functions, from CSV files",
	Rates: map[string]Rate{
		"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5},
	},
	AdaptorDepth: 5,
}
