package sweep_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/test/must"
)

// log writes the log of a run with a validation at each of the steps 10, 20, …; the last ends it.
func log(t *testing.T, dir string, ended string, lls ...float64) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Join(dir, "checkpoints"), 0o755))
	var text []byte
	for i, ll := range lls {
		m := run.Metrics{Step: 10 * (i + 1), ValidLL: &ll}
		if i == len(lls)-1 {
			m.Ended = ended
		}
		line := must.Get(json.Marshal(m))(t)
		text = append(append(text, line...), '\n')
	}
	must.Write(t, string(text), filepath.Join(dir, "metrics.jsonl"))
	must.Write(t, "", filepath.Join(dir, "checkpoints", "step-90.safetensors"))
}

// refused checks that Rank returns an *invalid.Input of one line that begins with want.
func refused(t *testing.T, p *plan.Plan, want string) {
	t.Helper()
	_, err := sweep.Rank(p)
	var bad *invalid.Input
	if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestRank(t *testing.T) {
	p := searched(t)
	p.Halving = nil
	refused(t, p, "plan.yaml: found no run that is done, expected at least one (acqnp sweep run plan.yaml trains them)")
	p.Runs[0].Experiment.Train.ValidateEvery = 0
	refused(t, p, "plan.yaml: train.validate_every: found 0 for cnp.yaml, so no valid_ll, expected a number above 0, in the configuration or in set")
	p.Runs[0].Experiment.Train.ValidateEvery = 5
	for i, lls := range [][]float64{{1, 5}, {2, 3}, {6, 2}, {1, 2}, {7, 9}, {4, 4}} {
		log(t, p.Runs[i].Dir, run.EndedBySteps, lls...)
	}
	log(t, p.Runs[6].Dir, "", 99) // in training
	log(t, p.Runs[7].Dir, run.EndedByPatience, 4, 1)
	best := filepath.Join(p.Runs[4].Dir, "checkpoints", "best.safetensors")
	must.Write(t, "", best)
	rankings, err := sweep.Rank(p)
	if err != nil || len(rankings) != 1 {
		t.Fatal(rankings, err)
	}
	r := rankings[0]
	if r.Group != "rbf/cnp" || r.Config != "cnp.yaml" || len(r.Candidates) != 4 || r.LeftOut != 11 || r.Dropped != 0 {
		t.Errorf("%+v", r)
	}
	// The means are 4, 4, 6.5 and, of one seed, 4.
	first, tied, alone := r.Candidates[0], r.Candidates[1], r.Candidates[3]
	if first.Name != "learning_rate=3" || first.Mean != 6.5 || math.Abs(*first.StdError-2.5) > 1e-12 || first.Runs != 2 ||
		first.Best != 9 || first.Run != p.Runs[4].Dir || first.Checkpoint != best || first.Set[0] != "train.learning_rate=3" {
		t.Errorf("%+v", first)
	}
	if tied.Name != "learning_rate=1" || tied.Mean != 4 || tied.Run != p.Runs[0].Dir || tied.Checkpoint != filepath.Join(tied.Run, "checkpoints", "step-90.safetensors") {
		t.Errorf("%+v", tied)
	}
	if alone.Name != "learning_rate=4" || alone.Runs != 1 || alone.StdError != nil {
		t.Errorf("%+v", alone)
	}
	r.Candidates[0].Set = append(first.Set, "model.encoder=[16, 8]")
	var text strings.Builder
	must.Do(t, r.Print(&text))
	for _, line := range []string{"rbf/cnp, by valid_ll", "1.  learning_rate=3  6.5 ± 2.5  2 runs", "=   learning_rate=2  4 ± 2", "checkpoint " + best, "left out: 11 runs not done", "settings --set train.learning_rate=3 --set 'model.encoder=[16, 8]'\n"} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("the text lacks %q:\n%s", line, &text)
		}
	}
}

// Runs that halving stopped are told apart from those that are missing.
func TestRankAfterHalving(t *testing.T) {
	p := searched(t)
	for i, r := range p.Runs {
		switch {
		case i < 2:
			log(t, r.Dir, run.EndedBySteps, 5, 6, 7, 8, 9)
		case i < 6:
			log(t, r.Dir, "", 4, 5, 6)
		default:
			log(t, r.Dir, "", 3)
		}
	}
	rankings, err := sweep.Rank(p)
	if err != nil || len(rankings[0].Candidates) != 1 || rankings[0].Dropped != 16 || rankings[0].LeftOut != 0 {
		t.Errorf("%+v, %v", rankings, err)
	}
}
