package sweep

import (
	"cmp"
	"slices"

	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// Until returns the step up to which each run of the plan may train now, or 0 if its candidate is
// dropped. A run that has reached its step waits for the other runs of its configuration. Then it gets a
// later step or is dropped. At the end of the search every run is dropped or has train.steps. courses
// has the course of each run of the plan, by index. Without halving, every run has train.steps.
//
// The algorithm is synchronous successive halving: Jamieson and Talwalkar, "Non-stochastic Best Arm
// Identification and Hyperparameter Optimization", AISTATS 2016. At each of plan.Halving's rungs,
// the candidates of a configuration are compared by the best valid_ll of each run up to that step, in
// the mean over seeds. One of Factor candidates goes on, and at least one; of equal candidates, those
// with the lower indices. A candidate with a run that failed before the rung is dropped. The result
// depends only on the plan and the courses, so every process finds the same, in any order of runs.
func Until(p *plan.Plan, courses []Course) []int {
	until := make([]int, len(p.Runs))
	if p.Halving == nil {
		for i, r := range p.Runs {
			until[i] = r.Experiment.Train.Steps
		}
		return until
	}
	for _, all := range configurations(p) {
		step, left := compared(*p.Halving, p.Runs[all[0][0]].Experiment.Train.Steps, all, courses)
		for _, candidate := range left {
			for _, i := range candidate {
				until[i] = step
			}
		}
	}
	return until
}

// A candidate is the indices of its runs, which differ in their seeds.
type candidate []int

// configurations returns the candidates of each configuration. Both are in the order of the plan.
func configurations(p *plan.Plan) (all [][]candidate) {
	for i, r := range p.Runs {
		if i == 0 || p.Runs[i-1].Config != r.Config {
			all = append(all, nil)
		}
		last := len(all) - 1
		if len(all[last]) == 0 || p.Runs[i-1].Candidate != r.Candidate {
			all[last] = append(all[last], nil)
		}
		c := len(all[last]) - 1
		all[last][c] = append(all[last][c], i)
	}
	return all
}

// compared makes the comparisons that can be made now. It returns the candidates that are left, and the
// step up to which they may train.
func compared(h plan.Halving, steps int, left []candidate, courses []Course) (int, []candidate) {
	for _, rung := range h.Rungs(steps) {
		keep := max(1, len(left)/h.Factor)
		left = slices.DeleteFunc(slices.Clone(left), func(c candidate) bool { return c.failed(rung, courses) })
		if len(left) <= keep {
			continue
		}
		for _, c := range left {
			if !c.reached(rung, courses) {
				return rung, left
			}
		}
		slices.SortStableFunc(left, func(a, b candidate) int {
			return cmp.Compare(b.mean(rung, courses), a.mean(rung, courses))
		})
		left = left[:keep]
	}
	return steps, left
}

// failed reports whether a run failed before it reached the step.
func (c candidate) failed(step int, courses []Course) bool {
	return slices.ContainsFunc(c, func(i int) bool { return courses[i].Failed && !courses[i].reached(step) })
}

// reached reports whether all runs have reached the step.
func (c candidate) reached(step int, courses []Course) bool {
	return !slices.ContainsFunc(c, func(i int) bool { return !courses[i].reached(step) })
}

// mean returns the mean over runs of the best valid_ll up to a step.
func (c candidate) mean(step int, courses []Course) float64 {
	sum := 0.0
	for _, i := range c {
		sum += courses[i].best(step)
	}
	return sum / float64(len(c))
}
