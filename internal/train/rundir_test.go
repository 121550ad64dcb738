package train_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// If a run directory cannot be opened, the error names the file, and the directory is unlocked.
func TestCheckpointsThatAreALinkToThemselves(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "checkpoints")
	if err := os.Symlink("checkpoints", link); err != nil {
		t.Skip(err)
	}
	o := train.Options{Experiment: experiment(t), Dir: dir, Resume: true}
	for range 2 {
		if _, err := train.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), link) {
			t.Errorf("error %v, want one that names %s", err, link)
		}
	}
	must.Do(t, os.Remove(link))
	mustTrain(t, o)
}

// A directory with the name of a later checkpoint would end the run when that checkpoint is
// written. It is refused before the first step and never removed.
func TestDirectoryNamedLikeACheckpointIsRefused(t *testing.T) {
	for name, o := range map[string]train.Options{"fresh": {}, "resume": {Resume: true}, "overwrite": {Overwrite: true}} {
		dir := t.TempDir()
		inTheWay := checkpoint(dir, "step-8")
		if o.Resume || o.Overwrite {
			interruptAfter(t, train.Options{Experiment: experiment(t), Dir: dir}, 4)
		}
		must.Do(t, os.MkdirAll(inTheWay, 0o755))
		before := files(t, dir)
		o.Experiment, o.Dir = experiment(t), dir
		o.OnStep = func(u train.Update) { t.Errorf("%s: step %d", name, u.Step) }
		must.Refuse(t, must.Err(train.Run(t.Context(), o)), inTheWay, "directory")
		wantFiles(t, dir, before...)
		if _, err := os.Stat(inTheWay); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A resume drops the lines of metrics.jsonl after its checkpoint. It drops those that training did not write, or not
// in this order, too, and warns. The training time goes on.
func TestResumeDropsForeignMetrics(t *testing.T) {
	e := experiment(t, func(e *config.Experiment) { e.Train.LogEvery = 1 })
	for name, c := range map[string]struct {
		change func(lines []string) []string
		words  []string
	}{
		"as written": {func(l []string) []string { return l }, nil},
		"torn":       {func(l []string) []string { return append(l, l[0][:20]) }, nil},
		"empty": {func(l []string) []string { return append([]string{"{}\n"}, l...) },
			[]string{"metrics.jsonl", "1 line", "line 1"}},
		"no metrics": {func(l []string) []string { return append(l[:2:2], append([]string{"hello\n", "[1]\n"}, l[2:]...)...) },
			[]string{"metrics.jsonl", "2 lines", "line 3"}},
		"doubled": {func(l []string) []string { return append(l[:3:3], l[1:]...) },
			[]string{"metrics.jsonl", "2 lines", "line 4"}},
		"without loss": {func(l []string) []string { return append(l, `{"step":7}`+"\n") },
			[]string{"metrics.jsonl", "1 line"}},
	} {
		dir := t.TempDir()
		interruptAfter(t, train.Options{Experiment: e, Dir: dir}, 6)
		must.Do(t, os.Remove(checkpoint(dir, "step-6"))) // as if killed before it was written
		path := filepath.Join(dir, "metrics.jsonl")
		lines := strings.SplitAfter(strings.TrimSuffix(string(must.Read(t, path)), "\n")+"\n", "\n")
		must.Write(t, []byte(strings.Join(c.change(lines[:6]), "")), path)
		var warnings []string
		mustTrain(t, train.Options{Experiment: e, Dir: dir, Resume: true, Warn: func(s string) { warnings = append(warnings, s) }})
		all, elapsed := metrics(t, dir), 0.0
		for i, m := range all {
			if m.Step != i+1 || m.Elapsed <= elapsed || len(all) != 12 {
				t.Errorf("%s: line %d of %d is of step %d, elapsed_s %v after %v", name, i+1, len(all), m.Step, m.Elapsed, elapsed)
			}
			elapsed = m.Elapsed
		}
		if text := strings.Join(warnings, "\n"); len(warnings) > 1 || (text == "") != (c.words == nil) {
			t.Errorf("%s: warnings %q", name, warnings)
		} else {
			for _, w := range c.words {
				if !strings.Contains(text, w) {
					t.Errorf("%s: no %q in %q", name, w, text)
				}
			}
		}
	}
}

// A resumed run removes the temporary files of a killed training anywhere in the directory, but not
// those that an evaluation may be writing.
func TestResumeClearsHalfWrittenFiles(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, train.Options{Experiment: experiment(t, steps(2)), Dir: dir})
	stray := []string{".tmp-config.yaml-1", ".tmp-metrics.jsonl-2", filepath.Join("checkpoints", ".tmp-step-1.safetensors-3")}
	const evaluation = ".tmp-eval.json-4"
	for _, name := range append(stray, evaluation) {
		must.Write(t, []byte("half"), filepath.Join(dir, name))
	}
	mustTrain(t, train.Options{Experiment: experiment(t, steps(4)), Dir: dir, Resume: true})
	for _, name := range stray {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", name, err)
		}
	}
	must.Do(t, must.Err(os.Stat(filepath.Join(dir, evaluation))))
}

func TestResumeRefusesOtherData(t *testing.T) {
	dir, e := t.TempDir(), experiment(t)
	on := func(yScale float64, resume bool) error {
		s := hooked(t, e, nothing)
		s.Scaling = datasets.Scaling{XOffset: []float64{1.0 / 3}, XScale: []float64{2.0 / 3}, YOffset: []float64{-1e5 / 3}, YScale: []float64{yScale}}
		return must.Err(runWith(t.Context(), train.Options{Experiment: e, Dir: dir, Resume: resume}, s, cpu.New))
	}
	const third = 1e-5 / 3 // has no short decimal form
	must.Do(t, on(third, false), on(third*(1+1e-12), true))
	must.Refuse(t, on(third*1.001, true), dir, "another scaling")
}
