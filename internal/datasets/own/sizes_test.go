package own_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/invalid"
)

// oneTo returns the sizes from lo to hi.
func oneTo(lo, hi int) (all []int) {
	for n := lo; n <= hi; n++ {
		all = append(all, n)
	}
	return all
}

// trainedGroups returns how often each group takes part in the first steps of training. It
// checks every batch: its sizes, its points, and that no group is cut to half of its size.
func trainedGroups(t testing.TB, s *datasets.Source, steps, most int, sizes []int) map[int]int {
	t.Helper()
	counts := map[int]int{}
	for step := range steps {
		b := datatest.Made(t, s.Train, step)
		groups, _ := members(t, b)
		least := most
		for _, f := range groups {
			counts[f]++
			least = min(least, sizes[f])
			if n := min(sizes[f], most); n >= 2*b.Points {
				t.Fatalf("step %d: N = %d for a group of %d points", step, b.Points, sizes[f])
			}
		}
		if max := s.Train.Size; b.Points != least || b.Context >= b.Points || b.Groups != max.Groups || b.Points > max.Points || b.Context > max.Context {
			t.Fatalf("step %d: N = %d of at least %d points, N_c = %d of %v", step, b.Points, least, b.Context, max)
		}
	}
	return counts
}

// Small groups neither stop the others nor cut them to their size. Each training group takes
// part equally often.
func TestGroupsOfAnySizeTakePartEquallyOften(t *testing.T) {
	for name, sizes := range map[string][]int{
		"1 to 100":     oneTo(1, 100),
		"one of 14":    append(alike(127, 40), 14),
		"few":          {60, 14, 33, 21, 17, 40, 67},
		"of one size":  alike(30, 12),
		"one and one":  {5, 700},
		"below 3":      {2, 1, 2, 2, 1, 1, 2},
		"large, small": append(alike(9, 900), alike(9, 3)...),
		"1":            alike(9, 1),
	} {
		e := csvData(t, "group", sizes...)
		s := datatest.Open(t, e, "")
		test := evaluatedGroups(t, s)
		for _, rounds := range []int{1, 2} {
			counts := trainedGroups(t, s, rounds*(len(sizes)-len(test)), config.MaxCSVPoints, sizes)
			if len(counts) != len(sizes)-len(test) {
				t.Errorf("%s: %d groups in training, %d in the test", name, len(counts), len(test))
			}
			for f, n := range counts {
				if n != rounds*e.Train.BatchSize || slices.Contains(test, f) {
					t.Errorf("%s: group %d takes part %d times in %d rounds, want %d", name, f, n, rounds, rounds*e.Train.BatchSize)
				}
			}
		}
	}
}

// BNP needs a context point. Groups of one point are left out.
func TestBNPLeavesOutGroupsOfOnePoint(t *testing.T) {
	sizes := slices.Repeat([]int{1, 2, 7, 1, 30}, 6)
	e := csvData(t, "group", sizes...)
	e.Model.Name = "bnp"
	s := datatest.Open(t, e, "")
	for _, f := range slices.Concat(takingPart(t, s, sizes), evaluatedGroups(t, s)) {
		if sizes[f] == 1 {
			t.Errorf("group %d of one point takes part", f)
		}
	}
	for step := range 100 {
		if b := datatest.Made(t, s.Train, step); b.Context < 1 {
			t.Fatalf("step %d: no context", step)
		}
	}
	e.Train.ValidateEvery, e.Data.ValidFraction = 1, 0.3
	for _, b := range validBatches(t, datatest.Open(t, e, "")) {
		if b.Context < 1 {
			t.Error("validation without a context")
		}
	}
}

// takingPart returns the groups of training, found by training for long.
func takingPart(t testing.TB, s *datasets.Source, sizes []int) []int {
	t.Helper()
	seen := map[int]bool{}
	for step := range 2 * len(sizes) {
		groups, _ := members(t, datatest.Made(t, s.Train, step))
		for _, f := range groups {
			seen[f] = true
		}
	}
	var all []int
	for f := range seen {
		all = append(all, f)
	}
	return all
}

// An epoch has each group once if all are of similar sizes.
func TestAnEpochHasEachGroupOnce(t *testing.T) {
	sizes := slices.Repeat([]int{12, 14, 19, 23}, 10)
	e := csvData(t, "group", sizes...)
	s := datatest.Open(t, e, "")
	for epoch := range 6 { // two rounds of 3 epochs: 30 groups, batches of 3
		seen := map[int]int{}
		for step := range 10 {
			groups, _ := members(t, datatest.Made(t, s.Train, 10*epoch+step))
			for _, f := range groups {
				seen[f]++
			}
		}
		if len(seen) != 30 {
			t.Errorf("epoch %d has %d of 30 groups", epoch, len(seen))
		}
	}
}

// data.points and data.context bound N and N_c as far as the groups allow.
func TestPointsAndContextOfAnySize(t *testing.T) {
	sizes := slices.Repeat([]int{3, 40, 90}, 10)
	e := csvData(t, "group", sizes...)
	e.Data.Points, e.Data.Context = []int{20, 60}, []int{5, 10}
	s := datatest.Open(t, e, "")
	if diff := cmp.Diff(datasets.Size{Groups: 3, Points: 60, Context: 10}, s.Train.Size); diff != "" {
		t.Error(diff)
	}
	drawn := map[int]bool{}
	for step := range 400 {
		b := datatest.Made(t, s.Train, step)
		drawn[b.Points] = true
		switch {
		case b.Points == 3 && b.Context != 2, b.Points > 3 && (b.Points < 20 || b.Points > 60 || b.Context < 5 || b.Context > 10):
			t.Fatalf("N = %d, N_c = %d", b.Points, b.Context)
		}
	}
	if len(drawn) < 30 { // of 42 values, some of them rare
		t.Errorf("%d values of N", len(drawn))
	}
	for i := range s.Eval.Count {
		if b := datatest.Made(t, s.Eval, i); b.Context > 10 || b.Context < min(5, b.Points-1) {
			t.Errorf("an evaluation of N = %d with N_c = %d", b.Points, b.Context)
		}
	}
}

// The evaluation takes all points of each held-out group.
func TestEvaluationOfDifferentSizes(t *testing.T) {
	sizes := oneTo(2, 80)
	s := datatest.Open(t, csvData(t, "group", sizes...), "")
	contexts := map[bool]int{}
	for i := range s.Eval.Count {
		b := datatest.Made(t, s.Eval, i)
		groups, _ := members(t, b)
		if b.Groups != 1 || b.Points != sizes[groups[0]] || b.Context >= b.Points || b.Context > config.MaxCSVContext {
			t.Errorf("N_c = %d, N = %d of %d points", b.Context, b.Points, sizes[groups[0]])
		}
		contexts[b.Context > 25]++
	}
	if contexts[true] == 0 || contexts[false] == 0 {
		t.Errorf("contexts above 25, and others: %v", contexts)
	}
	// Held-out points of groups of different sizes; those of one point are for training.
	s = datatest.Open(t, csvData(t, "point", 1, 2, 3, 40), "")
	want := [][2]int{{2, 1}, {3, 2}, {40, 30}} // N, N_c
	for i := range s.Eval.Count {
		if b := datatest.Made(t, s.Eval, i); i >= len(want) || b.Points != want[i][0] || b.Context != want[i][1] {
			t.Errorf("evaluation %d: N = %d, N_c = %d", i, b.Points, b.Context)
		}
	}
	if s.Eval.Count != len(want) {
		t.Errorf("%d batches, want %d", s.Eval.Count, len(want))
	}
}

// putSplit writes the groups f0, f1, … with a column part, one value for each row.
func putSplit(t testing.TB, path string, parts ...string) {
	t.Helper()
	text := []byte("name,x,y,part\n")
	for f, of := range parts {
		for i, p := range strings.Split(of, "") {
			part := map[string]string{"t": "train", "v": "valid", "e": "test", "-": ""}[p]
			if part == "" && p != "-" {
				part = p
			}
			text = fmt.Appendf(text, "f%d,%d,%d,%s\n", f, i, 1000*f+i, part)
		}
	}
	datatest.Put(t, path, text)
}

func TestSplitColumn(t *testing.T) {
	e := csvData(t, "group", 6, 6)
	e.Data.SplitColumn = "part"
	putSplit(t, e.Data.File, "tttt", "eeeeeeee", "tttttt", "vvvv", "eee", "tt")
	s := datatest.Open(t, e, "")
	if got := evaluatedGroups(t, s); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("groups %v in the test", got)
	}
	if got := slices.Sorted(slices.Values(takingPart(t, s, alike(6, 9)))); !slices.Equal(got, []int{0, 2, 5}) {
		t.Errorf("groups %v in training", got)
	}
	e.Data.SplitBy = "point"
	putSplit(t, e.Data.File, "tetetvv", "eeetttt")
	s = datatest.Open(t, e, "")
	held := [][]int{{1, 3}, {0, 1, 2}}
	for i, want := range held {
		b := datatest.Made(t, s.Eval, i)
		_, points := members(t, b)
		if got := points[0][b.Context:]; !slices.Equal(got, want) {
			t.Errorf("points %v of group %d in the test, want %v", got, i, want)
		}
	}
	for step := range 50 {
		groups, points := members(t, datatest.Made(t, s.Train, step))
		for k, f := range groups {
			for _, p := range points[k] {
				if slices.Contains(held[f], p) || f == 0 && p > 4 {
					t.Fatalf("training on point %d of group %d", p, f)
				}
			}
		}
	}
}

func TestBadSplitsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, split string
		parts       []string
		column      string
		model       string
		line        int
		key         string
		says        string
	}{
		{name: "an unknown value", parts: []string{"ttt", "eXe"}, line: 6, key: "part", says: `"X", expected train, valid, test`},
		{name: "no value", parts: []string{"tt-", "eee"}, line: 4, key: "part", says: "found nothing"},
		{name: "no training group", parts: []string{"eee", "vvv"}, key: "part", says: "no group with the value train"},
		{name: "no test", parts: []string{"ttt", "vvv"}, key: "part", says: "no group with the value test"},
		{name: "no training row", split: "point", parts: []string{"eee", "vvv"}, key: "part", says: "no row with the value train"},
		{name: "two values in a group", parts: []string{"ttt", "eet"}, line: 5, says: `"f1" with test and train in the column part`},
		{name: "no column", parts: []string{"ttt", "eee"}, column: "set", line: 1, says: "set"},
		{name: "functions of one point", parts: []string{"t", "t", "e"}, model: "bnp", key: "data.file", says: "no training group"},
		{name: "tests of one point", parts: []string{"tt", "ttt", "e"}, model: "bnp", key: "data.file", says: "no held-out group"},
	} {
		e := csvData(t, "group", 6, 6)
		if c.split != "" {
			e.Data.SplitBy = c.split
		}
		e.Data.SplitColumn, e.Model.Name = "part", c.model
		if c.column != "" {
			e.Data.SplitColumn = c.column
		}
		putSplit(t, e.Data.File, c.parts...)
		file := ""
		if !strings.HasPrefix(c.key, "data.") {
			file = e.Data.File
		}
		datatest.RefusedAt(t, e, invalid.Input{File: file, Line: c.line, Key: c.key}, c.says)
	}
	datatest.Refused(t, csvData(t, "point", 1, 1, 1), "", "two points or more")
}
