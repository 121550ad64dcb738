package benchmark

// csv is not in the paper. Its rates are those that most of the paper's tables have.
var csv = Benchmark{
	Name: "csv", Printed: "csv", Kind: CSV,
	Description: "your own functions, from CSV files",
	Rates: map[string]Rate{
		"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5},
	},
	AdaptorDepth: 5,
}
