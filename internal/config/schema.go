package config

import (
	"reflect"
	"slices"
	"strings"
)

// field is one key of the configuration: a leaf of Experiment.
type field struct {
	key   string       // dotted: train.steps
	typ   reflect.Type // int, uint64, float64, string, bool, or a list of int, float64, string
	index []int        // of the struct field, for reflect
}

// fields lists every key in Experiment's order; sections are the names before the dots. Both come from the struct's
// yaml tags, so that a new field is a new key without a second list to keep.
var fields, sections = listFields()

func listFields() (all []field, names []string) {
	for _, top := range reflect.VisibleFields(reflect.TypeFor[Experiment]()) {
		name := tagName(top)
		if top.Type.Kind() != reflect.Struct {
			all = append(all, field{key: name, typ: top.Type, index: top.Index})
			continue
		}
		names = append(names, name)
		for _, f := range reflect.VisibleFields(top.Type) {
			typ := f.Type
			if typ.Kind() == reflect.Pointer {
				typ = typ.Elem()
			}
			index := slices.Concat(top.Index, f.Index)
			all = append(all, field{key: name + "." + tagName(f), typ: typ, index: index})
		}
	}
	return all, names
}

func tagName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// lookup finds a key.
func lookup(key string) (field, bool) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

// The names a configuration may give, in the order in which they are offered.
var (
	synthetic  = []string{"sawtooth", "rbf", "matern52", "double-sine", "circle", "lissajous"}
	images     = []string{"mnist", "fashion-mnist", "svhn", "omniglot", "freyface"}
	benchmarks = slices.Concat(synthetic, []string{"speed-flow"}, images, []string{"csv"})
	gaussian   = []string{"rbf", "matern52"}
	quantile   = []string{"cqnp", "acqnp"}
	encoding   = slices.Concat([]string{"cnp", "canp"}, quantile) // models that [in]×[hidden…]×[out] describes
	models     = slices.Concat([]string{"cnp", "canp", "bnp"}, quantile)
)

// users names the benchmarks or the models that use a key; keys that are not here serve all of them.
var users = map[string][]string{
	"model.representation":   encoding,
	"model.encoder":          encoding,
	"model.adaptor":          {"acqnp"},
	"model.decoder":          encoding,
	"model.key_encoder":      {"canp"},
	"model.query_encoder":    {"canp"},
	"model.heads":            {"canp"},
	"model.width":            {"bnp"},
	"model.pre_depth":        {"bnp"},
	"model.post_depth":       {"bnp"},
	"model.decoder_depth":    {"bnp"},
	"model.train_bootstraps": {"bnp"},
	"model.eval_bootstraps":  {"bnp"},
	"data.points":            slices.Concat(synthetic, []string{"csv"}),
	"data.min_context":       slices.Concat(synthetic, images),
	"data.min_targets":       synthetic,
	"data.interval":          synthetic,
	"data.harmonics":         {"sawtooth"},
	"data.zero_mean":         {"sawtooth"},
	"data.length_scale":      gaussian,
	"data.amplitude":         gaussian,
	"data.noise":             gaussian,
	"data.files":             slices.Concat([]string{"speed-flow"}, images),
	"data.train_fraction":    {"speed-flow", "freyface", "csv"},
	"data.context":           {"speed-flow", "csv"},
	"data.partitions":        {"speed-flow"},
	"data.flow_range":        {"speed-flow"},
	"data.train_limit":       images,
	"data.test_limit":        images,
	"data.resize":            {"omniglot"},
	"data.filter":            {"omniglot"},
	"data.test_copies":       {"freyface"},
	"data.file":              {"csv"},
	"data.function":          {"csv"},
	"data.x":                 {"csv"},
	"data.y":                 {"csv"},
	"data.split":             {"csv"},
	"data.scale":             {"csv"},
	"train.epochs":           images,
	"train.num_tau":          quantile,
	"eval.num_tau":           quantile,
	"eval.num_points":        synthetic,
	"eval.max_context":       synthetic,
}

// unusedBy says which of the two makes no use of a key: the benchmark, the model, or none ("").
func unusedBy(key, benchmark, model string) string {
	who, special := users[key]
	switch {
	case !special || slices.Contains(who, benchmark) || slices.Contains(who, model):
		return ""
	case slices.Contains(models, who[0]):
		return model
	default:
		return benchmark
	}
}

// oneOf is "a, b or c".
func oneOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
