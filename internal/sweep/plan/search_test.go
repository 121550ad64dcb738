package plan_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/test/must"
)

// candidates loads a plan of one configuration and seed and returns the names of its candidates. It
// checks that --set gives the configurations of the plan.
func candidates(t *testing.T, text string) (names []string) {
	t.Helper()
	folder(t, "configs: configs/cnp.yaml\nruns: out\n"+text)
	p := must.Get(plan.Load("plan.yaml", nil))(t)
	for _, r := range p.Runs {
		names = append(names, r.Candidate)
		e := must.Get(config.Load(r.Config, config.Overrides{Set: r.Set}))(t)
		if d := config.Differences(e, r.Experiment); len(d) > 0 {
			t.Errorf("--set %q gives another configuration: %v", r.Set, d)
		}
	}
	return names
}

const sampled = "grid:\n  train.learning_rate: {from: 1e-4, to: 1e-2, log: true}\n  model.representation: {from: 8, to: 10}\n  train.batch_size: [2, 4]\n"

// Samples lie in their ranges, spread over them, differ, and stay when there are more of them, when
// other keys are added and on every machine.
func TestSamples(t *testing.T) {
	few, many := candidates(t, "samples: 5\n"+sampled), candidates(t, "samples: 300\n"+sampled)
	if !slices.Equal(few, many[:5]) {
		t.Errorf("5 samples %q\nof 300 %q", few, many[:5])
	}
	if want := "learning_rate=0.00763,representation=9,batch_size=2"; few[0] != want {
		t.Errorf("the first sample is %s, want %s", few[0], want)
	}
	if slices.Equal(few, candidates(t, "sample_seed: 1\nsamples: 5\n"+sampled)) {
		t.Error("another seed draws the same samples")
	}
	widths, low, seen := map[string]int{}, 0, map[string]bool{}
	for _, name := range many {
		var rate float64
		var width, batch string
		parts := strings.Split(strings.ReplaceAll(name, "=", ","), ",")
		rate, err := strconv.ParseFloat(parts[1], 64)
		if width, batch = parts[3], parts[5]; err != nil || rate < 1e-4 || rate > 1e-2 || len(parts[1]) > 8 || batch != "2" && batch != "4" {
			t.Errorf("sample %s (%v)", name, err)
		}
		if rate < 1e-3 {
			low++
		}
		widths[width]++
		if seen[name] {
			t.Errorf("%s twice", name)
		}
		seen[name] = true
	}
	// Half of the rates are expected below the middle of the exponents, a third of the widths at each;
	// the bounds are 6 standard deviations wide.
	if low < 98 || low > 202 || len(widths) != 3 || widths["8"] < 51 || widths["9"] < 51 || widths["10"] < 51 {
		t.Errorf("%d of 300 rates below 0.001, widths %v", low, widths)
	}
	alone := candidates(t, "samples: 5\ngrid: {train.learning_rate: {from: 1e-4, to: 1e-2, log: true}}\n")
	for i, name := range alone {
		if !strings.HasPrefix(few[i], name+",") {
			t.Errorf("sample %d is %s, with more keys %s", i, name, few[i])
		}
	}
}

// Samples that were drawn already are drawn again, as long as there are others.
func TestSamplesDiffer(t *testing.T) {
	got := candidates(t, "samples: 6\ngrid: {train.steps: {from: 3, to: 5}, train.batch_size: [1, 2]}")
	slices.Sort(got)
	var want []string
	for steps := 3; steps <= 5; steps++ {
		for batch := 1; batch <= 2; batch++ {
			want = append(want, fmt.Sprintf("steps=%d,batch_size=%d", steps, batch))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRefusesASearchWithItsLine(t *testing.T) {
	const rate = "grid:\n  train.learning_rate: "
	checkRefusals(t, "configs: configs/cnp.yaml\nruns: out\n", map[string]string{
		rate + "{from: 1e-4, to: 1e-2}":                            "plan.yaml:4: train.learning_rate: found a range in a plan without samples, expected samples: COUNT",
		rate + "{from: 1e-4}":                                      "plan.yaml:4: train.learning_rate: found a range without from or without to",
		rate + "{from: 1, to: 1}":                                  "plan.yaml:4: train.learning_rate: found a range from 1 to 1, expected from below to",
		rate + "{from: 0, to: 1}":                                  "plan.yaml:4: train.learning_rate: found 0, expected a finite number above 0",
		rate + "{from: a, to: 1}":                                  "plan.yaml:4: train.learning_rate: found the text \"a\"",
		rate + "{from: 1, to: 2, log: 1}":                          "plan.yaml:4: train.learning_rate: found log: 1, expected true or false",
		rate + "{from: 1, to: 2, step: 2}":                         "plan.yaml:4: train.learning_rate: found the unknown key step of a range",
		rate + "{from: 1, to: 2, to: 3}":                           "plan.yaml:4: to: found the key a second time",
		"grid:\n  train.weight_decay: {from: 0, to: 1, log: true}": "plan.yaml:4: train.weight_decay: found log: true of a range from 0, expected from above 0",
		"grid:\n  train.steps: {from: 1.5, to: 3}":                 "plan.yaml:4: train.steps: found 1.5, expected a whole number",
		"grid:\n  train.schedule: {from: constant, to: cosine}":    "plan.yaml:4: train.schedule: found a range of train.schedule, which is no number",
		"grid:\n  train.stpes: {from: 1, to: 3}":                   "plan.yaml:4: train.stpes: found an unknown key, expected train.steps",
		"samples: 0":                                               "plan.yaml:3: samples: found 0, expected a whole number from 1",
		"samples: 200000":                                          "plan.yaml:3: samples: found 200000, expected at most 100000",
		"samples: 3":                                               "plan.yaml:3: samples: found samples without a grid",
		"samples: 3\ngrid: {}":                                     "plan.yaml:4: grid: found a mapping without keys",
		"sample_seed: 3":                                           "plan.yaml:3: sample_seed: found a seed without samples",
		"sample_seed: -3\nsamples: 1":                              "plan.yaml:3: sample_seed: found -3",
		"samples: 5\ngrid: {train.steps: [1, 2, 3, 4]}":            "plan.yaml:3: samples: found 5, expected 4 or fewer: further draws",
		// The configuration's own rules, here the size of the weights, refuse a value of the range.
		"samples: 20\ngrid:\n  model.representation: {from: 4000, to: 4096}\n  model.encoder: [[" + strings.Repeat("4096, ", 15) + "4096]]": "plan.yaml:6: model.encoder: found widths that make",
	})
}
