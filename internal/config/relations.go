package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// A relation is a condition on several keys, or on one key for some benchmarks or models.
type relation struct {
	keys     []string
	holds    bool
	found    string
	expected string
}

// relations lists the conditions on e beyond the rules of single keys.
func relations(e Experiment) []relation {
	b := e.benchmark()
	all := append(modelRelations(e.Model), relation{
		keys:     []string{"train.patience", "train.validate_every"},
		holds:    e.Train.Patience == 0 || e.Train.ValidateEvery > 0,
		found:    fmt.Sprintf("a patience of %d without validations", e.Train.Patience),
		expected: "train.validate_every above 0: patience counts validations",
	})
	all = append(all, relation{
		keys:     []string{"train.ema", "train.validate_every"},
		holds:    e.Train.EMA == 0 || e.Train.ValidateEvery == 0,
		found:    fmt.Sprintf("an average over %d steps and validations", e.Train.EMA),
		expected: "one of both: a validation averages the weights by itself",
	})
	all = append(all, contextRelations(e)...)
	all = append(all, aggregationRelation(e, b))
	if b.Kind != catalogue.CSV {
		all = append(all, relation{
			keys:     []string{"data.train_fraction"},
			holds:    e.Data.TrainFraction < 1,
			found:    "1",
			expected: "a number above 0 and below 1 (only csv may hold nothing out)",
		})
	}
	switch b.Kind {
	case catalogue.Images:
		return append(all, imageRelations(e, b)...)
	case catalogue.SpeedFlow:
		all = append(all, speedFlowRelations(e)...)
	case catalogue.CSV:
		return append(all, csvRelations(e)...)
	case catalogue.Groups:
		all = append(all, groupsRelations(e, b)...)
	default:
		all = append(all, syntheticRelations(e, b)...)
	}
	return append(all, relation{
		keys:     []string{"eval.batches"},
		holds:    e.Eval.Batches > 0,
		found:    "0",
		expected: "1 or more (only images and csv accept 0, for the whole test split)",
	})
}

// modelRelations bounds the number of weights, and requires that the heads divide the
// representation.
func modelRelations(m Model) []relation {
	weights, keys := encodingWeights(m), []string{"model.representation", "model.encoder", "model.adaptor", "model.decoder",
		"model.key_encoder", "model.query_encoder", "model.layers", "model.feedforward"}
	if m.Name == "bnp" {
		// fc and fc_ctx read two encodings each
		weights = m.Width * m.Width * (2*(m.PreDepth+m.PostDepth) + m.DecoderDepth + 3)
		keys = []string{"model.width", "model.pre_depth", "model.post_depth", "model.decoder_depth"}
	}
	all := []relation{{
		keys:     keys,
		holds:    weights <= maxWeights,
		found:    fmt.Sprintf("widths that make %d weights", weights),
		expected: fmt.Sprintf("at most %d", maxWeights),
	}}
	all = append(all, relation{
		keys:     []string{"model.parts", "model.head"},
		holds:    m.Parts == 0 || m.Head == MixtureHead,
		found:    fmt.Sprintf("%d parts of a head %s", m.Parts, m.HeadName()),
		expected: "model.head " + MixtureHead + ", or no parts",
	})
	if m.Heads > 0 {
		all = append(all, relation{
			keys:     []string{"model.heads", "model.representation"},
			holds:    m.Representation%m.Heads == 0,
			found:    fmt.Sprintf("%d heads for a representation of %d", m.Heads, m.Representation),
			expected: "a representation that the heads divide evenly",
		})
	}
	return all
}

// contextRelations refuses empty contexts for BNP, which resamples the context. Other models predict from
// none.
func contextRelations(e Experiment) []relation {
	if e.Model.Name != "bnp" {
		return nil
	}
	d := e.Data
	return []relation{{
		keys:     []string{"data.min_context"},
		holds:    d.MinContext == nil || *d.MinContext > 0,
		found:    "0",
		expected: "1 or more: bnp resamples the context",
	}, {
		keys:     []string{"data.context"},
		holds:    len(d.Context) == 0 || d.Context[0] > 0,
		found:    text(d.Context),
		expected: "a context of 1 or more: bnp resamples the context",
	}}
}

// encodingWeights counts the weights between layers whose widths the configuration sets, for all
// models but BNP.
func encodingWeights(m Model) int {
	weights := 0
	for _, hidden := range [][]int{m.Encoder, m.Adaptor, m.Decoder, m.KeyEncoder, m.QueryEncoder} {
		for i := 1; i < len(hidden); i++ {
			weights += hidden[i-1] * hidden[i]
		}
		// an MLP has the representation on one side: r into adaptor and decoder, r out of encoders
		if len(hidden) > 0 {
			weights += m.Representation * hidden[len(hidden)-1]
			weights += m.Representation * hidden[0]
		}
	}
	if m.Heads > 0 { // attention's maps to queries, keys, values and outputs, in every layer
		weights += max(m.Layers, 1) * 4 * m.Representation * m.Representation
	}
	weights += 2 * m.Layers * m.Representation * m.Feedforward
	return weights
}

// A batchSize is the largest batch that the configuration asks for, and the keys that set it.
type batchSize struct {
	functionsKey, pointsKey, levelsKey, bootstrapsKey string

	functions, points, levels, bootstraps int
}

func trainSize(e Experiment, pointsKey string, points int) batchSize {
	return batchSize{
		"train.batch_size", pointsKey, "train.num_tau", "model.train_bootstraps",
		e.Train.BatchSize, points, e.Train.NumTau, e.Model.TrainBootstraps,
	}
}

func evalSize(e Experiment, pointsKey string, points int) batchSize {
	return batchSize{
		"eval.batch_size", pointsKey, "eval.num_tau", "model.eval_bootstraps",
		e.Eval.BatchSize, points, e.Eval.NumTau, e.Model.EvalBootstraps,
	}
}

// relations bounds the size of the batch. columns is dx+dy. No factor is above 2²⁰, so the products
// fit an int.
func (b batchSize) relations(columns int) []relation {
	points := b.functions * b.points
	levels := max(b.levels, b.bootstraps, 1)
	return []relation{{
		keys:     []string{b.functionsKey, b.levelsKey, b.bootstrapsKey, b.pointsKey},
		holds:    points*levels <= MaxRows,
		found:    fmt.Sprintf("a batch of %d rows (%d functions, %d points, %d levels or bootstraps)", points*levels, b.functions, b.points, levels),
		expected: fmt.Sprintf("at most %d", MaxRows),
	}, {
		keys:     []string{b.functionsKey, b.pointsKey},
		holds:    points*columns <= MaxNumbers,
		found:    fmt.Sprintf("a batch of %d numbers (%d functions, %d points of %d numbers)", points*columns, b.functions, b.points, columns),
		expected: fmt.Sprintf("at most %d", MaxNumbers),
	}}
}

// speedFlowRelations returns the conditions on speed-flow. Its two functions are the lanes. Their
// files are one CSV file for each lane, or one .rda file with both.
func speedFlowRelations(e Experiment) []relation {
	isR := func(f string) bool { return strings.EqualFold(filepath.Ext(f), ".rda") }
	files := e.Data.Files
	all := []relation{{
		keys:     []string{"data.files"},
		holds:    len(files) == 1 && isR(files[0]) || len(files) == 2 && !slices.ContainsFunc(files, isR),
		found:    text(files),
		expected: "[LANE2.csv, LANE3.csv] or [FILE.rda]",
	}}
	for _, b := range []struct {
		key  string
		size int
	}{{"train.batch_size", e.Train.BatchSize}, {"eval.batch_size", e.Eval.BatchSize}} {
		all = append(all, relation{
			keys:     []string{b.key},
			holds:    b.size == 2,
			found:    fmt.Sprint(b.size),
			expected: "2: speed-flow's functions are its two lanes",
		})
	}
	points := e.Data.Context[1] // nearly all that a lane has
	all = append(all, trainSize(e, "data.context", points).relations(2)...)
	return append(all, evalSize(e, "data.context", points).relations(2)...)
}

// imageRelations returns the conditions on images. N is the number of pixels, and N_c ~
// U{min_context..HW/2−1}.
func imageRelations(e Experiment, b catalogue.Benchmark) []relation {
	shape := e.ImageShape()
	pixels, columns := shape.Height*shape.Width, 2+shape.Channels
	all := []relation{{
		keys:     []string{"data.files"},
		holds:    len(e.Data.Files) == len(b.Files),
		found:    text(e.Data.Files),
		expected: filesOf(b),
	}, {
		keys:     []string{"data.min_context", "data.resize"},
		holds:    e.Data.LeastContext() <= pixels/2-1,
		found:    fmt.Sprintf("min_context %d with %d pixels", e.Data.LeastContext(), pixels),
		expected: fmt.Sprintf("at most %d: less than half of the pixels", pixels/2-1),
	}}
	all = append(all, trainSize(e, "data.resize", pixels).relations(columns)...)
	return append(all, evalSize(e, "data.resize", pixels).relations(columns)...)
}

// filesOf describes what data.files must list: "[FILE, FILE] with the training images and the test
// images".
func filesOf(b catalogue.Benchmark) string {
	var files, contents []string
	for _, f := range b.Files {
		files, contents = append(files, "FILE"), append(contents, "the "+f.Holds)
	}
	return text(files) + " with " + strings.Join(contents, " and ")
}

// ImageShape returns the shape of the benchmark's images. It is zero for a benchmark of another
// kind.
func (e Experiment) ImageShape() catalogue.Shape {
	shape := e.benchmark().Image
	if shape.Height == 0 {
		shape.Height, shape.Width = e.Data.Resize, e.Data.Resize
	}
	return shape
}

// csvRelations returns the conditions on your own data: every N and N_c that the configuration
// asks for leave a target. The source checks that the files have enough points.
func csvRelations(e Experiment) []relation {
	d := e.Data
	points := []int{MaxCSVPoints, MaxCSVPoints}
	if len(d.Points) > 0 {
		points = d.Points
	}
	context := []int{0, points[0] - 1}
	if d.Sizes == SmallestSize {
		context = []int{3, points[0] - 3}
	}
	if len(d.Context) > 0 {
		context = d.Context
	}
	columns := slices.Concat(d.XColumns, d.YColumns)
	for _, name := range []string{d.Group, d.SplitColumn} {
		if name != "" {
			columns = append(columns, name)
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(columns)))
	isCategory := func(name string) bool { return slices.Contains(d.Categories, name) }
	all := []relation{{
		keys:     []string{"data.x", "data.y", "data.group", "data.split_column"},
		holds:    len(distinct) == len(columns),
		found:    "a column with two meanings among " + text(columns),
		expected: "different columns for x, y, function and split_column",
	}, {
		keys:     []string{"data.categories", "data.x"},
		holds:    within(d.Categories, d.XColumns),
		found:    text(d.Categories),
		expected: "columns of data.x, which are " + text(d.XColumns),
	}, {
		keys:     []string{"data.log", "data.categories", "data.x", "data.y"},
		holds:    within(d.Log, slices.Concat(d.XColumns, d.YColumns)) && !slices.ContainsFunc(d.Log, isCategory),
		found:    text(d.Log),
		expected: "columns of numbers in data.x or data.y, which are " + text(slices.Concat(d.XColumns, d.YColumns)) + ", none of them in data.categories",
	}, {
		keys:  []string{"data.points", "data.context"},
		holds: context[0] <= context[1] && context[1] < points[0],
		found: fmt.Sprintf("a context of %d to %d with as few as %d points", context[0], context[1], points[0]),
		expected: "a context below points[0], so that targets are left (without data.context it follows from N; without data.points " +
			fmt.Sprintf("N is %d at most)", MaxCSVPoints),
	}}
	numbers := len(d.XColumns) + len(d.YColumns)
	all = append(all, trainSize(e, "data.points", points[1]).relations(numbers)...)
	return append(all, evalSize(e, "data.points", points[1]).relations(numbers)...)
}

// within reports whether all names are among those of all.
func within(names, all []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(all, n) })
}

// syntheticRelations returns the conditions on synthetic data: every draw leaves a target.
func syntheticRelations(e Experiment, b catalogue.Benchmark) []relation {
	d := e.Data
	all := []relation{{
		keys:  []string{"data.points", "data.min_context", "data.min_targets"},
		holds: d.LeastContext()+d.MinTargets <= d.Points[0],
		found: fmt.Sprintf("min_context %d and min_targets %d with as few as %d points",
			d.LeastContext(), d.MinTargets, d.Points[0]),
		expected: "min_context + min_targets ≤ points[0], so that a context can always be drawn",
	}, {
		keys:     []string{"eval.max_context", "data.min_context"},
		holds:    d.LeastContext() <= e.Eval.MaxContext,
		found:    fmt.Sprintf("eval.max_context %d below data.min_context %d", e.Eval.MaxContext, d.LeastContext()),
		expected: "eval.max_context ≥ data.min_context",
	}, {
		keys:     []string{"eval.num_points", "eval.max_context"},
		holds:    e.Eval.NumPoints > e.Eval.MaxContext,
		found:    fmt.Sprintf("eval.num_points %d with eval.max_context %d", e.Eval.NumPoints, e.Eval.MaxContext),
		expected: "eval.num_points > eval.max_context, so that targets are left",
	}, {
		keys:     []string{"eval.contexts", "eval.max_context"},
		holds:    !slices.ContainsFunc(e.Eval.Contexts, func(n int) bool { return n > e.Eval.MaxContext }),
		found:    fmt.Sprintf("eval.contexts %v with eval.max_context %d", e.Eval.Contexts, e.Eval.MaxContext),
		expected: "no context above eval.max_context",
	}}
	if b.MaxPoints > 0 {
		most := max(d.Points[1], e.Eval.NumPoints)
		all = append(all, relation{
			keys:     []string{"data.points", "eval.num_points"},
			holds:    most <= b.MaxPoints,
			found:    fmt.Sprintf("functions of %d points", most),
			expected: fmt.Sprintf("at most %d for %s", b.MaxPoints, b.Name),
		})
	}
	all = append(all, trainSize(e, "data.points", d.Points[1]).relations(2)...)
	return append(all, evalSize(e, "eval.num_points", e.Eval.NumPoints).relations(2)...)
}
