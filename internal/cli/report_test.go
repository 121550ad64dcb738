package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// evaluatedRun returns a directory with one evaluated run of the shared model.
func evaluatedRun(t *testing.T) string {
	t.Helper()
	s := share(t)
	root := t.TempDir()
	run := filepath.Join(root, "sawtooth", "seed-0")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(s.run, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, run, "config.yaml", string(content))
	succeed(t, "eval", "--run", s.run, "--out", filepath.Join(run, "eval.json"), "--quiet")
	return root
}

func TestReportInEveryFormat(t *testing.T) {
	root := evaluatedRun(t)
	e := readEvaluation(t, filepath.Join(root, "sawtooth", "seed-0", "eval.json"))
	for _, c := range []struct{ format, file, begin, want string }{
		{"", "", "# Log-likelihoods", "| Sawtooth  | ACQNP"},
		{"markdown", "r.md", "# Log-likelihoods", "1.386 ± 0.042"},
		{"latex", "r.tex", `\documentclass`, `\end{document}`},
		{"html", "r.html", "<!DOCTYPE html>", "</html>"},
		{"csv", "r.csv", "benchmark,model,part,", "sawtooth,acqnp,target,"},
	} {
		args := []string{"report", root}
		if c.format != "" {
			args = append(args, "--format", c.format)
		}
		o := succeed(t, args...)
		if !strings.HasPrefix(o.out, c.begin) || !strings.Contains(o.out, c.want) || o.err != "" {
			t.Errorf("%s: %q\n%s", c.format, o.err, o.out)
		}
		if c.file == "" {
			continue
		}
		out := filepath.Join(t.TempDir(), c.file)
		if o := succeed(t, "report", root, "--out", out); !strings.Contains(o.out, "1 run") { // the ending tells the format
			t.Errorf("%q", o.out)
		}
		if b, _ := os.ReadFile(out); string(b) != o.out {
			t.Errorf("%s is not what --format %s prints", c.file, c.format)
		}
	}
	// The run has scores, so the page draws them.
	page := succeed(t, "report", root, "--format", "html").out
	if n := strings.Count(page, `src="data:image/svg&#43;xml;base64,`); n != 2 || strings.Contains(page, "://") {
		t.Errorf("%d drawings of calibration, want 2, or an address", n)
	}
	var s struct {
		Tables []struct {
			Rows []struct {
				Benchmark string
				Variant   string
				Context   struct{ Mean float64 }
				Used      struct{ Seeds []string }
			}
		}
	}
	if err := json.Unmarshal([]byte(succeed(t, "report", root, "--json").out), &s); err != nil {
		t.Fatal(err)
	}
	// The shared model is a variant, so its row is below the paper's, which has no run.
	if row := s.Tables[0].Rows[1]; row.Benchmark != "sawtooth" || row.Variant != "residual" || row.Context.Mean != e.Context.Mean || row.Used.Seeds[0] != "0" {
		t.Errorf("%+v, want a mean of %v", row, e.Context.Mean)
	}
}

func TestReportNamesWhatItLeavesOut(t *testing.T) {
	root := evaluatedRun(t)
	foreign := write(t, root, "eval.json", `{"schema": "else"}`)
	for _, args := range [][]string{{"report", root}, {"report", root, "--quiet"}} { // a warning: --quiet hides progress alone
		if o := succeed(t, args...); strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, foreign) {
			t.Errorf("standard error %q", o.err)
		}
	}
}

func TestReportRefuses(t *testing.T) {
	root := evaluatedRun(t)
	twice := evaluatedRun(t)
	if err := os.CopyFS(filepath.Join(twice, "copy"), os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no directory":  {[]string{}, "arg"},
		"absent":        {[]string{filepath.Join(empty, "absent")}, "absent: found nothing"},
		"empty":         {[]string{empty}, "no eval.json"},
		"format":        {[]string{root, "--format", "pdf"}, `--format: found "pdf"`},
		"place":         {[]string{root, "--out", filepath.Join(empty, "no", "r.md")}, "--out"},
		"seed, second":  {[]string{twice}, filepath.Join(twice, "sawtooth", "seed-0", "eval.json: found seed 0")},
		"and its first": {[]string{twice}, "as in " + filepath.Join(twice, "copy", "sawtooth", "seed-0", "eval.json")},
	} {
		checkRefusal(t, name, acqnp(append([]string{"report"}, c.args...)...), 2, c.want)
	}
	if o := succeed(t, "report", "--help"); !strings.Contains(o.out, "Examples:\n  acqnp report runs") {
		t.Errorf("no example in\n%s", o.out)
	}
}
