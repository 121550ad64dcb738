package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// addVariant writes a run directory of an ACQNP on lissajous. keys are added to model, and context
// is the log-likelihood of the context points.
func addVariant(t *testing.T, root, name, keys string, seed int, context float64) {
	t.Helper()
	write(t, lissajous(context, 0.5).String(), root, name, "eval.json")
	write(t, fmt.Sprintf("benchmark: lissajous\nmodel: {name: acqnp%s}\ntrain: {seed: %d}\n", keys, seed), root, name, "config.yaml")
}

// variants returns a directory with runs of the paper's ACQNP and of three variants, all of seed 0,
// and a run with seed 1 of one variant.
func variants(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	addVariant(t, root, "acqnp", "", 0, 1)
	addVariant(t, root, "transformer/0", ", aggregation: transformer, adaptor_form: residual", 0, 2)
	addVariant(t, root, "transformer/1", ", aggregation: transformer, adaptor_form: residual", 1, 2.5)
	addVariant(t, root, "attention", ", aggregation: attention", 0, 3)
	addVariant(t, root, "floor", ", sigma_floor: 0.1", 0, 4)
	return root
}

func TestVariantsAreRowsBelowThePapersModel(t *testing.T) {
	s, warnings := summarize(t, variants(t))
	if len(s.Tables) != 1 || len(warnings) != 0 {
		t.Fatalf("%d tables, warnings %q", len(s.Tables), warnings)
	}
	var got []string
	for _, row := range s.Tables[0].Rows {
		paper := "with the paper's result"
		if row.Context.Paper == nil && row.Context.Difference == nil && row.Target.Paper == nil {
			paper = "alone"
		}
		got = append(got, fmt.Sprintf("%s|%s|%d runs|%v|%s", row.Model, row.Variant, len(row.Runs), *row.Context.Mean, paper))
	}
	want := []string{
		"acqnp||1 runs|1|with the paper's result",
		"acqnp|attention|1 runs|3|alone",
		"acqnp|sigma floor 0.1|1 runs|4|alone",
		"acqnp|transformer, residual|2 runs|2.25|alone",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	note := s.Tables[0].Rows[3].Notes[0]
	for _, difference := range []string{"model.aggregation: transformer and mean", "model.adaptor_form: residual and plain", "train.loss: targets and all"} {
		if !strings.Contains(note, difference) {
			t.Errorf("note %q lacks %q", note, difference)
		}
	}
}

// A note that is too long keeps the keys of the variant and of the evaluation.
func TestNotesNameTheForemostDifferences(t *testing.T) {
	root := t.TempDir()
	e := lissajous(1, 0.5)
	e.batches = 50
	write(t, e.String(), root, "a", "eval.json")
	write(t, `benchmark: lissajous
model: {name: acqnp, aggregation: transformer, adaptor_form: residual, representation: 64, encoder: [64], adaptor: [32], decoder: [64], layers: 3}
train: {steps: 100000, batch_size: 16, num_tau: 32, learning_rate: 5e-4, weight_decay: 0, schedule: cosine}
`, root, "a", "config.yaml")
	s, _ := summarize(t, root)
	if rows := s.Tables[0].Rows; len(rows) != 2 || len(rows[0].Runs) != 0 || rows[0].Context.Paper.Mean != 0.929 {
		t.Fatalf("%+v, want the paper's row above the variant's", rows)
	}
	want := "Not the paper's settings (here and there): model.aggregation: transformer and mean; " +
		"model.adaptor_form: residual and plain; train.loss: targets and all; model.representation: 64 and 128; " +
		"model.encoder: [64] and [128, 128, 128]; model.adaptor: [32] and [128, 128, 128, 128, 128]; eval.batches: 50 and 5000; 9 more."
	if got := s.Tables[0].Rows[1].Notes[0]; got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestSizesOfOneVariantAreRowsOfTheirOwn(t *testing.T) {
	root := variants(t)
	addVariant(t, root, "small", ", aggregation: transformer, adaptor_form: residual, representation: 64, layers: 3", 0, 5)
	s, _ := summarize(t, root)
	md := text(t, s.Markdown)
	for _, want := range []string{"| ACQNP [", "| ACQNP, attention [", "| ACQNP, transformer, residual, width 128, 6 layers [",
		"| ACQNP, transformer, residual, width 64, 3 layers ["} {
		if want == "| ACQNP [" {
			want = "| ACQNP  " // the paper's settings, without notes
		}
		if strings.Count(md, want) != 1+strings.Count(md[strings.Index(md, "What was evaluated"):], want) {
			t.Errorf("not one row %q in\n%s", want, md)
		}
	}
}

func TestEachFormatNamesVariants(t *testing.T) {
	s, _ := summarize(t, variants(t))
	page := text(t, s.HTML)
	if !strings.Contains(page, `scope="row">ACQNP, transformer, residual<sup>`) {
		t.Error("no variant in the page's table")
	}
	records := records(t, s)
	last := len(records[0]) - 1
	if diff := cmp.Diff([]string{"variant", "size", "transformer, residual", ""}, append(records[0][last-1:], records[7][last-1:]...)); diff != "" {
		t.Error(diff)
	}
	if got := records[7]; got[1] != "acqnp" || got[3] != "2.25" || got[6] != "" {
		t.Errorf("record %q of a variant, want no result of the paper", got)
	}
}

// An eval.json without a configuration names its variant itself.
func TestVariantsOfEvaluationsWithoutAConfiguration(t *testing.T) {
	root := t.TempDir()
	e := lissajous(1, 0.5)
	write(t, e.String(), root, "a", "eval.json")
	write(t, strings.Replace(e.String(), `"seed": 43`, `"variant": "attention", "seed": 43`, 1), root, "b", "eval.json")
	s, _ := summarize(t, root)
	if rows := s.Tables[0].Rows; len(rows) != 2 || rows[1].Variant != "attention" || rows[1].Context.Paper != nil {
		t.Errorf("%+v, want a row for each", rows)
	}
}
