package catalogue

// speedFlow is the benchmark on real traffic data.
var speedFlow = Benchmark{
	Name: "speed-flow", Printed: "Speed-Flow", Kind: SpeedFlow,
	Description: "traffic speed by flow on two lanes of a Californian motorway (real data)",
	Files:       []File{{Name: "lane2.csv", Holds: "lane 2"}, {Name: "lane3.csv", Holds: "lane 3"}},
	Published: []File{{
		Name:  "hdrcde.rda",
		Holds: "both lanes",
		URLs: []string{
			"https://raw.githubusercontent.com/robjhyndman/hdrcde/master/data/data.rda",
			"https://raw.githubusercontent.com/cran/hdrcde/master/data/data.rda",
		},
		Starts: "\x1f\x8b", // gzip
	}},
	Rates: map[string]Rate{
		"cnp": {1e-4, 1e-5}, "canp": {1e-4, 1e-5}, "bnp": {5e-4, 1e-5}, "cqnp": {5e-3, 1e-5}, "acqnp": {5e-3, 1e-5},
	},
	AdaptorDepth: 2,
	Table:        speedFlowTable,
	Results: map[string]Result{
		"cnp":   result(0.845, 0.010, 0.719, 0.002),
		"canp":  result(0.887, 0.010, 0.741, 0.014),
		"bnp":   result(0.879, 0.005, 0.720, 0.015),
		"cqnp":  result(1.518, 0.013, 1.495, 0.007),
		"acqnp": result(1.544, 0.001, 1.507, 0.006),
	},
}
