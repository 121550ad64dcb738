package tables_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/report/tables"
	"github.com/acqnp/acqnp/internal/test/must"
)

// addVariant writes a run directory of an ACQNP on lissajous with keys added to model and to train. context
// is the log-likelihood of the context points.
func addVariant(t *testing.T, root, name, model, train string, seed int, context float64) {
	t.Helper()
	must.Write(t, lissajous(context, 0.5).String(), root, name, "eval.json")
	must.Write(t, fmt.Sprintf("benchmark: lissajous\nmodel: {name: acqnp%s}\ntrain: {seed: %d%s}\n", model, seed, train), root, name, "config.yaml")
}

// variants returns a directory with runs of the paper's ACQNP and of three variants, all of seed 0,
// and a run with seed 1 of one variant.
func variants(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	addVariant(t, root, "acqnp", "", "", 0, 1)
	addVariant(t, root, "transformer/0", ", aggregation: transformer, adaptor_form: residual", "", 0, 2)
	addVariant(t, root, "transformer/1", ", aggregation: transformer, adaptor_form: residual", "", 1, 2.5)
	addVariant(t, root, "attention", ", aggregation: attention", "", 0, 3)
	addVariant(t, root, "floor", ", sigma_floor: 0.1", "", 0, 4)
	return root
}

// rows returns the variant, the settings, the number of runs and the mean of each row, and whether it has the
// paper's result.
func rows(s tables.Summary) (list []string) {
	for _, row := range s.Tables[0].Rows {
		beside := row.Context.Paper != nil && row.Context.Difference != nil && row.Target.Paper != nil
		list = append(list, fmt.Sprintf("%s|%s|%d|%v|%v", row.Variant, strings.Join(row.Settings, "; "), len(row.Runs), *row.Context.Mean, beside))
	}
	return list
}

func TestVariantsAreRowsBelowThePapersModel(t *testing.T) {
	s, warnings := summarize(t, variants(t))
	if len(s.Tables) != 1 || len(warnings) != 0 {
		t.Fatalf("%d tables, warnings %q", len(s.Tables), warnings)
	}
	want := []string{"||1|1|true", "attention||1|3|false", "sigma floor 0.1||1|4|false", "transformer, residual||2|2.25|false"}
	must.Same(t, want, rows(s))
	note := s.Tables[0].Rows[3].Notes[0]
	for _, difference := range []string{"model.aggregation: transformer and mean", "model.adaptor_form: residual and plain", "train.loss: targets and all"} {
		if !strings.Contains(note, difference) {
			t.Errorf("note %q lacks %q", note, difference)
		}
	}
}

// The paper's row stands above that of a variant also if it has no run.
func TestThePapersRowAlone(t *testing.T) {
	root := t.TempDir()
	addVariant(t, root, "a", ", aggregation: attention", "", 0, 3)
	s, _ := summarize(t, root)
	if rows := s.Tables[0].Rows; len(rows) != 2 || len(rows[0].Runs) != 0 || rows[0].Context.Paper.Mean != 0.929 || len(rows[1].Runs) != 1 {
		t.Errorf("%+v", rows)
	}
}

// Runs of a variant that differ in their settings have rows of their own, by the least keys that tell them apart.
func TestSettingsTellRunsApart(t *testing.T) {
	root := t.TempDir()
	addVariant(t, root, "a", "", ", learning_rate: 2e-4", 0, 4)
	addVariant(t, root, "b", "", ", learning_rate: 2e-4, log_every: 7", 1, 5)
	addVariant(t, root, "c", "", "", 0, 3)
	addVariant(t, root, "d", "", ", learning_rate: 0.01, weight_decay: 0.1", 1, 1)
	s, _ := summarize(t, root)
	want := []string{"|train.learning_rate=0.0002|2|4.5|true", "|train.learning_rate=0.001|1|3|true", "|train.learning_rate=0.01|1|1|true"}
	must.Same(t, want, rows(s))
	if md := text(t, s.Markdown); strings.Count(md, "| ACQNP, learning_rate=0.0002") != 2 { // also in What was evaluated
		t.Errorf("markdown:\n%s", md)
	}
	if page := text(t, s.HTML); !strings.Contains(page, `scope="row">ACQNP, learning_rate=0.0002<sup>`) {
		t.Error("the page's table lacks the settings")
	}
	records := records(t, s)
	last := len(records[0]) - 1
	if records[0][last] != "settings" || records[1][last] != "train.learning_rate=0.0002" {
		t.Errorf("%q", records[:2])
	}
	// A second key that tells runs apart is part of every row's name.
	addVariant(t, root, "e", ", layers: 3, aggregation: transformer", "", 0, 7)
	addVariant(t, root, "f", "", ", schedule: cosine", 0, 6)
	s, _ = summarize(t, root)
	want = []string{"|train.learning_rate=0.0002; train.schedule=constant|2|4.5|true", "|train.learning_rate=0.001; train.schedule=constant|1|3|true",
		"|train.learning_rate=0.01; train.schedule=constant|1|1|true", "|train.learning_rate=0.001; train.schedule=cosine|1|6|true", "transformer||1|7|false"}
	must.Same(t, want, rows(s))
}

func TestTheSameSettingsTwiceAreRefused(t *testing.T) {
	root := t.TempDir()
	addVariant(t, root, "a", "", "", 1, 3)
	addVariant(t, root, "b", "", ", learning_rate: 0.01", 1, 2)
	addVariant(t, root, "x", "", ", learning_rate: 0.01", 1, 2)
	runs := must.Get(tables.Gather(root, func(error) {}))(t)
	_, err := tables.Summarize(runs)
	var bad *invalid.Input
	if !errors.As(err, &bad) || bad.File != filepath.Join(root, "x", "eval.json") ||
		!strings.Contains(err.Error(), "found seed 1 of acqnp (learning_rate=0.01) on lissajous, as in "+filepath.Join(root, "b", "eval.json")) {
		t.Error(err)
	}
}

func TestEachFormatNamesVariants(t *testing.T) {
	s, _ := summarize(t, variants(t))
	page := text(t, s.HTML)
	if !strings.Contains(page, `scope="row">ACQNP, transformer, residual<sup>`) {
		t.Error("no variant in the page's table")
	}
	records := records(t, s)
	if got := records[7]; got[len(got)-2] != "transformer, residual" || got[1] != "acqnp" || got[3] != "2.25" || got[6] != "" {
		t.Errorf("record %q of a variant, want no result of the paper", got)
	}
}

// An eval.json without a configuration names its variant itself.
func TestVariantsOfEvaluationsWithoutAConfiguration(t *testing.T) {
	root := t.TempDir()
	e := lissajous(1, 0.5)
	must.Write(t, e.String(), root, "a", "eval.json")
	must.Write(t, strings.Replace(e.String(), `"seed": 43`, `"variant": "attention", "seed": 43`, 1), root, "b", "eval.json")
	s, _ := summarize(t, root)
	if rows := s.Tables[0].Rows; len(rows) != 2 || rows[1].Variant != "attention" || rows[1].Context.Paper != nil {
		t.Errorf("%+v, want a row for each", rows)
	}
}
