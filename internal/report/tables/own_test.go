package tables_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/report/tables"
	"github.com/acqnp/acqnp/internal/test/must"
)

// ownEval returns an eval.json of schema 2 of own data. The groups have log densities of logDensity,
// logDensity+1 and so on.
func ownEval(logDensity float64, groups ...string) string {
	e := lissajous(0.1, 0.2)
	e.benchmark, e.model, e.step = "csv", "cqnp", 300
	var list []map[string]any
	for i, name := range groups {
		list = append(list, map[string]any{"group": name, "points": 10, "log_density": logDensity + float64(i), "crps": 2.5,
			"coverage": map[string]float64{"0.5": 0.4, "0.9": 0.8}})
	}
	perGroup, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	scores := fmt.Sprintf(`"raw": {"context_ll": {"mean": -5.5, "std_error": 0.1}, "target_ll": {"mean": -6.25, "std_error": 0.1}},
"scored_targets": 40, "log_density": {"mean": %v, "std_error": 0.125}, "crps": 3.25, "coverage": {"0.5": 0.475, "0.9": 0.825},
"pit": [%s1], "per_group": %s, "per_batch"`, logDensity, strings.Repeat("0, ", 19), perGroup)
	return strings.Replace(e.String(), `"per_batch"`, scores, 1)
}

// addOwn makes a run directory of own data.
func addOwn(t *testing.T, root, name, eval, file string, steps, seed int) {
	t.Helper()
	must.Write(t, eval, root, name, "eval.json")
	must.Write(t, fmt.Sprintf("benchmark: csv\nmodel: {name: cqnp, scale_form: paper}\ndata: {file: %q, group: f}\ntrain: {steps: %d, seed: %d}\n", file, steps, seed), root, name, "config.yaml")
}

// own returns a directory with runs of two data sets: two seeds, one with more steps, and an old one.
func own(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	addOwn(t, root, "a", ownEval(-6, "p1", "p2"), "/home/me/a|b/school.csv", 300, 0)
	addOwn(t, root, "b", ownEval(-7, "p1", "p2"), "/home/me/a|b/school.csv", 300, 1)
	addOwn(t, root, "c", strings.Replace(ownEval(-4, "p1", hostile), `"step": 300`, `"step": 2000`, 1), "/home/me/a|b/school.csv", 2000, 0)
	old := lissajous(0.1, 0.2)
	old.benchmark, old.model, old.step = "csv", "cqnp", 300
	addOwn(t, root, "d", old.String(), "data/mel.csv", 300, 0)
	return root
}

func TestOwnDataHaveNoPaper(t *testing.T) {
	s, warnings := summarize(t, own(t))
	if len(warnings) != 0 {
		t.Errorf("warnings %q", warnings)
	}
	for _, name := range tables.FormatNames() {
		format := must.Get(tables.FindFormat(name, ""))(t)
		var b strings.Builder
		must.Do(t, format.Write(s, &b))
		shown := b.String()
		if name == "html" {
			shown = shown[strings.Index(shown, "<body>"):] // the style has a colour of this name
		}
		for _, bad := range []string{"paper", "home/me", "NaN", "<script"} {
			if strings.Contains(shown, bad) && (bad != "paper" || name != "csv") { // whose columns are the same for all runs
				t.Errorf("%s has %q:\n%s", name, bad, shown)
			}
		}
		for _, want := range []string{"school.csv", "mel.csv"} {
			if !strings.Contains(shown, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, shown)
			}
		}
	}
	md := text(t, s.Markdown)
	for _, want := range []string{
		"| mel.csv    | CQNP             |   300 |    1 | 0.200 ± 0.004§ |     – |          – |          – |",
		"| school.csv | CQNP, steps=300  |   300 |    2 | -6.500 ± 0.707 | 3.25 ± 0 | 47.5 ± 0.0% | 82.5 ± 0.0% |",
		"| school.csv | CQNP, steps=2000 |",
		"-4.000 ± 0.125 |",
		"### school.csv: CQNP, steps=300",
		"| p1       |      10 |      -6.000 |  2.5 |  40.0% |  80.0% |",
	} {
		if !strings.Contains(spaceless(md), spaceless(want)) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	if strings.Count(md, "– Not known") != 1 || strings.Count(md, "§ The log-likelihood") != 1 {
		t.Errorf("what is missing is not told once:\n%s", md)
	}
}

func spaceless(s string) string { return strings.ReplaceAll(s, " ", "") }

func TestScoresInCSV(t *testing.T) {
	s, _ := summarize(t, own(t))
	records := records(t, s)
	column := func(name string) int { return slices.Index(records[0], name) }
	got := map[string]string{}
	for _, r := range records[1:] {
		if r[column("benchmark")] == "csv (school.csv)" && r[column("runs")] == "2" {
			got[r[column("part")]] = r[column("ours_mean")] + " " + r[column("steps")]
		}
	}
	// In raw units, and over the two seeds of 300 steps.
	want := map[string]string{"context": "-5.5 300", "target": "-6.25 300", "log_density": "-6.5 300", "crps": "3.25 300",
		"coverage_0.5": "0.475 300", "coverage_0.9": "0.825 300"}
	must.Same(t, want, got)
}

// Files of one name are told apart by their paths.
func TestDataOfOneName(t *testing.T) {
	root := t.TempDir()
	for i, file := range []string{"/x/a/data.csv", "/y/a/data.csv", "/x/b/data.csv", "./data.csv", "other.csv"} {
		addOwn(t, root, fmt.Sprint(i), ownEval(-6), file, 300, 0)
	}
	s, _ := summarize(t, root)
	var got []string
	for _, row := range s.Tables[0].Rows {
		got = append(got, row.Benchmark)
	}
	must.Same(t, []string{"csv (/x/a/data.csv)", "csv (/x/b/data.csv)", "csv (/y/a/data.csv)", "csv (data.csv)", "csv (other.csv)"}, got)
}

func TestTablesOfGroupsAreBounded(t *testing.T) {
	root, names := t.TempDir(), []string(nil)
	for i := range 100 {
		names = append(names, fmt.Sprintf("f%02d", i))
	}
	for seed := range 15 {
		addOwn(t, root, fmt.Sprint(seed), ownEval(-6, names...), "a.csv", 300+seed, 0)
	}
	s, _ := summarize(t, root)
	md := text(t, s.Markdown)
	if n := strings.Count(md, "\n### "); n != 12 || !strings.Contains(md, "left out for their number: 3.") {
		t.Errorf("%d tables of groups, want 12:\n%s", n, md)
	}
	table := md[strings.LastIndex(md, "\n### "):]
	for i, name := range names {
		if shown := strings.Contains(table, name); shown != (i < 5 || i >= 95) {
			t.Errorf("%s is shown: %v", name, shown)
		}
	}
}

// The paper's benchmarks have their scores below the table with the paper's results.
func TestScoresOfThePapersBenchmarks(t *testing.T) {
	root := t.TempDir()
	e := strings.NewReplacer(`"csv"`, `"lissajous"`, `"cqnp"`, `"acqnp"`).Replace(ownEval(-6))
	must.Write(t, e, root, "a", "eval.json")
	s, _ := summarize(t, root)
	md := text(t, s.Markdown)
	for _, want := range []string{"paper", "Scores in raw units: ", "| -6.000 ± 0.125 | 3.25 |", "0.100 ± 0.003†"} {
		if !strings.Contains(spaceless(md), spaceless(want)) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
}
