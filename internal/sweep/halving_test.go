package sweep_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/test/must"
)

// searched returns a plan of one configuration with nine candidates of two seeds, which are compared
// at steps 10 and 30 of 90.
func searched(t *testing.T) *plan.Plan {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"cnp.yaml": "benchmark: rbf\nmodel: {name: cnp, representation: 8, encoder: [8], decoder: [8]}\n" +
			"train: {steps: 90, batch_size: 2, validate_every: 5}\n",
		"plan.yaml": "configs: cnp.yaml\nseeds: 0..1\ngrid: {train.learning_rate: [1, 2, 3, 4, 5, 6, 7, 8, 9]}\n" +
			"halving: {first: 10}\nruns: out\n",
	} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o644))
	}
	return must.Get(plan.Load("plan.yaml", nil))(t)
}

// until returns the steps up to which the candidates may train, after a check that the seeds of each
// have the same.
func until(t *testing.T, p *plan.Plan, courses []sweep.Course) (steps []int) {
	t.Helper()
	all := sweep.Until(p, courses)
	for i := 0; i < len(all); i += 2 {
		if all[i] != all[i+1] {
			t.Errorf("the seeds of %s may train until %d and %d", p.Runs[i].Candidate, all[i], all[i+1])
		}
		steps = append(steps, all[i])
	}
	return steps
}

func same(steps int) []int { return slices.Repeat([]int{steps}, 9) }

// Nine candidates become three, then one. Runs wait at a rung until all others have reached it.
func TestHalving(t *testing.T) {
	p := searched(t)
	courses := make([]sweep.Course, len(p.Runs))
	want := func(steps ...int) {
		t.Helper()
		if got := until(t, p, courses); !slices.Equal(got, steps) {
			t.Errorf("until %v, want %v", got, steps)
		}
	}
	add := func(candidate, step int, lls ...float64) {
		for seed, ll := range lls {
			c := &courses[2*candidate+seed]
			c.Valid = append(c.Valid, sweep.Validation{Step: step, LL: ll})
		}
	}
	want(same(10)...)
	// The best so far counts: candidate 4 was better at step 5.
	add(4, 5, 8, 8)
	for i, mean := range []float64{1, 7, 3, 7, 0, 2, 7, 7, -1} {
		add(i, 10, mean-1)
	}
	want(same(10)...) // of each candidate one seed is missing
	for i, mean := range []float64{1, 7, 3, 7, 0, 2, 7, 7, -1} {
		courses[2*i+1].Valid = append(courses[2*i+1].Valid, sweep.Validation{Step: 10, LL: mean + 1})
	}
	want(0, 30, 0, 30, 30, 0, 0, 0, 0) // of the ties, the first
	add(1, 30, 7, 9)
	add(3, 30, 7, 9.5)
	want(0, 30, 0, 30, 30, 0, 0, 0, 0)
	courses[8].Ended, courses[9].Ended = true, true // by patience, with 8
	want(0, 0, 0, 90, 0, 0, 0, 0, 0)
	add(3, 90, 0, 0)
	want(0, 0, 0, 90, 0, 0, 0, 0, 0)
}

// A candidate that fails before a rung is dropped and leaves its place to others. One that fails after
// the last comparison is not.
func TestHalvingWithoutTheFailed(t *testing.T) {
	p := searched(t)
	courses := make([]sweep.Course, len(p.Runs))
	for i := range courses {
		courses[i].Valid = []sweep.Validation{{Step: 10, LL: float64(i)}, {Step: 30, LL: float64(i)}}
	}
	courses[17] = sweep.Course{Failed: true}
	courses[15] = sweep.Course{Failed: true, Valid: courses[15].Valid}
	if got, want := until(t, p, courses), []int{0, 0, 0, 0, 0, 0, 0, 90, 0}; !slices.Equal(got, want) {
		t.Errorf("until %v, want %v", got, want)
	}
	for i := range courses {
		courses[i] = sweep.Course{Failed: i != 4 && i != 5}
	}
	if got, want := until(t, p, courses), []int{0, 0, 90, 0, 0, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("all but one failed: until %v, want %v", got, want)
	}
	for i := range courses {
		courses[i].Failed = true
	}
	if got := until(t, p, courses); !slices.Equal(got, same(0)) {
		t.Errorf("all failed: until %v", got)
	}
}

// Without halving, every run may train to its end.
func TestUntilWithoutHalving(t *testing.T) {
	p := searched(t)
	p.Halving = nil
	if got := until(t, p, make([]sweep.Course, len(p.Runs))); !slices.Equal(got, same(90)) {
		t.Errorf("until %v", got)
	}
}

// A course is read from the log and the failure, also while the run is in training.
func TestCourseOf(t *testing.T) {
	dir := t.TempDir()
	check := func(want string) {
		t.Helper()
		c, err := sweep.CourseOf(dir)
		if got := fmt.Sprintf("%+v", c); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	check("{Valid:[] Ended:false Failed:false}")
	ll := 0.5
	var log []byte
	for _, m := range []run.Metrics{{Step: 5}, {Step: 10, ValidLL: &ll}, {Step: 12, Ended: run.EndedByPatience}} {
		line := must.Get(json.Marshal(m))(t)
		log = append(append(log, line...), '\n')
	}
	file := filepath.Join(dir, "metrics.jsonl")
	for text, want := range map[string]string{
		`{"step": 1`:               "{Valid:[] Ended:false Failed:false}",
		string(log):                "{Valid:[{Step:10 LL:0.5}] Ended:true Failed:false}",
		string(log[:len(log)-2]):   "{Valid:[{Step:10 LL:0.5}] Ended:false Failed:false}",
		"\x00\x00\n" + string(log): "{Valid:[{Step:10 LL:0.5}] Ended:true Failed:false}",
	} {
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
		check(want)
	}
	for _, f := range []run.Failure{{Cause: run.Diverged}, {Message: "killed"}} {
		must.Do(t, run.WriteFailure(dir, f))
		c, err := sweep.CourseOf(dir)
		if err != nil || c.Failed != (f.Cause == run.Diverged) {
			t.Errorf("%+v: %+v, %v", f, c, err)
		}
	}
}

// A candidate that diverges is dropped and counts as failed; the others go on.
func TestHalvingWithADivergence(t *testing.T) {
	folder(t, "configs: cnp.yaml\ngrid: {train.learning_rate: [0.01, 1.0e+30, 1.0e-06]}\n"+
		"set: {train.validate_every: 10}\nhalving: {first: 10, factor: 3}\nruns: out\n")
	out, errs := acqnp(t, 1, "sweep", "run", "plan.yaml", "--jobs", "2", "--quiet")
	if !strings.HasPrefix(out, "1 of 3 runs done, 1 dropped by halving") || !strings.Contains(errs, "1 of 3 runs failed") {
		t.Errorf("%s%s", out, errs)
	}
	out, _ = acqnp(t, 1, "sweep", "run", "plan.yaml", "--jobs", "2", "--quiet")
	if !strings.Contains(out, "0 trained") || !strings.Contains(out, "failed: 1 ") {
		t.Errorf("again: %s", out)
	}
}

// The order of --indices does not change which runs are a candidate's.
func TestHalvingOfIndicesInAnyOrder(t *testing.T) {
	folder(t, "configs: cnp.yaml\nseeds: 0..1\ngrid: {train.learning_rate: [0.01, 1.0e-06]}\n"+
		"set: {train.validate_every: 10}\nhalving: {first: 10, factor: 2}\nruns: out\n")
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "2", "--quiet", "--indices", "1,2,0,3")
	for rate, want := range map[string]int{"0.01": 2, "1.0e-06": 0} {
		if ended, _ := filepath.Glob("out/rbf/cnp/learning_rate=" + rate + "/*/checkpoints/step-60.safetensors"); len(ended) != want {
			t.Errorf("learning rate %s: %q, want %d at the end", rate, ended, want)
		}
	}
}
