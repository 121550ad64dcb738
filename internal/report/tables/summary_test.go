package tables_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// near reports whether two numbers are equal up to the rounding of a few operations.
func near(p *float64, want float64) bool {
	return p != nil && math.Abs(*p-want) < 1e-12*max(1, math.Abs(want))
}

func TestCombinedErrorByHand(t *testing.T) {
	root := t.TempDir()
	for seed, context := range []float64{0.9, 1.0, 1.4} { // mean 1.1, squares 0.04+0.01+0.09 = 0.14 over 2: sd² = 0.07
		addRun(t, root, fmt.Sprint(seed), lissajous(context, 0.634), seed, "")
	}
	s, warnings := summarize(t, root)
	row := onlyRow(t, s)
	c := row.Context
	// the paper: 0.929 ± 0.038, so (1.1 − 0.929) / √(0.07/3 + 0.038²)
	want := 0.171 / math.Sqrt(0.07/3+0.001444)
	if !near(c.Mean, 1.1) || !near(c.SD, math.Sqrt(0.07)) || !near(c.Difference, want) || c.StdError != nil || c.Paper.Mean != 0.929 {
		t.Errorf("context %v ± %v, difference %v, want 1.1 ± %v, %v", *c.Mean, *c.SD, *c.Difference, math.Sqrt(0.07), want)
	}
	if tg := row.Target; !near(tg.SD, 0) || math.Abs(*tg.Difference) > 1e-12 {
		t.Errorf("target ± %v, difference %v, want 0 and 0", *tg.SD, *tg.Difference)
	}
	if len(warnings)+len(row.Notes) != 0 {
		t.Errorf("warnings %q, notes %q of the paper's own settings", warnings, row.Notes)
	}
}

func TestASingleRunHasItsErrorOverBatches(t *testing.T) {
	root := t.TempDir()
	addRun(t, root, "a", lissajous(0.969, 0.6), 3, "")
	s, _ := summarize(t, root)
	c := onlyRow(t, s).Context
	want := 0.040 / math.Sqrt(0.003*0.003+0.038*0.038)
	if c.SD != nil || !near(c.StdError, 0.003) || !near(c.Difference, want) {
		t.Errorf("context %+v, want a difference of %v", c, want)
	}
	md := text(t, s.Markdown)
	for _, want := range []string{"0.969 ± 0.003†", "+1.0", "† One run", "0.929 ± 0.038", "100 (random)"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	if strings.Contains(md, "‡") {
		t.Errorf("a mark that nothing has is explained:\n%s", md)
	}
}

func TestASingleBatchHasNoErrorOfItsOwn(t *testing.T) {
	root := t.TempDir()
	e := evalJSON{benchmark: "speed-flow", model: "cnp", batches: 1, context: 0.865, contextE: -1, target: 0.719, targetE: -1, step: 10000}
	addRun(t, root, "a", e, 0, "")
	s, _ := summarize(t, root)
	if c := onlyRow(t, s).Context; c.StdError != nil || !near(c.Difference, 2) {
		t.Errorf("context %+v, want a difference of (0.865 − 0.845)/0.010", c)
	}
	if md := text(t, s.Markdown); !strings.Contains(md, "0.865‡") || !strings.Contains(md, "‡ One run of one batch") || !strings.Contains(md, " 0.0 ") {
		t.Error(md)
	}
}

func TestNotesTellWhatIsNotAlike(t *testing.T) {
	root := t.TempDir()
	a, b := lissajous(1, 0.5), lissajous(1.1, 0.5)
	a.batches, a.levels, a.step = 10, "grid", 500
	addRun(t, root, "a", a, 0, "eval: {max_context: 50}")
	addRun(t, root, "b", b, 1, "")
	s, _ := summarize(t, root)
	row := onlyRow(t, s)
	want := []string{
		"The runs differ: batches: 10 and 5000; levels: grid and random; steps: 500 and 100000; eval.max_context: 50 and 100.",
		"Not the paper's settings (here and there): eval.max_context: 50 and 100; eval.batches: 10 and 5000.",
		"Training was not finished: step 500 of 100000.",
	}
	must.Same(t, want, row.Notes)
	md, page := text(t, s.Markdown), text(t, s.HTML)
	for i, note := range want {
		if !strings.Contains(md, fmt.Sprintf("\n[%d] %s", i+1, note)) {
			t.Errorf("markdown lacks note %d:\n%s", i+1, md)
		}
		if !strings.Contains(page, fmt.Sprintf(`<li id="note-%d">`, i+1)) || !strings.Contains(page, fmt.Sprintf(`<a href="#note-%d">`, i+1)) {
			t.Errorf("the page lacks note %d", i+1)
		}
	}
	if !strings.Contains(md, "ACQNP [1] [2] [3]") {
		t.Errorf("the row does not refer to its notes:\n%s", md)
	}
	must.Same(t, []string{"0", "1"}, row.Used.Seeds)
}

// Epochs are not steps, and a validation chooses an earlier checkpoint: the log tells whether such runs have ended.
func TestNotesTellWhatHasNotEnded(t *testing.T) {
	const line = `{"step":%d,"loss":1,"learning_rate":1,"rows_per_s":1,"elapsed_s":1%s}` + "\n"
	epochs, validated := "train: {epochs: 3}", "train: {validate_every: 5, steps: 40}"
	for _, c := range []struct {
		settings string
		step     int // evaluated
		logged   string
		want     string
	}{
		{epochs, 30, fmt.Sprintf(line, 40, ""), "Training was not finished: step 30, before the end of 3 epochs."},
		{epochs, 30, fmt.Sprintf(line, 40, `,"ended":"steps"`), "Training was not finished: step 30, before the end of 3 epochs."},
		{epochs, 40, fmt.Sprintf(line, 40, `,"ended":"steps"`), ""},
		{epochs, 40, "", ""}, // not known
		{validated, 5, fmt.Sprintf(line, 20, ""), "Training was not finished: step 5, the best of 20, before the run ended."},
		{validated, 5, fmt.Sprintf(line, 20, `,"ended":"patience"`), ""},
	} {
		root := t.TempDir()
		e := lissajous(1, 0.5)
		if c.settings == epochs {
			e.benchmark = "freyface"
		}
		e.step = c.step
		must.Write(t, e.String(), root, "a", "eval.json")
		must.Write(t, fmt.Sprintf("benchmark: %s\nmodel: {name: acqnp}\n%s\n", e.benchmark, c.settings), root, "a", "config.yaml")
		if c.logged != "" {
			must.Write(t, c.logged, root, "a", "metrics.jsonl")
		}
		s, _ := summarize(t, root)
		got := ""
		for _, note := range onlyRow(t, s).Notes {
			if strings.HasPrefix(note, "Training") {
				got = note
			}
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
