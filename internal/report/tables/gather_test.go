package tables_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/report/tables"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestForeignFilesAreNamedAndLeftOut(t *testing.T) {
	root := t.TempDir()
	good := lissajous(1, 0.5)
	addRun(t, root, "good", good, 0, "")
	edit := func(old, new string) string { return strings.Replace(good.String(), old, new, 1) }
	for name, c := range map[string]struct{ content, want string }{
		"broken":  {"{", "unexpected end"},
		"schema":  {`{"schema": "acqnp.eval/3"}`, "acqnp.eval/2"},
		"bare":    {`{"schema": "acqnp.eval/2"}`, "benchmark"},
		"model":   {edit(`"acqnp", "seed"`, `"", "seed"`), "model"},
		"batches": {edit(`"batches": 5000`, `"batches": 0`), "batches"},
		"absent":  {edit(`"target_ll"`, `"target"`), "target_ll.std_error"},
		"null":    {edit(`0.003`, `null`), "context_ll.std_error"},
		"minus":   {edit(`0.003`, `-0.003`), "-0.003"},
		"one":     {edit(`"batches": 5000`, `"batches": 1`), "std_error"},
		"huge":    {edit(`"mean": 1,`, `"mean": 1e200,`), "1e+200"},
	} {
		path := must.Write(t, c.content, root, name, "eval.json")
		_, warnings := summarize(t, root)
		if len(warnings) != 1 || !strings.HasPrefix(warnings[0], path) || !strings.Contains(warnings[0], c.want) || strings.Contains(warnings[0], "\n") {
			t.Errorf("%s: warnings %q, want one line with %q", name, warnings, c.want)
		}
		must.Do(t, os.RemoveAll(filepath.Dir(path)))
	}
}

// The context's mean has no error if one batch alone has a context: the evaluation of two groups may draw none for one.
func TestOneBatchWithAContextIsEnough(t *testing.T) {
	for _, second := range []int{0, 3} {
		e := run.NewEval([]run.BatchResult{{NumPoints: 9, NumContext: 4, ContextLL: 1, TargetLL: 2}, {NumPoints: 9, NumContext: second, TargetLL: 3}}, 0)
		e.Benchmark, e.Model = "csv", "cnp"
		root := t.TempDir()
		must.Do(t, e.Write(filepath.Join(root, run.EvalFile)))
		if _, warnings := summarize(t, root); len(warnings) > 0 {
			t.Errorf("context of %d in the second batch: %q", second, warnings)
		}
	}
}

func TestConfigurationMustBelongToTheEvaluation(t *testing.T) {
	root := t.TempDir()
	addRun(t, root, "good", lissajous(1, 0.5), 0, "")
	must.Write(t, lissajous(2, 0.5).String(), root, "other", "eval.json")
	other := must.Write(t, "benchmark: circle\nmodel: {name: cnp}\n", root, "other", "config.yaml")
	s, warnings := summarize(t, root)
	if len(warnings) != 1 || !strings.Contains(warnings[0], other) || !strings.Contains(warnings[0], "cnp on circle") {
		t.Errorf("warnings %q", warnings)
	}
	if mean := *onlyRow(t, s).Context.Mean; mean != 1 {
		t.Errorf("mean %v, want that of the other run alone", mean)
	}
}

func TestOnlyWhatIsNamedEvalJSONIsGathered(t *testing.T) {
	root := t.TempDir()
	addRun(t, root, "a/b/c", lissajous(1, 0.5), 0, "")
	must.Write(t, lissajous(3, 0.5).String(), root, "a", "b", "c", "eval-50000.json")
	must.Do(t, os.MkdirAll(filepath.Join(root, "odd", "eval.json"), 0o755))
	s, warnings := summarize(t, root)
	if row := onlyRow(t, s); len(row.Runs) != 1 || len(warnings) != 0 {
		t.Errorf("%d runs, warnings %q", len(row.Runs), warnings)
	}
}

func TestDirectoriesWithoutEvaluationsAreRefused(t *testing.T) {
	file := must.Write(t, "x", t.TempDir(), "file")
	foreign := t.TempDir()
	must.Write(t, "{", foreign, "run", "eval.json")
	for dir, want := range map[string]string{
		t.TempDir():                          "no eval.json",
		filepath.Join(t.TempDir(), "absent"): "found nothing",
		file:                                 "found a file",
		foreign:                              "no eval.json that can be read",
	} {
		_, err := tables.Gather(dir, func(error) {})
		var bad *invalid.Input
		if !errors.As(err, &bad) || bad.File != dir || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q about %s", err, want, dir)
		}
	}
}

func TestALinkToADirectoryIsFollowed(t *testing.T) {
	root := t.TempDir()
	addRun(t, root, "runs/a", lissajous(1, 0.5), 0, "")
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "runs"), link); err != nil {
		t.Skip(err)
	}
	if runs, err := tables.Gather(link, func(error) {}); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, error %v", len(runs), err)
	}
}

func TestWeightsFromElsewhereAreKnownByTheirFile(t *testing.T) {
	root := t.TempDir()
	one, two := lissajous(1, 0.5), lissajous(2, 0.5)
	two.weights = "v"
	must.Write(t, one.String(), root, "a", "eval.json")
	must.Write(t, two.String(), root, "b", "eval.json")
	s, _ := summarize(t, root)
	if row := onlyRow(t, s); len(row.Runs) != 2 || row.Used.Seeds[0] != "unknown" {
		t.Errorf("%d runs of seeds %q", len(row.Runs), row.Used.Seeds)
	}
	must.Write(t, one.String(), root, "c", "eval.json")
	runs := must.Get(tables.Gather(root, func(error) {}))(t)
	if _, err := tables.Summarize(runs); err == nil || !strings.Contains(err.Error(), "weights w") {
		t.Errorf("error %v, want one about the weights", err)
	}
}
