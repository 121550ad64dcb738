package plan_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/test/must"
)

const tiny = `benchmark: rbf
model: {name: %s, representation: 8, encoder: [8], decoder: [8]}
train: {steps: 10, batch_size: 2}
`

// folder makes a folder with two configurations, changes to it and writes plan.yaml.
func folder(t *testing.T, text string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, model := range []string{"cnp", "cqnp"} {
		must.Write(t, fmt.Sprintf(tiny, model), filepath.Join("configs", model+".yaml"))
	}
	must.Write(t, text, "plan.yaml")
}

// A plan's runs are in the order of configurations, candidates and seeds, and --set gives each the
// configuration that the plan was checked with.
func TestExpandsInOrder(t *testing.T) {
	folder(t, `
configs: configs/*.yaml
seeds: [0, 4..5]
set:
  train.steps: 20 # short
  model.encoder: [16, 8]
grid: {train.learning_rate: [1e-3, 5e-4], train.batch_size: [3]}
evaluate: true
runs: out/
`)
	p := must.Get(plan.Load("plan.yaml", nil))(t)
	if len(p.Runs) != 2*2*3 || !p.Evaluate || p.Dir != "out" {
		t.Fatalf("%d runs in %s, evaluate %v", len(p.Runs), p.Dir, p.Evaluate)
	}
	for i, want := range map[int]string{
		0:  "out/rbf/cnp/learning_rate=1e-3,batch_size=3/seed-0",
		1:  "out/rbf/cnp/learning_rate=1e-3,batch_size=3/seed-4",
		3:  "out/rbf/cnp/learning_rate=5e-4,batch_size=3/seed-0",
		11: "out/rbf/cqnp/learning_rate=5e-4,batch_size=3/seed-5",
	} {
		r := p.Runs[i]
		if r.Dir != filepath.FromSlash(want) || r.Index != i || r.Experiment.Train.Seed != r.Seed {
			t.Errorf("run %d: index %d, %s, seeds %d and %d, want %s", i, r.Index, r.Dir, r.Seed, r.Experiment.Train.Seed, want)
		}
	}
	for _, r := range p.Runs {
		seed := config.Flag{Name: "--seed", Key: "train.seed", Value: fmt.Sprint(r.Seed)}
		e := must.Get(config.Load(r.Config, config.Overrides{Set: r.Set, Flags: []config.Flag{seed}}))(t)
		if d := config.Differences(e, r.Experiment); len(d) > 0 {
			t.Errorf("%s: --set %q gives another configuration: %v", r.Dir, r.Set, d)
		}
	}
	if r := p.Runs[0]; r.Group != "rbf/cnp" || r.Candidate != "learning_rate=1e-3,batch_size=3" || !slices.Contains(r.Set, "model.encoder=[16, 8]") {
		t.Errorf("group %s, candidate %s, set %q", r.Group, r.Candidate, r.Set)
	}
}

// checkRefusals checks how the error for each plan, a text after head, begins.
func checkRefusals(t *testing.T, head string, wants map[string]string) {
	t.Helper()
	for text, want := range wants {
		folder(t, head+text)
		_, err := plan.Load("plan.yaml", nil)
		var bad *invalid.Input
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("plan %q:\n%v\nwant\n%s", text, err, want)
		}
	}
}

func TestRefusesWithItsLine(t *testing.T) {
	const head = "configs: [configs/cnp.yaml]\nruns: out\n"
	checkRefusals(t, "", map[string]string{
		"":                            "plan.yaml: found nothing",
		"runs: out":                   "plan.yaml: configs: found nothing",
		"configs: configs/cnp.yaml":   "plan.yaml: runs: found nothing",
		"runs: out\nconfigs: [a*]":    "plan.yaml:2: configs: found a*, which matches no file",
		"runs: out\nconfigs: [\"[\"]": "plan.yaml:2: configs: found the pattern [,",
		"runs: out\nconfigs: []":      "plan.yaml:2: configs: found [],",
		"runs: out\nconfigs: [3]":     "plan.yaml:2: configs: found 3,",
		"runs: out\nconfigs:\n- configs/cnp.yaml\n- configs/*": "plan.yaml:4: configs: found configs/cnp.yaml, which line 3 names too",
		head + "seed: 3":                                          "plan.yaml:3: seed: found an unknown key, expected seeds",
		head + "runs: out":                                        "plan.yaml:3: runs: found the key a second time (first in line 2)",
		head + "seeds: 5..1":                                      "plan.yaml:3: seeds: found the text \"5..1\"",
		head + "seeds: [1, 0..2]":                                 "plan.yaml:3: seeds: found 1 a second time",
		head + "seeds: -1":                                        "plan.yaml:3: seeds: found -1",
		head + "seeds: 0..999999999":                              "plan.yaml:3: seeds: found the text",
		head + "evaluate: 1":                                      "plan.yaml:3: evaluate: found 1, expected true or false",
		head + "set: {train.stpes: 3}":                            "plan.yaml:3: train.stpes: found an unknown key, expected train.steps",
		head + "set: {train: 3}":                                  "plan.yaml:3: train: found an unknown key",
		head + "set: {train.seed: 3}":                             "plan.yaml:3: set: found train.seed, expected seeds",
		head + "set: [1]":                                         "plan.yaml:3: set: found [1], expected a mapping",
		head + "set:\n  train.steps: many":                        "plan.yaml:4: train.steps: found the text \"many\"",
		head + "set: {train.num_tau: 9}":                          "plan.yaml:3: train.num_tau: found a key that cnp does not use",
		head + "grid:\n  train.steps: [10, 0]":                    "plan.yaml:4: train.steps: found 0",
		head + "grid:\n  train.steps: []":                         "plan.yaml:4: train.steps: found []",
		head + "set: {train.steps: 3}\ngrid: {train.steps: [10]}": "plan.yaml:4: train.steps: found the key in grid and in set (line 3)",
		head + "grid: {train.steps: [10, 10]}":                    "plan.yaml:3: grid: found two combinations with the name steps=10",
		head + "seeds: 0..99999\ngrid: {train.steps: [1, 2]}":     "plan.yaml: found 200000 runs, expected at most 100000",
		"\tconfigs":                                               "plan.yaml:1: found text that is not YAML",
	})
}

// Two files may be named alike; their runs then have one directory.
func TestRefusesTwoRunsOfOneDirectory(t *testing.T) {
	folder(t, "configs:\n- configs/cnp.yaml\n- more/*.yaml\nruns: out")
	must.Write(t, fmt.Sprintf(tiny, "cnp"), "more/cnp.yaml")
	_, err := plan.Load("plan.yaml", nil)
	want := "plan.yaml:3: configs: found " + filepath.FromSlash("out/rbf/cnp/seed-0") + " for " + filepath.FromSlash("configs/cnp.yaml")
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// A mistake in a configuration is named with the configuration's line.
func TestRefusesABadConfiguration(t *testing.T) {
	folder(t, "configs: configs/*.yaml\nruns: out")
	must.Write(t, "benchmark: rbf\nmodel: {name: cpn}\n", "configs/bad.yaml")
	_, err := plan.Load("plan.yaml", nil)
	if err == nil || !strings.HasPrefix(err.Error(), filepath.FromSlash("configs/bad.yaml:2: model.name: found")) {
		t.Error(err)
	}
}
