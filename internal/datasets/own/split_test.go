package own_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// splitRows returns the table that WriteCSV writes, without its header.
func splitRows(t *testing.T, e config.Experiment) [][]string {
	t.Helper()
	header := map[string]string{"group": "group,part", "point": "group,row,part"}[e.Data.SplitBy]
	var text strings.Builder
	must.Do(t, datatest.Open(t, e, "").Split(&text))
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || strings.Join(rows[0], ",") != header {
		t.Fatalf("%v: %q", err, text.String())
	}
	return rows[1:]
}

// An evaluation takes so many points of a group as a batch holds, from all its rows, and says how many it leaves out.
func TestALargeGroupIsEvaluatedOnPointsOfAllItsRows(t *testing.T) {
	e := csvData(t, "point", 1)
	e.Data.SplitColumn = "part"
	const test = 40_000
	putSplit(t, e.Data.File, strings.Repeat("t", 100)+strings.Repeat("e", test))
	s := datatest.Open(t, e, "")
	b := datatest.Made(t, s.Eval, 0)
	targets := b.X[b.Context:b.Points]
	if n := len(targets); b.Context != 100 || n != config.MaxPoints/2 || targets[0] != 100 || targets[n/2] != 100+test/2 || targets[n-1] < test+98 {
		t.Errorf("%d known points and %d targets, from %v by %v to %v", b.Context, n, targets[0], targets[n/2], targets[n-1])
	}
	if want := fmt.Sprintf("%s: an evaluation leaves out %d points of groups that are too large for a batch", e.Data.File, test-config.MaxPoints/2); !slices.Contains(s.Warnings, want) {
		t.Errorf("warnings %q, want %q", s.Warnings, want)
	}
}

func TestSplitNamesTheGroupsOfEachPart(t *testing.T) {
	e := csvData(t, "group", append(alike(19, 12), 1)...)
	var test, trained []string
	for _, r := range splitRows(t, e) {
		if r[1] == "test" {
			test = append(test, strings.TrimPrefix(r[0], "f"))
		} else {
			trained = append(trained, r[1])
		}
	}
	s := datatest.Open(t, e, "")
	if want := fmt.Sprint(evaluatedGroups(t, s)); fmt.Sprint(strings.Join(test, " ")) != strings.Trim(want, "[]") {
		t.Errorf("%v in the test, want %s", test, want)
	}
	slices.Sort(trained)
	if got := slices.Compact(trained); got[0] != "train" {
		t.Errorf("parts %v besides the test", got)
	}
	e.Data.SplitColumn, e.Model.Name = "part", "bnp"
	putSplit(t, e.Data.File, "tttt", "eeee", "t", "vv", "tt")
	if got := fmt.Sprint(splitRows(t, e)); got != "[[f0 train] [f1 test] [f2 unused] [f3 valid] [f4 train]]" {
		t.Error(got)
	}
}

func TestSplitNamesThePartOfEachRow(t *testing.T) {
	e := csvData(t, "point", 12, 5)
	part := map[string]string{}
	for _, r := range splitRows(t, e) {
		part[r[0]+" "+r[1]] = r[2]
	}
	if len(part) != 17 {
		t.Errorf("%d rows", len(part))
	}
	s := datatest.Open(t, e, "")
	for i := range s.Eval.Count {
		b := datatest.Made(t, s.Eval, i)
		groups, points := members(t, b)
		for k, p := range points[0] {
			want := map[bool]string{true: "train", false: "test"}[k < b.Context]
			if got := part[fmt.Sprintf("f%d %d", groups[0], p+1)]; got != want {
				t.Errorf("row %d of group %d is for %s, want %s", p+1, groups[0], got, want)
			}
		}
	}
	if must.Get(benchmark.Open(must.Get(config.Parse("rbf", []byte("{benchmark: rbf, model: {name: cnp}}"), config.Overrides{}))(t), ""))(t).Split != nil {
		t.Error("a source without files has a split")
	}
}
