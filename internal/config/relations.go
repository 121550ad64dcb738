package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// relation is something that several keys must hold together, or one key for this benchmark or model.
type relation struct {
	keys     []string
	holds    bool
	found    string
	expected string
}

const (
	maxWeights    = 1 << 28 // a gibibyte in float32, and twice that again for Adam
	maxRows       = 1 << 30 // of one batch
	maxCovariance = 10000   // points of a Gaussian process: its covariance matrix has the square of that
)

// MaxCSVPoints is how many points of a function a training batch of csv takes where data.points does not say.
const MaxCSVPoints = 200

func relations(e Experiment) []relation {
	all := modelRelations(e.Model)
	switch {
	case slices.Contains(images, e.Benchmark):
		all = append(all, imageRelations(e)...)
	case e.Benchmark == "speed-flow":
		all = append(all, speedFlowRelations(e)...)
	case e.Benchmark == "csv":
		all = append(all, csvRelations(e)...)
	default:
		all = append(all, syntheticRelations(e)...)
	}
	if !slices.Contains(images, e.Benchmark) && e.Benchmark != "csv" {
		all = append(all, relation{
			keys:     []string{"eval.batches"},
			holds:    e.Eval.Batches > 0,
			found:    "0",
			expected: "1 or more: " + e.Benchmark + " has no test split of so many functions to go through",
		})
	}
	return all
}

func modelRelations(m Model) []relation {
	weights, keys := encodingWeights(m), []string{"model.representation", "model.encoder", "model.adaptor", "model.decoder",
		"model.key_encoder", "model.query_encoder"}
	if m.Name == "bnp" {
		weights = m.Width * m.Width * (2*(m.PreDepth+m.PostDepth) + m.DecoderDepth + 3) // fc and fc_ctx take two encodings
		keys = []string{"model.width", "model.pre_depth", "model.post_depth", "model.decoder_depth"}
	}
	all := []relation{{
		keys:     keys,
		holds:    weights <= maxWeights,
		found:    fmt.Sprintf("widths that make %d weights", weights),
		expected: fmt.Sprintf("at most %d", maxWeights),
	}}
	if m.Name == "canp" {
		all = append(all, relation{
			keys:     []string{"model.heads", "model.representation"},
			holds:    m.Representation%m.Heads == 0,
			found:    fmt.Sprintf("%d heads for a representation of %d", m.Heads, m.Representation),
			expected: "a representation that the heads divide evenly",
		})
	}
	return all
}

// encodingWeights counts the weights between layers whose widths the configuration gives.
func encodingWeights(m Model) int {
	weights := 0
	for _, hidden := range [][]int{m.Encoder, m.Adaptor, m.Decoder, m.KeyEncoder, m.QueryEncoder} {
		for i := 1; i < len(hidden); i++ {
			weights += hidden[i-1] * hidden[i]
		}
		if len(hidden) > 0 { // r goes into the adaptor and the decoder; encoders give something as wide
			weights += m.Representation * hidden[len(hidden)-1]
			weights += m.Representation * hidden[0]
		}
	}
	if m.Name == "canp" { // the heads' maps of queries, keys, values and outputs
		weights += 4 * m.Representation * m.Representation
	}
	return weights
}

// trainRows and evalRows keep the size of a batch's largest input within memory: B·N·N_τ, for BNP B·N·k. Each factor is
// at most 10⁶.
func trainRows(e Experiment, pointsKey string, points int) relation {
	return rows("train", "model.train_bootstraps", pointsKey, e.Train.BatchSize, points, max(e.Train.NumTau, e.Model.TrainBootstraps))
}

func evalRows(e Experiment, pointsKey string, points int) relation {
	return rows("eval", "model.eval_bootstraps", pointsKey, e.Eval.BatchSize, points, max(e.Eval.NumTau, e.Model.EvalBootstraps))
}

func rows(section, bootstrapsKey, pointsKey string, functions, points, levels int) relation {
	levels = max(levels, 1)
	n := functions * points * levels
	return relation{
		keys:  []string{section + ".batch_size", section + ".num_tau", bootstrapsKey, pointsKey},
		holds: n <= maxRows,
		found: fmt.Sprintf("a batch of %d rows (%d functions, %d points, %d levels or bootstraps)",
			n, functions, points, levels),
		expected: fmt.Sprintf("at most %d", maxRows),
	}
}

// speedFlowRelations: there are two functions, whose files come one for each or as R's, which holds both.
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
	return append(all, trainRows(e, "data.context", points), evalRows(e, "data.context", points))
}

// imageFiles says what data.files of a benchmark of images are.
var imageFiles = map[string][]string{
	"mnist":         {"TRAIN-IMAGES", "TEST-IMAGES"},
	"fashion-mnist": {"TRAIN-IMAGES", "TEST-IMAGES"},
	"svhn":          {"TRAIN", "TEST"},
	"omniglot":      {"BACKGROUND", "EVALUATION"},
	"freyface":      {"FILE"},
}

// imageRelations: N is the number of pixels, and N_c ~ U{min_context..HW/2−1}.
func imageRelations(e Experiment) []relation {
	pixels := map[string]int{"mnist": 28 * 28, "fashion-mnist": 28 * 28, "svhn": 32 * 32, "freyface": 28 * 20,
		"omniglot": e.Data.Resize * e.Data.Resize}[e.Benchmark]
	return []relation{{
		keys:     []string{"data.files"},
		holds:    len(e.Data.Files) == len(imageFiles[e.Benchmark]),
		found:    text(e.Data.Files),
		expected: text(imageFiles[e.Benchmark]),
	}, {
		keys:     []string{"data.min_context", "data.resize"},
		holds:    e.Data.MinContext <= pixels/2-1,
		found:    fmt.Sprintf("min_context %d with %d pixels", e.Data.MinContext, pixels),
		expected: fmt.Sprintf("at most %d: less than half of the pixels", pixels/2-1),
	}, trainRows(e, "data.resize", pixels), evalRows(e, "data.resize", pixels)}
}

// csvRelations: whatever N and N_c are drawn, a target is left. What the files must hold for that, their source checks.
func csvRelations(e Experiment) []relation {
	d := e.Data
	points := []int{MaxCSVPoints, MaxCSVPoints}
	if len(d.Points) > 0 {
		points = d.Points
	}
	context := []int{3, points[0] - 3}
	if len(d.Context) > 0 {
		context = d.Context
	}
	columns := slices.Concat(d.XColumns, d.YColumns)
	if d.Function != "" {
		columns = append(columns, d.Function)
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(columns)))
	return []relation{{
		keys:     []string{"data.x", "data.y", "data.function"},
		holds:    len(distinct) == len(columns),
		found:    "a column with two meanings among " + text(columns),
		expected: "x, y and function that share none",
	}, {
		keys:  []string{"data.points", "data.context"},
		holds: context[0] <= context[1] && context[1] < points[0],
		found: fmt.Sprintf("a context of %d to %d with as few as %d points", context[0], context[1], points[0]),
		expected: "a context below points[0], so that targets are left (without data.context it is 3 to N − 3; without data.points " +
			fmt.Sprintf("N is %d at most)", MaxCSVPoints),
	}, trainRows(e, "data.points", points[1]), evalRows(e, "data.points", points[1])}
}

func syntheticRelations(e Experiment) []relation {
	d := e.Data
	all := []relation{{
		keys:  []string{"data.points", "data.min_context", "data.min_targets"},
		holds: d.MinContext+d.MinTargets <= d.Points[0],
		found: fmt.Sprintf("min_context %d and min_targets %d with as few as %d points",
			d.MinContext, d.MinTargets, d.Points[0]),
		expected: "min_context + min_targets ≤ points[0], so that a context can always be drawn",
	}, {
		keys:     []string{"eval.max_context", "data.min_context"},
		holds:    d.MinContext <= e.Eval.MaxContext,
		found:    fmt.Sprintf("eval.max_context %d below data.min_context %d", e.Eval.MaxContext, d.MinContext),
		expected: "eval.max_context ≥ data.min_context",
	}, {
		keys:     []string{"eval.num_points", "eval.max_context"},
		holds:    e.Eval.NumPoints > e.Eval.MaxContext,
		found:    fmt.Sprintf("eval.num_points %d with eval.max_context %d", e.Eval.NumPoints, e.Eval.MaxContext),
		expected: "eval.num_points > eval.max_context, so that targets are left",
	}}
	if slices.Contains(gaussian, e.Benchmark) {
		all = append(all, relation{
			keys:     []string{"data.points", "eval.num_points"},
			holds:    max(d.Points[1], e.Eval.NumPoints) <= maxCovariance,
			found:    fmt.Sprintf("a Gaussian process at %d points", max(d.Points[1], e.Eval.NumPoints)),
			expected: fmt.Sprintf("at most %d", maxCovariance),
		})
	}
	return append(all, trainRows(e, "data.points", d.Points[1]), evalRows(e, "eval.num_points", e.Eval.NumPoints))
}
