package config

import (
	"maps"
	"math"
	"slices"
)

// rate is a learning rate and the L2 regulariser λ.
type rate struct{ learning, decay float64 }

// rates are the supplement's hyper-parameter tables, one for each model and group of benchmarks.
var rates = map[string]map[string]rate{
	"sawtooth":    {"cnp": {5e-4, 0}, "cqnp": {5e-4, 1e-5}, "acqnp": {5e-4, 0}},
	"rbf":         {"cnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 0}},
	"matern52":    {"cnp": {5e-4, 0}, "cqnp": {5e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"double-sine": {"cnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"circle":      {"cnp": {5e-4, 1e-5}, "cqnp": {1e-3, 0}, "acqnp": {1e-3, 1e-5}},
	"lissajous":   {"cnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"speed-flow":  {"cnp": {1e-4, 1e-5}, "cqnp": {5e-3, 1e-5}, "acqnp": {5e-3, 1e-5}},
}

// adaptorDepth is the number of hidden layers of ψ, from the supplement's table of ACQNP architectures.
var adaptorDepth = map[string]int{
	"sawtooth": 3, "rbf": 5, "matern52": 4, "double-sine": 5, "circle": 5, "lissajous": 5, "speed-flow": 2,
}

// defaults are the paper's values for a benchmark and a model, by key; keys that the two do not use are absent.
func defaults(benchmark, model string) map[string]any {
	r := rates[benchmark][model]
	d := map[string]any{
		"benchmark":              benchmark,
		"model.name":             model,
		"data.seed":              uint64(43),
		"train.learning_rate":    r.learning,
		"train.weight_decay":     r.decay,
		"train.schedule":         "constant",
		"train.seed":             uint64(0),
		"train.log_every":        100,
		"train.checkpoint_every": 5000,
		"train.keep_checkpoints": 2,
		"eval.seed":              uint64(43),
	}
	width, depth := 128, 3
	if benchmark == "speed-flow" {
		width, depth = 64, 2
		maps.Copy(d, speedFlowDefaults())
	} else {
		maps.Copy(d, syntheticDefaults(benchmark))
	}
	d["model.representation"] = width
	d["model.encoder"] = slices.Repeat([]int{width}, depth)
	d["model.adaptor"] = slices.Repeat([]int{width}, adaptorDepth[benchmark])
	d["model.decoder"] = slices.Repeat([]int{width}, depth)
	maps.DeleteFunc(d, func(key string, _ any) bool { return unusedBy(key, benchmark, model) != "" })
	return d
}

func syntheticDefaults(benchmark string) map[string]any {
	d := map[string]any{
		"data.points":       []int{6, 100},
		"data.min_context":  3,
		"data.min_targets":  3,
		"data.interval":     []float64{-2, 2},
		"data.harmonics":    []int{10, 19},
		"data.zero_mean":    true,
		"data.length_scale": 0.25,
		"data.amplitude":    0.75,
		"data.noise":        0.02,
		"train.steps":       100000,
		"train.batch_size":  128,
		"train.num_tau":     50,
		"eval.num_tau":      100,
		"eval.batches":      5000,
		"eval.batch_size":   16,
		"eval.num_points":   500,
		"eval.max_context":  100,
	}
	switch benchmark {
	case "circle", "lissajous": // a whole turn
		d["data.interval"] = []float64{-math.Pi, math.Pi}
	case "rbf", "matern52":
		d["eval.max_context"] = 50
	}
	return d
}

func speedFlowDefaults() map[string]any {
	return map[string]any{
		"data.files":          []string{"lane2.csv", "lane3.csv"},
		"data.train_fraction": 0.75,
		"data.context":        []int{500, 985},
		"data.partitions":     10000,
		"data.flow_range":     []float64{0, 1},
		"train.steps":         10000,
		"train.batch_size":    2, // both lanes
		"train.num_tau":       100,
		"eval.num_tau":        50,
		"eval.batches":        1,
		"eval.batch_size":     2,
	}
}
