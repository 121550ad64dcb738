package config

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/input"
)

// last finds the leaf that decides a key's value among the written ones, of which later ones win.
func last(written []leaf, key string) (leaf, bool) {
	for _, l := range slices.Backward(written) {
		if l.key == key {
			return l, true
		}
	}
	return leaf{}, false
}

// chosen are the benchmark and the model, "" where none was written.
func chosen(written []leaf) (benchmark, model string) {
	if l, ok := last(written, "benchmark"); ok {
		benchmark = l.value.(string)
	}
	if l, ok := last(written, "model.name"); ok {
		model = l.value.(string)
	}
	return benchmark, model
}

// checkUse refuses a configuration without benchmark or model, and keys that those two do not use.
func checkUse(file string, written []leaf) error {
	benchmark, model := chosen(written)
	for _, must := range []struct{ key, value string }{{"benchmark", benchmark}, {"model.name", model}} {
		if must.value == "" {
			return &input.Error{File: file, Key: must.key, Found: "nothing", Expected: rules[must.key].expected}
		}
	}
	for _, l := range written {
		if who := unusedBy(l.key, benchmark, model); who != "" {
			return l.refuse("a key that "+who+" does not use", "it with "+oneOf(users[l.key])+" alone")
		}
	}
	return nil
}

// relation is something that several keys must hold together. The message goes to the last written of them.
type relation struct {
	keys     []string
	holds    bool
	found    string
	expected string
}

// checkTogether refuses what no single key is to blame for.
func checkTogether(e Experiment, written []leaf) error {
	relations := append(modelRelations(e.Model), sizeRelations(e)...)
	for _, r := range relations {
		if r.holds {
			continue
		}
		for _, l := range slices.Backward(written) {
			if slices.Contains(r.keys, l.key) {
				return l.refuse(r.found, r.expected)
			}
		}
		return fmt.Errorf("the defaults of %s and %s: found %s, expected %s", e.Benchmark, e.Model.Name, r.found, r.expected)
	}
	return nil
}

const (
	maxWeights    = 1 << 28 // a gibibyte in float32, and twice that again for Adam
	maxRows       = 1 << 30 // of one batch
	maxCovariance = 10000   // points of a Gaussian process: its covariance matrix has the square of that
)

func modelRelations(m Model) []relation {
	weights := 0
	for _, hidden := range [][]int{m.Encoder, m.Adaptor, m.Decoder} {
		for i := 1; i < len(hidden); i++ {
			weights += hidden[i-1] * hidden[i]
		}
		if len(hidden) > 0 { // r goes into the adaptor and the decoder and comes out of the encoder
			weights += m.Representation * hidden[0]
		}
	}
	return []relation{{
		keys:     []string{"model.representation", "model.encoder", "model.adaptor", "model.decoder"},
		holds:    weights <= maxWeights,
		found:    fmt.Sprintf("widths that make %d weights", weights),
		expected: fmt.Sprintf("at most %d", maxWeights),
	}}
}

func sizeRelations(e Experiment) []relation {
	if e.Benchmark == "speed-flow" {
		points := e.Data.Context[1] // nearly all that a lane has
		return append(speedFlowRelations(e),
			rows("train", e.Train.BatchSize, e.Train.NumTau, "data.context", points),
			rows("eval", e.Eval.BatchSize, e.Eval.NumTau, "data.context", points))
	}
	return append(syntheticRelations(e),
		rows("train", e.Train.BatchSize, e.Train.NumTau, "data.points", e.Data.Points[1]),
		rows("eval", e.Eval.BatchSize, e.Eval.NumTau, "eval.num_points", e.Eval.NumPoints))
}

// rows keeps B·N·N_τ, the size of a batch's largest input, within memory. Each factor is at most 10⁶.
func rows(section string, functions, levels int, pointsKey string, points int) relation {
	levels = max(levels, 1)
	n := functions * points * levels
	return relation{
		keys:  []string{section + ".batch_size", section + ".num_tau", pointsKey},
		holds: n <= maxRows,
		found: fmt.Sprintf("a batch of %d rows (%d functions, %d points, %d levels)",
			n, functions, points, levels),
		expected: fmt.Sprintf("at most %d", maxRows),
	}
}

func speedFlowRelations(e Experiment) []relation {
	var all []relation
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
	return all
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
	return all
}
