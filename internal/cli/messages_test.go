package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

func TestWarningsAreShownUnderQuiet(t *testing.T) {
	run, out := editedRun(t, "num_tau: 5", "num_tau: 5"), filepath.Join(t.TempDir(), "eval.json")
	write(t, filepath.Join(run, "checkpoints"), "step-30.safetensors", "torn")
	for _, args := range [][]string{{"--quiet"}, {"--quiet", "--json"}, {"--json"}, {}} {
		o := succeed(t, append([]string{"eval", "--run", run, "--out", out, "--overwrite"}, args...)...)
		if !strings.Contains(o.err, "step-30.safetensors") {
			t.Errorf("%v: the skipped checkpoint is not named: %q", args, o.err)
		}
		if len(args) > 0 && args[0] == "--quiet" && strings.Count(o.err, "\n") != 1 {
			t.Errorf("%v: more than the warning: %q", args, o.err)
		}
		if len(args) > 0 && args[len(args)-1] == "--json" {
			line, _, _ := strings.Cut(o.err, "\n")
			var event struct{ Event, Message string }
			if err := json.Unmarshal([]byte(line), &event); err != nil || event.Event != "warning" {
				t.Errorf("%v: %q: %v", args, line, err)
			}
		}
	}
	o := succeed(t, "train", "--config", share(t).config, "--run-dir", run, "--resume", "--quiet", "--no-eval")
	if !strings.Contains(o.err, "step-30.safetensors") || strings.Count(o.err, "\n") != 1 {
		t.Errorf("train --resume: %q", o.err)
	}
	runs := filepath.Dir(run)
	if err := os.Mkdir(filepath.Join(runs, "bad"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(runs, "bad"), "eval.json", "torn")
	succeed(t, "eval", "--run", run, "--quiet")
	if o := succeed(t, "report", runs, "--quiet"); !strings.Contains(o.err, filepath.Join("bad", "eval.json")) {
		t.Errorf("report: %q", o.err)
	}
}

// A value left out in a script (--run-dir "$DIR") must not mean the default.
func TestEmptyValuesAreRefused(t *testing.T) {
	s := share(t)
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		flag string
		args []string
	}{
		{"--run-dir", []string{"train", "--config", s.config, "--run-dir", ""}},
		{"--run-dir", []string{"train", "--config", s.config, "--run-dir="}},
		{"--seed", []string{"train", "--config", s.config, "--seed", ""}},
		{"--weights", []string{"train", "--config", s.config, "--weights", ""}},
		{"--config", []string{"train", "--config", ""}},
		{"--set", []string{"train", "--config", s.config, "--set", "train.steps=1", "--set", ""}},
		{"--data-dir", []string{"train", "--config", s.config, "--data-dir", ""}},
		{"--out", []string{"eval", "--run", s.run, "--out", ""}},
		{"--tasks", []string{"eval", "--run", s.run, "--tasks", ""}},
		{"--checkpoint", []string{"eval", "--run", s.run, "--checkpoint", ""}},
		{"--run", []string{"eval", "--run", ""}},
		{"--plot", []string{"sample-quantiles", "--run", s.run, "--context", s.context, "--grid=0:1:2", "--out", "o", "--plot", ""}},
		{"--targets", []string{"sample-quantiles", "--run", s.run, "--context", s.context, "--targets", "", "--out", "o"}},
		{"--format", []string{"report", s.run, "--format", ""}},
		{"--run", []string{"plot", "fit", "--run", s.run, "--run", "", "--out", "o.png"}},
		{"--mirror", []string{"data", "fetch", "mnist", "--mirror", ""}},
	} {
		checkRefusal(t, strings.Join(c.args, " "), acqnp(c.args...), 2, c.flag+": found an empty value")
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A file's name may move the cursor, or change a terminal's title.
func TestControlBytesAreEscaped(t *testing.T) {
	s, dir := share(t), t.TempDir()
	const name = "a\x1b[2J\x07\u009b\x9b\x7f\u202eb"
	odd := filepath.Join(dir, name)
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Skip(err)
	}
	run := filepath.Join(odd, "run")
	config := write(t, odd, "tiny.yaml", tinyConfig)
	succeed(t, "train", "--config", config, "--run-dir", run, "--quiet", "--no-eval")
	write(t, filepath.Join(run, "checkpoints"), "step-30.safetensors", "torn")
	for _, args := range [][]string{
		{"eval", "--run", run},
		{"eval", "--run", filepath.Join(odd, "none")},
		{"train", "--config", config, "--run-dir", run, "--resume", "--no-eval"},
		{"train", "--config", config, "--run-dir", run},
		{"export", "--run", run, "--out", filepath.Join(odd, "w.safetensors")},
		{"export", "--run", run, "--out", filepath.Join(odd, "none", "w.safetensors")},
		{"data", "example", "--out", filepath.Join(odd, "d.csv")},
		{"sample-quantiles", "--run", s.run, "--context", name, "--grid=0:1:2", "--out", filepath.Join(dir, "o")},
		{"eval", "--" + name},
		{name},
	} {
		o := acqnp(args...)
		if !strings.Contains(o.err+o.out, `\x1b`) {
			t.Errorf("%q: the name is not shown: %q %q", args, o.err, o.out)
		}
		for _, r := range strings.ToValidUTF8(o.err+o.out, "\x00") {
			if r != '\n' && !unicode.IsGraphic(r) {
				t.Errorf("%q: %q in %q %q", args, r, o.err, o.out)
				break
			}
		}
	}
}

func TestJSONResultsAreOneLine(t *testing.T) {
	s, dir := share(t), t.TempDir()
	for _, args := range [][]string{
		{"bench", "--config", s.config, "--steps", "1"},
		{"data", "list"},
		{"doctor", "--data-dir", dir},
		{"eval", "--run", s.run, "--out", filepath.Join(dir, "eval.json")},
		{"sample-quantiles", "--run", s.run, "--context", s.context, "--grid=0:1:2", "--out", filepath.Join(dir, "o.csv")},
	} {
		o := succeed(t, append(args, "--json", "--quiet")...)
		if !json.Valid([]byte(o.out)) || strings.Count(o.out, "\n") != 1 || !strings.HasSuffix(o.out, "\n") {
			t.Errorf("%v: %q", args, o.out)
		}
	}
	if content := read(t, filepath.Join(dir, "eval.json")); strings.Count(content, "\n") < 10 {
		t.Error("eval.json is no longer made for people to read")
	}
}
