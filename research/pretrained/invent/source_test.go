package invent_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/research/pretrained/invent"
)

func groupsExperiment() config.Experiment {
	e, err := config.Parse("groups", []byte("benchmark: groups\nmodel: {name: acqnp}\ntrain: {seed: 43}\n"), config.Overrides{})
	if err != nil {
		panic(err)
	}
	e.Data.Points, e.Train.BatchSize = []int{32, 200}, 4
	e.Eval.NumPoints, e.Eval.BatchSize = 150, 4
	return e
}

// A data set is divided as the model reads it: groups of siblings, then the context of other groups, to
// which the targets belong. Columns that are constant in a group are so. Numbers are bounded, and those of
// siblings standardised.
func TestDataSetsOfGroups(t *testing.T) {
	e := groupsExperiment()
	source := invent.New(e)
	if dx, dy := source.Dims(); dx != datasets.Varying+datasets.Constant || dy != 1 || dx+dy != config.GroupsColumns {
		t.Fatalf("x of %d and y of %d dimensions, a configuration counts %d", dx, dy, config.GroupsColumns)
	}
	without := 0 // targets of groups without context
	for step := range 40 {
		b := made(t, source, step, step%2 == 1)
		most := source.Train.Size
		if step%2 == 1 {
			most = source.Eval.Size
		}
		targets := b.Points - b.Context
		if b.Points > most.Points || b.Context > most.Context || 10*targets < b.Points-10 || 10*targets > 3*b.Points || len(b.Ranges) != 4*b.Groups*b.Points {
			t.Fatalf("batch %d: %d points, %d of them context, %d numbers of ranges; the most are %+v", step, b.Points, b.Context, len(b.Ranges), most)
		}
		for f := range b.Groups {
			without += checkDataSet(t, b, f)
		}
	}
	if without == 0 {
		t.Error("every target has a context in its group")
	}
}

// checkDataSet checks data set f of a batch. It returns the number of targets without context in their group.
func checkDataSet(t *testing.T, b *datasets.Batch, f int) (without int) {
	t.Helper()
	type numbers = [4]int
	ranges := func(i int) (r numbers) {
		for c := range r {
			r[c] = int(b.Ranges[4*(f*b.Points+i)+c])
		}
		return r
	}
	x := func(i int) []float32 { return b.X[(f*b.Points+i)*b.DX:][:b.DX] }
	siblings := ranges(0)[3]
	if siblings < 1 || siblings > b.Context {
		t.Errorf("%d siblings in a context of %d", siblings, b.Context)
	}
	for i := range b.Points {
		r := ranges(i)
		switch first, end := r[0], r[1]; {
		case r[2] != 0 || r[3] != siblings:
			t.Errorf("point %d reads siblings %v, others 0 to %d", i, r[2:], siblings)
		case first > end || end > b.Context:
			t.Errorf("point %d reads %d to %d of a context of %d", i, first, end, b.Context)
		case i < b.Context && (i < first || i >= end || ranges(first) != r || first < siblings && end > siblings):
			t.Errorf("context point %d is of the group from %d to %d, among %d siblings", i, first, end, siblings)
		case i >= b.Context && first < siblings && first < end:
			t.Errorf("target %d is of the group from %d to %d, which is a sibling", i, first, end)
		case first < end && cmp.Diff(x(first)[datasets.Varying:], x(i)[datasets.Varying:]) != "":
			t.Errorf("point %d: constant columns %v, in its group %v", i, x(i)[datasets.Varying:], x(first)[datasets.Varying:])
		case i >= b.Context && first == end:
			without++
		}
		for _, v := range x(i) {
			if !(math.Abs(float64(v)) <= 12) {
				t.Errorf("point %d: x is %v", i, x(i))
			}
		}
	}
	mean, square, largest := 0.0, 0.0, 0.0
	for _, v := range b.Y[f*b.Points:][:siblings] {
		mean += float64(v) / float64(siblings)
		square += float64(v) * float64(v) / float64(siblings)
		largest = max(largest, math.Abs(float64(v)))
	}
	// Numbers are float32. Only those of one value have no deviation, and far ones are brought nearer.
	if largest < 24 && largest > 0 && (math.Abs(mean) > 1e-4 || math.Abs(square-1) > 1e-3) {
		t.Errorf("y of %d siblings has mean %g and square %g", siblings, mean, square)
	}
	return without
}

// A batch depends on the seed and its number alone, not on threads or on the batches before.
func TestDataSetsOfGroupsAreReproducible(t *testing.T) {
	e := groupsExperiment()
	one, more := invent.New(e), invent.New(e)
	one.SetThreads(1)
	more.SetThreads(3)
	for _, evaluation := range []bool{false, true} {
		var again datasets.Batch
		for step := range 4 {
			makeInto(t, more, step, evaluation, &again)
		}
		want := made(t, one, 3, evaluation)
		if cmp.Diff(want.X, again.X) != "" || cmp.Diff(want.Y, again.Y) != "" || cmp.Diff(want.Ranges, again.Ranges) != "" {
			t.Errorf("evaluation %v: batch 3 differs", evaluation)
		}
	}
	e.Train.Seed, e.Eval.Seed = 7, 7
	source := invent.New(e)
	if train, eval := made(t, source, 0, false), made(t, source, 0, true); cmp.Diff(train.Y[:20], eval.Y[:20]) == "" {
		t.Error("training and evaluation have the same data sets")
	}
	e.Train.Seed = 8
	if a, b := made(t, source, 0, false), made(t, invent.New(e), 0, false); cmp.Diff(a.Y[:20], b.Y[:20]) == "" {
		t.Error("two seeds have the same data sets")
	}
}

// made returns a new batch of a training step, or of the evaluation.
func made(t *testing.T, source *datasets.Source, step int, evaluation bool) *datasets.Batch {
	t.Helper()
	var b datasets.Batch
	makeInto(t, source, step, evaluation, &b)
	return &b
}

func makeInto(t *testing.T, source *datasets.Source, step int, evaluation bool, b *datasets.Batch) {
	t.Helper()
	do := source.Train.Make
	if evaluation {
		do = source.Eval.Make
	}
	if err := do(step, b); err != nil {
		t.Fatal(err)
	}
}
