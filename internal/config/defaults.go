package config

import (
	"maps"
	"math"
	"slices"
)

// rate is a learning rate and the L2 regulariser λ.
type rate struct{ learning, decay float64 }

// rates are the supplement's hyper-parameter tables, one for each model and group of benchmarks. csv is in none of them:
// it takes what most of the tables say.
var rates = map[string]map[string]rate{
	"sawtooth":      {"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {5e-4, 1e-5}, "acqnp": {5e-4, 0}},
	"rbf":           {"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 0}},
	"matern52":      {"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {5e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"double-sine":   {"cnp": {5e-4, 0}, "canp": {1e-4, 1e-5}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"circle":        {"cnp": {5e-4, 1e-5}, "canp": {1e-4, 1e-5}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 0}, "acqnp": {1e-3, 1e-5}},
	"lissajous":     {"cnp": {5e-4, 0}, "canp": {1e-4, 1e-5}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"speed-flow":    {"cnp": {1e-4, 1e-5}, "canp": {1e-4, 1e-5}, "bnp": {5e-4, 1e-5}, "cqnp": {5e-3, 1e-5}, "acqnp": {5e-3, 1e-5}},
	"mnist":         {"cnp": {5e-4, 0}, "canp": {5e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {5e-4, 0}, "acqnp": {1e-3, 1e-5}},
	"fashion-mnist": {"cnp": {5e-4, 0}, "canp": {5e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"svhn":          {"cnp": {5e-4, 0}, "canp": {5e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"omniglot":      {"cnp": {5e-4, 0}, "canp": {5e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
	"freyface":      {"cnp": {5e-4, 0}, "canp": {5e-4, 1e-5}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 0}, "acqnp": {1e-3, 1e-5}},
	"csv":           {"cnp": {5e-4, 0}, "canp": {1e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5}},
}

// adaptorDepth is the number of hidden layers of ψ where it is not 5, from the supplement's tables of ACQNP architectures.
var adaptorDepth = map[string]int{"sawtooth": 3, "matern52": 4, "speed-flow": 2}

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
	switch {
	case slices.Contains(images, benchmark):
		maps.Copy(d, imageDefaults(benchmark))
	case benchmark == "speed-flow":
		maps.Copy(d, speedFlowDefaults())
	case benchmark == "csv":
		maps.Copy(d, csvDefaults())
	default:
		maps.Copy(d, syntheticDefaults(benchmark))
	}
	if model == "bnp" && benchmark != "speed-flow" {
		d["train.schedule"] = "cosine"
	}
	maps.Copy(d, modelDefaults(benchmark))
	maps.DeleteFunc(d, func(key string, _ any) bool { return unusedBy(key, benchmark, model) != "" })
	return d
}

// modelDefaults are the architectures of every model for a benchmark.
func modelDefaults(benchmark string) map[string]any {
	width, depth, psi := 128, 3, 5
	if n, ok := adaptorDepth[benchmark]; ok {
		psi = n
	}
	d := map[string]any{
		"model.heads":            8,
		"model.pre_depth":        5,
		"model.post_depth":       3,
		"model.decoder_depth":    5,
		"model.train_bootstraps": 4,
		"model.eval_bootstraps":  50,
	}
	if benchmark == "speed-flow" {
		width, depth = 64, 2
		d["model.pre_depth"], d["model.decoder_depth"] = 4, 4
	}
	d["model.representation"], d["model.width"] = width, width
	d["model.encoder"] = slices.Repeat([]int{width}, depth)
	d["model.adaptor"] = slices.Repeat([]int{width}, psi)
	d["model.decoder"] = slices.Repeat([]int{width}, depth)
	d["model.key_encoder"] = []int{width}
	d["model.query_encoder"] = []int{width}
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

// imageDefaults: data.train_limit and data.test_limit stay 0, all images; eval.batches is 0, all of the test split.
func imageDefaults(benchmark string) map[string]any {
	files := map[string][]string{
		"mnist":         {"train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"},
		"fashion-mnist": {"train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"},
		"svhn":          {"train_32x32.mat", "test_32x32.mat"},
		"omniglot":      {"images_background.zip", "images_evaluation.zip"},
		"freyface":      {"frey_rawface.mat"},
	}
	return map[string]any{
		"data.files":          files[benchmark],
		"data.min_context":    3,
		"data.resize":         32,
		"data.filter":         "bilinear", // as torchvision's Resize does with images, antialiased
		"data.train_fraction": 0.75,
		"data.test_copies":    5,
		"train.epochs":        100,
		"train.batch_size":    16,
		"train.num_tau":       25,
		"eval.num_tau":        50,
		"eval.batches":        0,
		"eval.batch_size":     16,
	}
}

// csvDefaults are ours; data.file has none, and data.points and data.context follow from the files.
func csvDefaults() map[string]any {
	return map[string]any{
		"data.x":              []string{"x"},
		"data.y":              []string{"y"},
		"data.split":          "function",
		"data.train_fraction": 0.75,
		"data.scale":          "standard",
		"train.steps":         20000,
		"train.batch_size":    16,
		"train.num_tau":       50,
		"eval.num_tau":        100,
		"eval.batches":        0,
		"eval.batch_size":     16,
	}
}
