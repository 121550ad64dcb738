package config

import (
	"maps"
	"slices"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// defaults returns the default of every key that a choice uses, by key. For the paper's benchmarks
// and models, defaults are the paper's values.
func defaults(c choice) map[string]any {
	b, _ := catalogue.Find(c.benchmark)
	model, r := c.model, b.Rates[c.model]
	d := map[string]any{
		"benchmark":              b.Name,
		"model.name":             model,
		"model.aggregation":      Mean,
		"model.adaptor_form":     Plain,
		"model.scale_form":       PaperScale,
		"train.loss":             defaultLoss(model, c.aggregation),
		"train.levels":           RandomLevels,
		"data.seed":              uint64(43),
		"train.learning_rate":    r.Learning,
		"train.weight_decay":     r.Decay,
		"train.schedule":         Constant,
		"train.seed":             uint64(0),
		"train.log_every":        100,
		"train.checkpoint_every": 5000,
		"train.keep_checkpoints": 2,
		"eval.seed":              uint64(43),
	}
	maps.Copy(d, kindDefaults(b))
	maps.Copy(d, modelDefaults(b))
	maps.Copy(d, b.Settings)
	d["model.sigma_floor"] = SigmaFloor(model)
	if len(b.Files) > 0 {
		d["data.files"] = b.FileNames()
	}
	if model == "bnp" && b.Kind != catalogue.SpeedFlow {
		d["train.schedule"] = Cosine
	}
	if c.aggregates() == Transformer {
		d["model.heads"] = 4
	}
	maps.DeleteFunc(d, func(key string, _ any) bool {
		who, _ := c.unusedBy(key)
		return who != ""
	})
	return d
}

// SigmaFloor returns the paper's lower bound of a model's σ, the default of model.sigma_floor.
func SigmaFloor(model string) float64 {
	if slices.Contains(quantile, model) {
		return 0.01
	}
	return 0.1
}

// defaultLoss returns the default of train.loss: Targets for cnp, cqnp and acqnp with attention or
// a transformer, AllPoints otherwise.
func defaultLoss(model, aggregation string) string {
	if slices.Contains(aggregating, model) && aggregation != "" && aggregation != Mean {
		return Targets
	}
	return AllPoints
}

// kindDefaults returns the values that all benchmarks of a kind share.
func kindDefaults(b catalogue.Benchmark) map[string]any {
	switch b.Kind {
	case catalogue.Images:
		return imageDefaults()
	case catalogue.SpeedFlow:
		return speedFlowDefaults()
	case catalogue.CSV:
		return csvDefaults()
	}
	return syntheticDefaults()
}

// modelDefaults returns the architectures of all models for a benchmark.
func modelDefaults(b catalogue.Benchmark) map[string]any {
	width, depth := 128, 3
	d := map[string]any{
		"model.heads":            8,
		"model.layers":           6,
		"model.feedforward":      128,
		"model.pre_depth":        5,
		"model.post_depth":       3,
		"model.decoder_depth":    5,
		"model.train_bootstraps": 4,
		"model.eval_bootstraps":  50,
	}
	if b.Kind == catalogue.SpeedFlow {
		width, depth = 64, 2
		d["model.pre_depth"], d["model.decoder_depth"] = 4, 4
	}
	d["model.representation"], d["model.width"] = width, width
	d["model.encoder"] = slices.Repeat([]int{width}, depth)
	d["model.adaptor"] = slices.Repeat([]int{width}, b.AdaptorDepth)
	d["model.decoder"] = slices.Repeat([]int{width}, depth)
	d["model.key_encoder"] = []int{width}
	d["model.query_encoder"] = []int{width}
	return d
}

func syntheticDefaults() map[string]any {
	return map[string]any{
		"data.points":      []int{6, 100},
		"data.min_context": 3,
		"data.min_targets": 3,
		"data.interval":    []float64{-2, 2},
		"train.steps":      100000,
		"train.batch_size": 128,
		"train.num_tau":    50,
		"eval.num_tau":     100,
		"eval.batches":     5000,
		"eval.batch_size":  16,
		"eval.num_points":  500,
		"eval.max_context": 100,
	}
}

func speedFlowDefaults() map[string]any {
	return map[string]any{
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

// imageDefaults returns the values of image benchmarks. data.train_limit and data.test_limit stay
// 0, which takes all images. eval.batches is 0, which takes the whole test split.
func imageDefaults() map[string]any {
	return map[string]any{
		"data.min_context": 3,
		"train.epochs":     100,
		"train.batch_size": 16,
		"train.num_tau":    25,
		"eval.num_tau":     50,
		"eval.batches":     0,
		"eval.batch_size":  16,
	}
}

// csvDefaults returns the values of your own data, which are not from the paper. data.file has no
// default. data.points and data.context follow from the files.
func csvDefaults() map[string]any {
	return map[string]any{
		"model.adaptor_form":  Residual,
		"model.scale_form":    NaturalScale,
		"data.x":              []string{"x"},
		"data.y":              []string{"y"},
		"data.split":          "function",
		"data.train_fraction": 0.75,
		"data.valid_fraction": 0.1,
		"data.sizes":          AllSizes,
		"data.scale":          "standard",
		"data.missing":        Refuse,
		"train.steps":         20000,
		"train.batch_size":    16,
		"train.num_tau":       50,
		"eval.num_tau":        100,
		"eval.batches":        0,
		"eval.batch_size":     16,
	}
}
