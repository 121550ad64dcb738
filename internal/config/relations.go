package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// A relation is a condition on several keys, or on one key for some benchmarks or models.
type relation struct {
	keys            []string
	holds           bool
	found, expected string
}

// A relating lists the conditions on an experiment beyond the rules of single keys.
type relating struct {
	Experiment
	b   catalogue.Benchmark
	all []relation
}

// require adds a condition. keys are separated by spaces.
func (r *relating) require(keys string, holds bool, found any, expected string) {
	r.all = append(r.all, relation{strings.Fields(keys), holds, fmt.Sprint(found), expected})
}

// relations lists the conditions on e.
func relations(e Experiment) []relation {
	r := &relating{Experiment: e, b: e.benchmark()}
	r.addModel()
	r.require("train.patience train.validate_every", e.Train.Patience == 0 || e.Train.ValidateEvery > 0,
		fmt.Sprintf("a patience of %d without validations", e.Train.Patience), "train.validate_every above 0: patience counts validations")
	r.require("train.ema train.validate_every", e.Train.EMA == 0 || e.Train.ValidateEvery == 0,
		fmt.Sprintf("an average over %d steps and validations", e.Train.EMA), "one of both: a validation averages the weights by itself")
	r.require("data.train_fraction", e.Data.TrainFraction < 1 || r.b.Kind == csv,
		1, "a number above 0 and below 1 (only csv may hold nothing out)")
	switch r.b.Kind {
	case images:
		r.addImages()
	case speedFlow:
		r.addSpeedFlow()
	case csv:
		r.addCSV()
	case groups:
		r.addGroups()
	case tasks:
		r.addTasks()
	default:
		r.addSynthetic()
	}
	r.require("eval.batches", e.Eval.Batches > 0 || r.b.Kind == images || r.b.Kind == csv,
		0, "1 or more (only images and csv accept 0, for the whole test split)")
	return r.all
}

// addModel bounds the number of weights, and requires what aggregations and BNP need.
func (r *relating) addModel() {
	m, d := r.Model, r.Data
	weights := encodingWeights(m)
	keys := "model.representation model.encoder model.adaptor model.decoder model.key_encoder model.query_encoder model.layers model.feedforward"
	if m.Name == catalogue.BNP {
		// fc and fc_ctx read two encodings each
		weights = m.Width * m.Width * (2*(m.PreDepth+m.PostDepth) + m.DecoderDepth + 3)
		keys = "model.width model.pre_depth model.post_depth model.decoder_depth"
	}
	r.require(keys, weights <= maxWeights, fmt.Sprintf("widths that make %d weights", weights), fmt.Sprintf("at most %d", maxWeights))
	r.require("model.heads model.representation", m.Heads == 0 || m.Representation%max(m.Heads, 1) == 0,
		fmt.Sprintf("%d heads for a representation of %d", m.Heads, m.Representation), "a representation that the heads divide evenly")
	if m.Name == catalogue.BNP { // other models predict from no context
		r.require("data.min_context", d.MinContext == nil || *d.MinContext > 0, 0, "1 or more: bnp resamples the context")
		r.require("data.context", len(d.Context) == 0 || d.Context[0] > 0, text(d.Context), "a context of 1 or more: bnp resamples the context")
	}
	expected := "another: only the benchmark groups has " + Groups
	if r.b.Kind == groups {
		expected = Groups + ": others do not know which rows are of one group"
	}
	r.require("model.aggregation benchmark", (m.Aggregation == Groups) == (r.b.Kind == groups),
		fmt.Sprintf("aggregation %s on %s", m.Aggregation, r.b.Name), expected)
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
			weights += m.Representation * (hidden[0] + hidden[len(hidden)-1])
		}
	}
	if m.Heads > 0 { // attention's maps to queries, keys, values and outputs, in every layer
		weights += max(m.Layers, 1) * 4 * m.Representation * m.Representation
	}
	return weights + 2*m.Layers*m.Representation*m.Feedforward
}

// addBatch bounds the size of a batch of the section train or eval, of groups with as many points
// and columns (dx+dy). No factor is above 2²⁰, so the products fit an int.
func (r *relating) addBatch(section, pointsKey string, points, columns int) {
	groups, levels := r.Train.BatchSize, cmp.Or(r.Train.NumTau, r.Model.TrainBootstraps, 1)
	if section == "eval" {
		groups, levels = r.Eval.BatchSize, cmp.Or(r.Eval.NumTau, r.Model.EvalBootstraps, 1)
	}
	rows, numbers := groups*points*levels, groups*points*columns
	keys := section + ".batch_size " + pointsKey
	r.require(keys+" "+section+".num_tau model."+section+"_bootstraps", rows <= MaxRows,
		fmt.Sprintf("a batch of %d rows (%d groups, %d points, %d levels or bootstraps)", rows, groups, points, levels),
		fmt.Sprintf("at most %d", MaxRows))
	r.require(keys, numbers <= MaxNumbers,
		fmt.Sprintf("a batch of %d numbers (%d groups, %d points of %d numbers)", numbers, groups, points, columns),
		fmt.Sprintf("at most %d", MaxNumbers))
}

// addSpeedFlow adds the conditions on speed-flow. Its two groups are the lanes. Their files are
// one CSV file for each lane, or one .rda file with both.
func (r *relating) addSpeedFlow() {
	isR := func(f string) bool { return strings.EqualFold(filepath.Ext(f), ".rda") }
	files := r.Data.Files
	r.require("data.files", len(files) == 1 && isR(files[0]) || len(files) == 2 && !slices.ContainsFunc(files, isR),
		text(files), "[LANE2.csv, LANE3.csv] or [FILE.rda]")
	const lanes = "2: speed-flow's groups are its two lanes"
	r.require("train.batch_size", r.Train.BatchSize == 2, r.Train.BatchSize, lanes)
	r.require("eval.batch_size", r.Eval.BatchSize == 2, r.Eval.BatchSize, lanes)
	points := r.Data.Context[1] // nearly all that a lane has
	r.addBatch("train", "data.context", points, 2)
	r.addBatch("eval", "data.context", points, 2)
}

// addImages adds the conditions on images. N is the number of pixels, and N_c ~
// U{min_context..HW/2−1}.
func (r *relating) addImages() {
	shape := r.ImageShape()
	pixels, columns := shape.Height*shape.Width, 2+shape.Channels
	var names, contents []string
	for _, f := range r.b.Files {
		names, contents = append(names, "FILE"), append(contents, "the "+f.Holds)
	}
	r.require("data.files", len(r.Data.Files) == len(names), text(r.Data.Files), text(names)+" with "+strings.Join(contents, " and "))
	r.require("data.min_context data.resize", r.Data.LeastContext() <= pixels/2-1,
		fmt.Sprintf("min_context %d with %d pixels", r.Data.LeastContext(), pixels),
		fmt.Sprintf("at most %d: less than half of the pixels", pixels/2-1))
	r.addBatch("train", "data.resize", pixels, columns)
	r.addBatch("eval", "data.resize", pixels, columns)
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

// addCSV adds the conditions on your own data: every N and N_c that the configuration asks for
// leave a target. The source checks that the files have enough points.
func (r *relating) addCSV() {
	d := r.Data
	points := []int{MaxCSVPoints, MaxCSVPoints}
	if len(d.Points) > 0 {
		points = d.Points
	}
	context := []int{0, points[0] - 1}
	if len(d.Context) > 0 {
		context = d.Context
	}
	seen := slices.Concat(d.XColumns, d.YColumns)
	columns := slices.DeleteFunc(append(slices.Clone(seen), d.Group, d.SplitColumn), func(name string) bool { return name == "" })
	isCategory := func(name string) bool { return slices.Contains(d.Categories, name) }
	r.require("data.x data.y data.group data.split_column", distinctNames(columns),
		"a column with two meanings among "+text(columns), "different columns for x, y, group and split_column")
	r.require("data.categories data.x", isSubset(d.Categories, d.XColumns), text(d.Categories), "columns of data.x, which are "+text(d.XColumns))
	r.require("data.log data.categories data.x data.y", isSubset(d.Log, seen) && !slices.ContainsFunc(d.Log, isCategory),
		text(d.Log), "columns of numbers in data.x or data.y, which are "+text(seen)+", none of them in data.categories")
	r.require("data.points data.context", context[0] <= context[1] && context[1] < points[0],
		fmt.Sprintf("a context of %d to %d with as few as %d points", context[0], context[1], points[0]),
		"a context below points[0], so that targets are left (without data.context it follows from N; without data.points "+
			fmt.Sprintf("N is %d at most)", MaxCSVPoints))
	r.addBatch("train", "data.points", points[1], len(seen))
	r.addBatch("eval", "data.points", points[1], len(seen))
}

// isSubset reports whether all names are among those of all.
func isSubset(names, all []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(all, n) })
}

// addSynthetic adds the conditions on synthetic data: every draw leaves a target.
func (r *relating) addSynthetic() {
	d, eval, least := r.Data, r.Eval, r.Data.LeastContext()
	r.require("data.points data.min_context data.min_targets", least+d.MinTargets <= d.Points[0],
		fmt.Sprintf("min_context %d and min_targets %d with as few as %d points", least, d.MinTargets, d.Points[0]),
		"min_context + min_targets ≤ points[0], so that a context can always be drawn")
	r.require("eval.max_context data.min_context", least <= eval.MaxContext,
		fmt.Sprintf("eval.max_context %d below data.min_context %d", eval.MaxContext, least), "eval.max_context ≥ data.min_context")
	r.require("eval.num_points eval.max_context", eval.NumPoints > eval.MaxContext,
		fmt.Sprintf("eval.num_points %d with eval.max_context %d", eval.NumPoints, eval.MaxContext),
		"eval.num_points > eval.max_context, so that targets are left")
	r.require("eval.contexts eval.max_context", len(eval.Contexts) == 0 || slices.Max(eval.Contexts) <= eval.MaxContext,
		fmt.Sprintf("eval.contexts %v with eval.max_context %d", eval.Contexts, eval.MaxContext), "no context above eval.max_context")
	most := max(d.Points[1], eval.NumPoints)
	r.require("data.points eval.num_points", r.b.MaxPoints == 0 || most <= r.b.MaxPoints,
		fmt.Sprintf("groups of %d points", most), fmt.Sprintf("at most %d for %s", r.b.MaxPoints, r.b.Name))
	r.addBatch("train", "data.points", d.Points[1], 2)
	r.addBatch("eval", "eval.num_points", eval.NumPoints, 2)
}

// addTasks adds the conditions on tasks: files or a command, and bounds of what they hold. No number of columns is known
// before the first batch.
func (r *relating) addTasks() {
	d, eval := r.Data, r.Eval
	files, command := d.Tasks != "" && d.EvalTasks != "", len(d.Command) > 0
	found := "no tasks"
	if d.Tasks != "" || d.EvalTasks != "" {
		found = fmt.Sprintf("data.tasks %q and data.eval_tasks %q", d.Tasks, d.EvalTasks)
	}
	if command && found != "no tasks" {
		found += " beside a command"
	}
	r.require("data.tasks data.eval_tasks data.command", files != command && (files || d.Tasks+d.EvalTasks == ""), found,
		"data.tasks and data.eval_tasks, or data.command alone")
	r.require("eval.num_points eval.max_context", eval.NumPoints > eval.MaxContext,
		fmt.Sprintf("eval.num_points %d with eval.max_context %d", eval.NumPoints, eval.MaxContext), "eval.num_points > eval.max_context, so that targets are left")
	r.addBatch("train", "data.points", d.Points[1], 2)
	r.addBatch("eval", "eval.num_points", eval.NumPoints, 2)
}

// addGroups adds the conditions on data sets of groups. They have rows for groups with targets and
// for others.
func (r *relating) addGroups() {
	points, tested := r.Data.Points, r.Eval.NumPoints
	expected := fmt.Sprintf("data sets of %d to %d rows", LeastRows, r.b.MaxPoints)
	r.require("train.loss", r.Train.Loss == Targets, r.Train.Loss, Targets+": the model reads the rows of the context as they are")
	r.require("data.points", LeastRows <= points[0] && points[1] <= r.b.MaxPoints, text(points), expected)
	r.require("eval.num_points", LeastRows <= tested && tested <= r.b.MaxPoints, tested, expected)
	r.addBatch("train", "data.points", points[1], GroupsColumns)
	r.addBatch("eval", "eval.num_points", tested, GroupsColumns)
}
