package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/test/must"
)

const searching = "configs: configs/*.yaml\nruns: out\nset: {train.validate_every: 2}\ngrid: {train.learning_rate: [1e-3, 2e-3]}\n"

func TestHalving(t *testing.T) {
	folder(t, searching+"halving: {first: 2, factor: 2}")
	p := must.Get(plan.Load("plan.yaml", nil))(t)
	for steps, want := range map[int][]int{10: {2, 4, 8}, 8: {2, 4}, 9: {2, 4, 8}, 3: {2}, 2: nil} {
		if got := p.Halving.Rungs(steps); !slices.Equal(got, want) {
			t.Errorf("rungs of %d steps: %v, want %v", steps, got, want)
		}
	}
	want := "plan.yaml:5: halving: found halving, under which runs wait for each other, in a job array, expected acqnp sweep run plan.yaml in one job"
	if err := p.CheckArray(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
	folder(t, searching)
	if p, err := plan.Load("plan.yaml", nil); err != nil || p.Halving != nil || p.CheckArray() != nil {
		t.Errorf("without halving: %+v, %v", p, err)
	}
}

func TestRefusesHalvingWithItsLine(t *testing.T) {
	checkRefusals(t, "", map[string]string{
		searching + "halving: 3":                     "plan.yaml:5: halving: found 3, expected a mapping",
		searching + "halving: {}":                    "plan.yaml:5: halving.first: found nothing",
		searching + "halving: {first: 2, rate: 3}":   "plan.yaml:5: halving.rate: found an unknown key",
		searching + "halving: {first: 2, factor: 1}": "plan.yaml:5: halving.factor: found 1, expected a whole number from 2",
		searching + "halving: {first: 2.5}":          "plan.yaml:5: halving.first: found 2.5",
		searching + "halving:\n  first: 3":           "plan.yaml:6: halving: found a comparison at step 3, which has no validation, expected first: a multiple of train.validate_every, which is 2 (",
		searching + "halving: {first: 10}":           "plan.yaml:5: halving: found first: 10, expected a step before the last, which is 10 (",
		strings.Replace(searching, "learning_rate: [1e-3, 2e-3]", "steps: [10, 20]", 1) + "halving: {first: 2}": "plan.yaml:5: halving: found candidates of 10 and of 20 steps (",
		strings.Replace(searching, ", 2e-3", "", 1) + "halving: {first: 2}":                                     "plan.yaml:5: halving: found a plan with one candidate",
		strings.Replace(searching, "every: 2", "every: 0", 1) + "halving: {first: 2}":                           "plan.yaml:5: halving: found configs",
	})
}
