package catalogue

// groups is a prior over data sets of groups, which the paper does not have. A function is a data set.
var groups = Benchmark{
	Name: "groups", Printed: "Groups", Kind: Groups,
	Description: "invented data sets of groups: for models that read the groups beside a new one",
	MaxPoints:   2048,
	Settings: map[string]any{
		"data.points": []int{64, 512}, "train.batch_size": 8, "train.num_tau": 8,
		"eval.num_points": 384, "eval.batches": 200, "eval.num_tau": 50,
	},
	Rates:        map[string]Rate{"cnp": {1e-3, 0}, "cqnp": {1e-3, 0}, "acqnp": {1e-3, 0}},
	AdaptorDepth: 2,
}
