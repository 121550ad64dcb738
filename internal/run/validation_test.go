package run_test

import (
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A checkpoint holds its validations, and the best one is another file than that of its step.
func TestTheBestCheckpoint(t *testing.T) {
	dir, e := finished(t)
	m := modelOf(t, e)
	if c := must.Get(load(dir, run.Preferred, m, nil))(t); c.Step != 12 || c.Validation != (run.Validation{}) {
		t.Errorf("without a best checkpoint: step %d, %+v", c.Step, c.Validation)
	}
	must.Refuse(t, must.Err(load(dir, run.Best, m, nil)), "best.safetensors: found no such file", "--checkpoint latest")

	w := must.Get(run.Resume(dir, nil))(t)
	defer w.Close()
	must.Do(t, w.OpenLog(12))
	text := must.Get(e.YAML())(t)
	v := run.Validation{Best: -1.0 / 3, Step: 9, Worse: 0, Out: 0}
	c := run.Checkpoint{Step: 9, Benchmark: e.Benchmark, Model: m.Name(), Config: string(text), State: state(m, 9), Validation: v,
		Units: &run.Units{XNames: []string{"x"}, YNames: []string{"y"}, Scaling: thirds()}}
	must.Do(t, w.SaveBest(&c, m, e.Train))
	for which, step := range map[string]int{run.Preferred: 9, run.Best: 9, run.Newest: 12, "8": 8} {
		if c := must.Get(load(dir, which, m, nil))(t); c.Step != step || step == 9 && c.Validation != v {
			t.Errorf("checkpoint %q: step %d, %+v", which, c.Step, c.Validation)
		}
	}
	must.Refuse(t, must.Err(load(dir, "bets", m, nil)), "--checkpoint", "best, latest or a step")

	for _, name := range []string{"step-8", "step-12"} { // as of a run that was killed early
		must.Do(t, os.Remove(checkpoint(dir, name)))
	}
	if c := must.Get(load(dir, run.Preferred, m, nil))(t); c.Step != 9 {
		t.Errorf("the best checkpoint alone: step %d", c.Step)
	}
}

func TestTheBestLine(t *testing.T) {
	ll := func(v float64) *float64 { return &v }
	lines := []run.Metrics{{Step: 1}, {Step: 2, ValidLL: ll(-3)}, {Step: 3, ValidLL: ll(-1)}, {Step: 4}, {Step: 5, ValidLL: ll(-1)}}
	if i := run.BestOf(lines); i != 2 {
		t.Errorf("line %d", i)
	}
	if i := run.BestOf(lines[:1]); i != -1 {
		t.Errorf("line %d without a validation", i)
	}
}
