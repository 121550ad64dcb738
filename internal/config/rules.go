package config

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// A rule says which values a key accepts, whatever the other keys are.
type rule struct {
	expected string
	ok       func(v any) bool // v has the key's type
}

// Filters are the values of data.filter, the filter for resizing.
var Filters = []string{"bilinear", "bicubic", "box"}

// rules has a rule for every key.
var rules = map[string]rule{
	"benchmark":              name(catalogue.Names(nil)),
	"model.name":             name(models),
	"model.representation":   whole(1, maxWidth),
	"model.encoder":          widths,
	"model.adaptor":          widths,
	"model.decoder":          widths,
	"model.adaptor_form":     name([]string{Plain, Residual}),
	"model.aggregation":      name([]string{Mean, Attention, Transformer}),
	"model.layers":           whole(1, maxLayers),
	"model.feedforward":      whole(1, maxWidth),
	"model.key_encoder":      widths,
	"model.query_encoder":    widths,
	"model.heads":            whole(1, 1024),
	"model.width":            whole(1, maxWidth),
	"model.pre_depth":        whole(2, maxLayers),
	"model.post_depth":       whole(2, maxLayers),
	"model.decoder_depth":    whole(2, maxLayers),
	"model.train_bootstraps": whole(1, maxLevels),
	"model.eval_bootstraps":  whole(1, maxLevels),
	"model.head":             name(Heads()),
	"model.parts":            whole(1, 256),
	"model.sigma_floor":      between0And1,
	"model.scale_form":       name([]string{PaperScale, NaturalScale}),
	"model.tail_df":          {"a number from 1 to 1000, or 0 for Gaussian tails", func(v any) bool { d := v.(float64); return d == 0 || 1 <= d && d <= 1000 }},
	"model.sigma_scale":      {"a number from 0.1 to 10", func(v any) bool { s := v.(float64); return s == 0 || 0.1 <= s && s <= 10 }},
	"model.pool_weight":      {"a number from 0 to 0.9", func(v any) bool { w := v.(float64); return 0 <= w && w <= 0.9 }},
	"model.pool_kernel":      kernelWidths,
	"data.seed":              seed,
	"data.points":            wholeRange(1, MaxPoints),
	"data.min_context":       whole(0, MaxPoints),
	"data.min_targets":       whole(1, MaxPoints),
	"data.interval":          realRange,
	"data.harmonics":         wholeRange(1, 10000),
	"data.zero_mean":         {"true or false", func(any) bool { return true }},
	"data.length_scale":      real(minReal, maxReal),
	"data.amplitude":         real(minReal, maxReal),
	"data.noise":             real(minReal, maxReal),
	"data.files":             {"a list of file names below the benchmark's folder in the data directory", localFiles},
	"data.train_fraction":    {"a number above 0 and below 1, or 1 for csv", func(v any) bool { return v.(float64) > 0 && v.(float64) <= 1 }},
	"data.context":           wholeRange(0, maxContext),
	"data.partitions":        whole(1, maxCount),
	"data.flow_range":        realRange,
	"data.train_limit":       whole(0, maxCount),
	"data.test_limit":        whole(0, maxCount),
	"data.resize":            whole(4, 105),
	"data.filter":            name(Filters),
	"data.test_copies":       whole(1, 1000),
	"data.file":              {"the path of a CSV file or of a directory of them", func(v any) bool { return v != "" && clean(v.(string)) }},
	"data.function":          {"the name of a column, or nothing if each file is one function", func(v any) bool { return clean(v.(string)) }},
	"data.x":                 columns,
	"data.y":                 columns,
	"data.split":             name([]string{"function", "point"}),
	"data.split_column":      {"the name of a column, or nothing", func(v any) bool { return clean(v.(string)) }},
	"data.valid_fraction":    between0And1,
	"data.calibration":       whole(0, maxCount),
	"data.sizes":             name([]string{AllSizes, SmallestSize}),
	"data.scale":             name([]string{"standard", "range", "none"}),
	"data.categories":        someColumns,
	"data.log":               someColumns,
	"data.baseline":          baseline,
	"data.missing":           name([]string{Refuse, Drop}),
	"train.steps":            whole(1, maxCount),
	"train.epochs":           whole(1, maxCount),
	"train.batch_size":       whole(1, MaxFunctions),
	"train.num_tau":          whole(1, maxLevels),
	"train.learning_rate":    {"a finite number above 0", func(v any) bool { return v.(float64) > 0 && v.(float64) <= math.MaxFloat32 }},
	"train.weight_decay":     {"a finite number, 0 or above", func(v any) bool { return v.(float64) >= 0 && v.(float64) <= math.MaxFloat32 }},
	"train.schedule":         name([]string{Constant, Cosine, Plateau}),
	"train.levels":           name([]string{RandomLevels, StratifiedLevels}),
	"train.loss":             name([]string{AllPoints, Targets}),
	"train.seed":             seed,
	"train.members":          whole(1, MaxMembers),
	"train.average":          whole(0, maxCount),
	"train.weights":          name([]string{PriorWeights}),
	"train.log_every":        whole(1, maxCount),
	"train.checkpoint_every": whole(1, maxCount),
	"train.keep_checkpoints": whole(0, maxCount),
	"train.validate_every":   whole(0, maxCount),
	"train.patience":         whole(0, maxCount),
	"eval.num_tau":           whole(1, maxLevels),
	"eval.batches":           whole(0, maxCount),
	"eval.batch_size":        whole(1, MaxFunctions),
	"eval.num_points":        whole(1, MaxPoints),
	"eval.max_context":       whole(1, MaxPoints),
	"eval.seed":              seed,
}

// name accepts one of the names.
func name(names []string) rule {
	return rule{oneOf(names), func(v any) bool { return slices.Contains(names, v.(string)) }}
}

// seed accepts every uint64: the type already excludes everything else.
var seed = rule{"a whole number from 0 to 18446744073709551615", func(any) bool { return true }}

// whole accepts whole numbers from low to high.
func whole(low, high int) rule {
	return rule{fmt.Sprintf("a whole number from %d to %d", low, high), func(v any) bool {
		return low <= v.(int) && v.(int) <= high
	}}
}

// wholeRange accepts [LOW, HIGH] with whole numbers from low to high.
func wholeRange(low, high int) rule {
	expected := fmt.Sprintf("[LOW, HIGH], whole numbers from %d to %d with LOW ≤ HIGH", low, high)
	return rule{expected, func(v any) bool {
		r := v.([]int)
		return len(r) == 2 && low <= r[0] && r[0] <= r[1] && r[1] <= high
	}}
}

// baseline accepts the degrees of a mixed model, or none.
var baseline = rule{
	"[FIXED, RANDOM], the degrees of a linear mixed model: 0 to 5 and 0 to 2, FIXED ≥ RANDOM; or nothing",
	func(v any) bool {
		d := v.([]int)
		return len(d) == 0 || len(d) == 2 && d[0] <= 5 && d[1] <= min(d[0], 2) && d[1] >= 0
	},
}

// widths accepts the widths of one or more hidden layers.
var widths = rule{
	fmt.Sprintf("the widths of 1 to %d hidden layers, whole numbers from 1 to %d", maxLayers, maxWidth),
	func(v any) bool {
		w := v.([]int)
		return 1 <= len(w) && len(w) <= maxLayers && slices.Min(w) >= 1 && slices.Max(w) <= maxWidth
	},
}

// between0And1 accepts numbers above 0 and below 1.
var between0And1 = rule{"a number above 0 and below 1", func(v any) bool { return v.(float64) > 0 && v.(float64) < 1 }}

// real accepts numbers from low to high.
func real(low, high float64) rule {
	return rule{fmt.Sprintf("a number from %g to %g", low, high), func(v any) bool {
		return low <= v.(float64) && v.(float64) <= high // false for NaN
	}}
}

// realRange accepts [LOW, HIGH] with LOW below HIGH.
var realRange = rule{
	fmt.Sprintf("[LOW, HIGH], numbers from %g to %g with LOW < HIGH", -maxReal, maxReal),
	func(v any) bool {
		r := v.([]float64)
		return len(r) == 2 && -maxReal <= r[0] && r[0] < r[1] && r[1] <= maxReal
	},
}

// kernelWidths accepts the widths of a kernel in x and in y, or none.
var kernelWidths = rule{
	fmt.Sprintf("[WIDTH OF X, WIDTH OF Y], numbers from %g to %g, or nothing", minReal, maxReal),
	func(v any) bool {
		w := v.([]float64)
		ok := func(width float64) bool { return minReal <= width && width <= maxReal }
		return len(w) == 0 || len(w) == 2 && ok(w[0]) && ok(w[1])
	},
}

// localFiles accepts names that stay inside the data directory. The relations check how many there
// are.
func localFiles(v any) bool {
	files := v.([]string)
	for _, f := range files {
		if !filepath.IsLocal(f) || !clean(f) {
			return false
		}
	}
	return len(files) > 0
}

// columns accepts one or more names of columns of a CSV file.
var columns = rule{
	fmt.Sprintf("the names of 1 to %d columns, each once", maxColumns),
	func(v any) bool {
		n := len(v.([]string))
		return 1 <= n && n <= maxColumns && distinctNames(v.([]string))
	},
}

// someColumns accepts any number of names of columns of a CSV file, none included.
var someColumns = rule{
	fmt.Sprintf("the names of 0 to %d columns, each once", 2*maxColumns),
	func(v any) bool { return distinctNames(v.([]string)) },
}

// distinctNames reports whether names can be those of different columns.
func distinctNames(names []string) bool {
	for i, n := range names {
		if n == "" || !clean(n) || slices.Contains(names[:i], n) {
			return false
		}
	}
	return len(names) <= 2*maxColumns
}

// clean reports whether s has no zero byte, which file names cannot have.
func clean(s string) bool { return !strings.ContainsRune(s, 0) }
