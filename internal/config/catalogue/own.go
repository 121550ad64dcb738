package catalogue

// speedFlow is the benchmark on real traffic data.
var speedFlow = Benchmark{
	Name: "speed-flow", Printed: "Speed-Flow", Kind: SpeedFlow, Table: speedFlowTable,
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
	Rates: byModel([]Rate{{1e-4, 1e-5}, {1e-4, 1e-5}, {5e-4, 1e-5}, {5e-3, 1e-5}, {5e-3, 1e-5}}),
}

// groups is a prior over data sets of groups, which the paper does not have. A group is a data set.
var groups = Benchmark{
	Name: "groups", Printed: "Groups", Kind: Groups,
	Description: "invented data sets of groups: for models that read the groups beside a new one",
	MaxPoints:   2048,
	Settings: map[string]any{
		"data.points": []int{64, 512}, "train.batch_size": 8, "train.num_tau": 8,
		"eval.num_points": 384, "eval.batches": 200, "eval.num_tau": 50, "model.adaptor": []int{128, 128},
	},
	Rates: map[string]Rate{CNP: {1e-3, 0}, CQNP: {1e-3, 0}, ACQNP: {1e-3, 0}},
}

// csv is your own data, which the paper does not have. Its rates are the most frequent ones of the
// paper's tables.
var csv = Benchmark{
	Name: "csv", Printed: "csv", Kind: CSV,
	Description: "your own groups, from CSV files",
	Rates:       byModel([]Rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}),
}

// tasks are what your own simulator draws, from files or from a command, which the paper does not have. Its rates are
// those of csv.
var tasks = Benchmark{
	Name: "tasks", Printed: "tasks", Kind: Tasks,
	Description: "batches of your own simulator, from files or from a command",
	Settings: map[string]any{
		"train.steps": 20000, "eval.batches": 100, "eval.batch_size": 128, "eval.num_points": 100, "eval.max_context": 99,
	},
	Rates: csv.Rates,
}
