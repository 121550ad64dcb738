package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSweepBest(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "tiny.yaml", tinyConfig)
	write(t, ".", "plan.yaml", "configs: tiny.yaml\nruns: out\nset: {train.steps: 4, train.validate_every: 2}\ngrid: {train.learning_rate: [1e-3, 1e-6]}\n")
	checkRefusal(t, "nothing trained", acqnp("sweep", "best", "plan.yaml"), 2, "plan.yaml: found no run that is done")
	checkRefusal(t, "an unknown measure", acqnp("sweep", "best", "plan.yaml", "--by", "loss"), 2, "--by: found")
	for _, rate := range []string{"1e-3", "1e-6"} {
		succeed(t, "train", "--config", "tiny.yaml", "--no-eval", "--run-dir", "out/tiny/learning_rate="+rate+"/seed-0",
			"--set", "train.steps=4", "--set", "train.validate_every=2", "--set", "train.learning_rate="+rate)
	}
	var s struct {
		By             string
		Configurations []struct {
			Group      string
			Candidates []struct{ Candidate, Checkpoint string }
		}
	}
	o := succeed(t, "sweep", "best", "plan.yaml", "--json")
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.By != "valid_ll" || len(s.Configurations) != 1 || len(s.Configurations[0].Candidates) != 2 {
		t.Fatalf("%v: %s", err, o.out)
	}
	best := s.Configurations[0].Candidates[0]
	if o := succeed(t, "sweep", "best", "plan.yaml"); !strings.Contains(o.out, best.Candidate) || !strings.Contains(o.out, best.Checkpoint) {
		t.Errorf("%s", o.out)
	}
	checkRefusal(t, "without eval.json", acqnp("sweep", "best", "plan.yaml", "--by", "crps"), 2, "plan.yaml: found no eval.json with crps")
}
