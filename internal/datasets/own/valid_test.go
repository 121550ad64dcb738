package own_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/invalid"
)

// validated returns anySize with validation.
func validated(t testing.TB, split string, points ...int) config.Experiment {
	e := csvData(t, split, points...)
	e.Train.ValidateEvery, e.Data.ValidFraction = 10, 0.2
	return e
}

// marks are the points of groups: pairs of a group and a number.
type marks map[[2]int]bool

// add adds the points of a batch from the given one on.
func (p marks) add(t testing.TB, b *datasets.Batch, from int) {
	t.Helper()
	groups, of := members(t, b)
	for row, f := range groups {
		for _, n := range of[row][from:] {
			p[[2]int{f, n}] = true
		}
	}
}

// validBatches returns all validation batches, after a check of their sizes.
func validBatches(t testing.TB, s *datasets.Source) (all []*datasets.Batch) {
	t.Helper()
	most := s.Valid.Size
	for i := range s.Valid.Count {
		b := datatest.Made(t, s.Valid, i)
		if b.Groups > most.Groups || b.Points > most.Points || b.Context > most.Context || b.Context >= b.Points {
			t.Errorf("batch %d: %d groups, N = %d, N_c = %d, beyond %v", i, b.Groups, b.Points, b.Context, most)
		}
		all = append(all, b)
	}
	if len(all) == 0 {
		t.Error("no validation batch")
	}
	return all
}

// No point is in two of training, validation and test. If points are held out, the context of
// validation and test is the training's.
func TestValidationIsApartFromTrainingAndTest(t *testing.T) {
	for _, split := range []string{"group", "point"} {
		for _, sizes := range [][]int{oneTo(1, 30), {90}, alike(12, 20)} {
			if split == "group" && len(sizes) == 1 {
				continue
			}
			s := datatest.Open(t, validated(t, split, sizes...), "")
			training, valid, test := marks{}, marks{}, marks{}
			for step := range 300 {
				training.add(t, datatest.Made(t, s.Train, step), 0)
			}
			from := func(b *datasets.Batch) int {
				if split == "point" {
					return b.Context
				}
				return 0
			}
			for _, b := range validBatches(t, s) {
				valid.add(t, b, from(b))
			}
			for i := range s.Eval.Count {
				b := datatest.Made(t, s.Eval, i)
				test.add(t, b, from(b))
			}
			for p := range valid {
				if training[p] || test[p] {
					t.Errorf("by %s: the validation's point %v is in training (%v) or in the test (%v)", split, p, training[p], test[p])
				}
			}
			for p := range test {
				if training[p] {
					t.Errorf("by %s: the test's point %v is in training", split, p)
				}
			}
		}
	}
}

// Validation batches are the same at every call and under every seed but data.seed.
func TestValidationIsTheSameAtEveryCall(t *testing.T) {
	for _, split := range []string{"group", "point"} {
		e := validated(t, split, slices.Repeat([]int{9, 30, 41}, 10)...)
		s := datatest.Open(t, e, "")
		first := validBatches(t, s)
		datatest.Made(t, s.Train, 3)
		datatest.Made(t, s.Eval, 1)
		if diff := cmp.Diff(first, validBatches(t, s)); diff != "" {
			t.Errorf("%s: %s", split, diff)
		}
		e.Train.Seed, e.Eval.Seed, e.Train.ValidateEvery = 7, 8, 3
		if diff := cmp.Diff(first, validBatches(t, datatest.Open(t, e, ""))); diff != "" {
			t.Errorf("%s, other seeds: %s", split, diff)
		}
		e.Data.Seed++
		if cmp.Equal(first, validBatches(t, datatest.Open(t, e, ""))) {
			t.Errorf("%s: data.seed changes nothing", split)
		}
	}
}

// Each validation group has contexts of all sizes that training draws, the larger ones with the
// points of the smaller ones. Validation takes groups from training, none from the test.
func TestContextsOfValidation(t *testing.T) {
	sizes := append(alike(30, 60), alike(10, 4)...)
	e := validated(t, "group", sizes...)
	s := datatest.Open(t, e, "")
	contexts, points := map[int][]int{}, map[int][]int{}
	for _, b := range validBatches(t, s) {
		groups, of := members(t, b)
		for row, f := range groups {
			contexts[f] = append(contexts[f], b.Context)
			n := min(len(points[f]), b.Context)
			if !slices.Equal(points[f][:n], of[row][:n]) {
				t.Errorf("group %d: context %v after %v", f, of[row][:b.Context], points[f])
			}
			points[f] = of[row][:b.Context]
		}
	}
	if len(contexts) != 6 { // ⌊0.2·30⌋
		t.Errorf("%d groups in validation", len(contexts))
	}
	for f, got := range contexts {
		want := []int{0, 1, 2, 5, 10, 20, 50}
		if sizes[f] == 4 {
			want = []int{0, 1, 2}
		}
		if !slices.Equal(got, want) {
			t.Errorf("contexts %v of group %d, want %v", got, f, want)
		}
	}
	e.Train.ValidateEvery = 0
	without := datatest.Open(t, e, "")
	if without.Valid.Count != 0 || !slices.Equal(evaluatedGroups(t, without), evaluatedGroups(t, s)) {
		t.Error("without validation, there are validation batches or other groups in the test")
	}
	e.Train.ValidateEvery, e.Data.Context = 1, []int{3, 12}
	for _, b := range validBatches(t, datatest.Open(t, e, "")) {
		if b.Context != 3 && b.Context != 5 && b.Context != 10 {
			t.Errorf("a context of %d", b.Context)
		}
	}
}

// Held-out points are predicted from all the training points of their group, as in the evaluation,
// or from a part of them if they are many, to keep a validation small.
func TestValidationOfHeldOutPoints(t *testing.T) {
	for n, context := range map[int]int{90: 54, 999: 600, 4000: 2000} { // ⌊0.75·90⌋ = 67 points, 13 of them for validation
		batches := validBatches(t, datatest.Open(t, validated(t, "point", n), ""))
		if len(batches) != 1 || batches[0].Context != context || n == 90 && batches[0].Points != 67 {
			t.Errorf("%d batches of a group of %d points, the first of %d points and a context of %d; want one with %d",
				len(batches), n, batches[0].Points, batches[0].Context, context)
		}
	}
}

// However much is held out, a validation is small.
func TestValidationIsSmall(t *testing.T) {
	for _, c := range []struct {
		split string
		sizes []int
	}{{"group", slices.Repeat(oneTo(2, 90), 8)}, {"point", alike(300, 40)}, {"group", alike(20, 900)}} {
		targets, groups := 0, map[int]bool{}
		batches := validBatches(t, datatest.Open(t, validated(t, c.split, c.sizes...), ""))
		for _, b := range batches {
			of, _ := members(t, b)
			for _, f := range of {
				groups[f] = true
			}
			targets += b.Groups * (b.Points - b.Context)
		}
		if targets > 2000 || targets < 500 || len(batches) > 60 || len(groups) < 3 {
			t.Errorf("by %s: %d targets of %d groups in %d batches", c.split, targets, len(groups), len(batches))
		}
	}
}

func TestValidationFromTheSplitColumn(t *testing.T) {
	e := validated(t, "group", 6, 6)
	e.Data.SplitColumn = "part"
	validating := func() (all []int) {
		for _, b := range validBatches(t, datatest.Open(t, e, "")) {
			of, _ := members(t, b)
			all = append(all, of...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	putSplit(t, e.Data.File, "tttt", "eeeeeeee", "tttttt", "vvvv", "eee", "tt")
	if got := validating(); !slices.Equal(got, []int{3}) {
		t.Errorf("groups %v in validation", got)
	}
	putSplit(t, e.Data.File, "tttt", "eeeeeeee", "tttttt", "eee", "tt")
	if got := validating(); len(got) != 1 || !slices.Contains([]int{0, 2, 4}, got[0]) {
		t.Errorf("groups %v in validation, want one of the training groups", got)
	}
}

func TestValidationNeedsGroups(t *testing.T) {
	for _, c := range []struct {
		split string
		sizes []int
		says  string
	}{
		{"group", []int{9, 9}, "0.2 of 1 training group, expected some for validation"},
		{"point", []int{2, 2}, "two training points or more"},
	} {
		datatest.RefusedAt(t, validated(t, c.split, c.sizes...), invalid.Input{Key: "data.valid_fraction"}, c.says)
	}
	if got := validBatches(t, datatest.Open(t, validated(t, "group", 9, 9, 9), "")); got[0].Groups != 1 {
		t.Errorf("%d groups in validation, want 1", got[0].Groups)
	}
}
