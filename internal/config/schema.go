package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// A field is a key of the configuration: a leaf of Experiment.
type field struct {
	key   string       // dotted: train.steps
	typ   reflect.Type // int, uint64, float64, string, bool, or a list of int, float64, string
	index []int        // of the struct field, for reflect
}

// fields lists every key in the order of Experiment, and sections the names before the dots. Both
// come from the struct's yaml tags, so a new field is a new key.
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

// lookup returns the field of a key, and whether there is such a key.
func lookup(key string) (field, bool) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

// The models that a configuration may name, in the order of messages.
var (
	quantile    = []string{"cqnp", "acqnp"}
	aggregating = slices.Concat([]string{"cnp"}, quantile)         // they have model.aggregation
	encoding    = slices.Concat([]string{"cnp", "canp"}, quantile) // their widths are [in]×[hidden…]×[out]
	models      = slices.Concat([]string{"cnp", "canp", "bnp"}, quantile)
)

// Models returns the names of the models, in the order of the paper's tables.
func Models() []string { return slices.Clone(models) }

// HasLevels reports whether the model predicts with quantile levels.
func (m Model) HasLevels() bool { return slices.Contains(quantile, m.Name) }

// modelsOf lists the models that use a key. All models use a key without an entry.
var modelsOf = map[string][]string{
	"model.representation":   encoding,
	"model.encoder":          encoding,
	"model.adaptor":          {"acqnp"},
	"model.adaptor_form":     {"acqnp"},
	"model.aggregation":      aggregating,
	"model.decoder":          encoding,
	"model.key_encoder":      encoding,
	"model.query_encoder":    encoding,
	"model.heads":            encoding,
	"model.layers":           aggregating,
	"model.feedforward":      aggregating,
	"model.head":             {"cnp"},
	"model.parts":            {"cnp"},
	"model.scale_form":       quantile,
	"model.tail_df":          {"cnp", "canp"},
	"model.sigma_scale":      {"cnp", "canp"},
	"model.pool_weight":      encoding,
	"model.pool_kernel":      encoding,
	"model.width":            {"bnp"},
	"model.pre_depth":        {"bnp"},
	"model.post_depth":       {"bnp"},
	"model.decoder_depth":    {"bnp"},
	"model.train_bootstraps": {"bnp"},
	"model.eval_bootstraps":  {"bnp"},
	"train.num_tau":          quantile,
	"train.levels":           quantile,
	"train.weights":          {"acqnp"},
	"eval.num_tau":           quantile,
}

// aggregationsOf lists the aggregations that use a key. A key without an entry is used by all.
var aggregationsOf = map[string][]string{
	"model.key_encoder":   {Attention},
	"model.query_encoder": {Attention},
	"model.heads":         {Attention, Transformer},
	"model.layers":        {Transformer},
	"model.feedforward":   {Transformer},
}

// kindsOf lists the kinds of benchmarks that use a key. A benchmark also uses the keys of its
// Settings. All benchmarks use a key without an entry.
var kindsOf = map[string][]catalogue.Kind{
	"data.points":          {catalogue.Synthetic, catalogue.CSV},
	"data.min_context":     {catalogue.Synthetic, catalogue.Images},
	"data.min_targets":     {catalogue.Synthetic},
	"data.interval":        {catalogue.Synthetic},
	"data.harmonics":       nil,
	"data.zero_mean":       nil,
	"data.length_scale":    nil,
	"data.amplitude":       nil,
	"data.noise":           nil,
	"data.files":           {catalogue.SpeedFlow, catalogue.Images},
	"data.train_fraction":  {catalogue.SpeedFlow, catalogue.CSV},
	"data.context":         {catalogue.SpeedFlow, catalogue.CSV},
	"data.partitions":      {catalogue.SpeedFlow},
	"data.flow_range":      {catalogue.SpeedFlow},
	"data.train_limit":     {catalogue.Images},
	"data.test_limit":      {catalogue.Images},
	"data.resize":          nil,
	"data.filter":          nil,
	"data.test_copies":     nil,
	"data.file":            {catalogue.CSV},
	"data.function":        {catalogue.CSV},
	"data.x":               {catalogue.CSV},
	"data.y":               {catalogue.CSV},
	"data.split":           {catalogue.CSV},
	"data.split_column":    {catalogue.CSV},
	"data.valid_fraction":  {catalogue.CSV},
	"data.calibration":     {catalogue.CSV},
	"data.sizes":           {catalogue.CSV},
	"data.scale":           {catalogue.CSV},
	"data.categories":      {catalogue.CSV},
	"data.log":             {catalogue.CSV},
	"data.baseline":        {catalogue.CSV},
	"data.missing":         {catalogue.CSV},
	"train.epochs":         {catalogue.Images},
	"train.weights":        {catalogue.CSV},
	"train.members":        {catalogue.CSV},
	"train.validate_every": {catalogue.Synthetic, catalogue.CSV},
	"train.patience":       {catalogue.Synthetic, catalogue.CSV},
	"eval.num_points":      {catalogue.Synthetic},
	"eval.max_context":     {catalogue.Synthetic},
}

func benchmarkUses(b catalogue.Benchmark, key string) bool {
	kinds, some := kindsOf[key]
	_, set := b.Settings[key]
	return !some || set || slices.Contains(kinds, b.Kind)
}

// choice is what decides which keys a configuration may have, and their defaults.
type choice struct{ benchmark, model, aggregation string }

// aggregates returns the aggregation of the chosen model, with the default if none is set. CANP is
// CNP with attention.
func (c choice) aggregates() string {
	switch {
	case c.model == "canp":
		return Attention
	case c.aggregation == "" || !slices.Contains(aggregating, c.model):
		return Mean
	}
	return c.aggregation
}

// unusedBy returns the benchmark, the model or the aggregation that does not use a key, and the
// names of those that do. It returns "" and nil if all use the key.
func (c choice) unusedBy(key string) (who string, users []string) {
	b, _ := catalogue.Find(c.benchmark)
	if names, some := modelsOf[key]; some && !slices.Contains(names, c.model) {
		return c.model, names
	}
	if aggregations, some := aggregationsOf[key]; some && !slices.Contains(aggregations, c.aggregates()) {
		return "aggregation " + c.aggregates(), usersOf(aggregations)
	}
	if !benchmarkUses(b, key) {
		return b.Name, catalogue.Names(func(b catalogue.Benchmark) bool { return benchmarkUses(b, key) })
	}
	return "", nil
}

// usersOf lists aggregations for a message. If attention is among them, canp is too: it always has
// attention.
func usersOf(aggregations []string) (names []string) {
	if slices.Contains(aggregations, Attention) {
		names = []string{"canp"}
	}
	for _, a := range aggregations {
		names = append(names, "aggregation "+a)
	}
	return names
}

// oneOf lists names as "a, b or c".
func oneOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
