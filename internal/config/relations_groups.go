package config

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// aggregationRelation ties aggregation by groups to the benchmark of data sets, which no other
// aggregation can read.
func aggregationRelation(e Experiment, b catalogue.Benchmark) relation {
	expected := "another: only the benchmark groups has " + Groups
	if b.Kind == groups {
		expected = Groups + ": others do not know which rows are of one group"
	}
	return relation{
		keys:     []string{"model.aggregation", "benchmark"},
		holds:    (e.Model.Aggregation == Groups) == (b.Kind == groups),
		found:    fmt.Sprintf("aggregation %s on %s", e.Model.Aggregation, b.Name),
		expected: expected,
	}
}

// groupsRelations returns the conditions on data sets of groups. They have rows for groups with
// targets and for others.
func groupsRelations(e Experiment, b catalogue.Benchmark) []relation {
	expected := fmt.Sprintf("data sets of %d to %d rows", LeastRows, b.MaxPoints)
	all := []relation{{
		keys:     []string{"train.loss"},
		holds:    e.Train.Loss == Targets,
		found:    e.Train.Loss,
		expected: Targets + ": the model reads the rows of the context as they are",
	}, {
		keys:     []string{"data.points"},
		holds:    LeastRows <= e.Data.Points[0] && e.Data.Points[1] <= b.MaxPoints,
		found:    text(e.Data.Points),
		expected: expected,
	}, {
		keys:     []string{"eval.num_points"},
		holds:    LeastRows <= e.Eval.NumPoints && e.Eval.NumPoints <= b.MaxPoints,
		found:    text(e.Eval.NumPoints),
		expected: expected,
	}}
	all = append(all, trainSize(e, "data.points", e.Data.Points[1]).relations(GroupsColumns)...)
	return append(all, evalSize(e, "eval.num_points", e.Eval.NumPoints).relations(GroupsColumns)...)
}
