package sweep

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// A Ranking compares the candidates of a configuration.
type Ranking struct {
	Group      string      `json:"group"` // as plan.Run names it
	Config     string      `json:"config"`
	Candidates []Candidate `json:"candidates"`        // with runs that are done, the best first
	Dropped    int         `json:"dropped,omitempty"` // runs that halving stopped
	LeftOut    int         `json:"left_out"`          // other runs that are not done
}

// A Candidate is the mean over the runs of a combination of settings.
type Candidate struct {
	Name       string   `json:"candidate"` // as plan.Run names it
	Set        []string `json:"set"`       // KEY=VALUE, for train --set
	Mean       float64  `json:"mean"`
	StdError   *float64 `json:"std_error"` // of the mean over runs; null for one run
	Runs       int      `json:"runs"`
	Best       float64  `json:"best"` // of one run
	Run        string   `json:"run"`  // the directory of that run
	Checkpoint string   `json:"checkpoint"`
}

// Rank compares the candidates of each configuration of a plan by valid_ll, the best validation of each run, in
// the mean over the runs that are done. Equal candidates stay in the order of the plan. Rank returns an
// *invalid.Input if there is nothing to compare.
func Rank(p *plan.Plan) ([]Ranking, error) {
	for _, r := range p.Runs {
		if r.Experiment.Train.ValidateEvery == 0 {
			return nil, &invalid.Input{File: p.File, Key: "train.validate_every", Found: "0 for " + r.Config + ", so no valid_ll",
				Expected: "a number above 0, in the configuration or in set (acqnp report compares evaluations)"}
		}
	}
	courses, err := coursesOf(p.Runs)
	if err != nil {
		return nil, err
	}
	done := false
	for i, r := range p.Runs {
		if courses[i].Ended {
			done = true
			if err := run.CheckContinues(r.Dir, r.Experiment); err != nil {
				return nil, err
			}
		}
	}
	if !done {
		return nil, &invalid.Input{File: p.File, Found: "no run that is done", Expected: "at least one (acqnp sweep run " + p.File + " trains them)"}
	}
	until := Until(p, courses)
	var all []Ranking
	for _, candidates := range configurations(p) {
		first := p.Runs[candidates[0][0]]
		r := Ranking{Group: first.Group, Config: first.Config, Candidates: []Candidate{}}
		for _, c := range candidates {
			if ranked, ok := ranked(p, c, courses); ok {
				r.Candidates = append(r.Candidates, ranked)
			}
			for _, i := range c {
				switch {
				case courses[i].Ended:
				case until[i] == 0 && !courses[i].Failed:
					r.Dropped++
				default:
					r.LeftOut++
				}
			}
		}
		slices.SortStableFunc(r.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Mean, a.Mean) })
		all = append(all, r)
	}
	return all, nil
}

// ranked returns a candidate with the mean over its runs that are done. It returns false if none is.
func ranked(p *plan.Plan, c candidate, courses []Course) (Candidate, bool) {
	var list []float64
	first := p.Runs[c[0]]
	k := Candidate{Name: first.Candidate, Set: first.Set}
	for _, i := range c {
		if !courses[i].Ended {
			continue
		}
		v := courses[i].best(math.MaxInt)
		if len(list) == 0 || v > k.Best {
			k.Best, k.Run = v, p.Runs[i].Dir
		}
		list = append(list, v)
	}
	if len(list) == 0 {
		return k, false
	}
	k.Runs, k.Mean, k.Checkpoint = len(list), stat.Mean(list, nil), run.PreferredPath(k.Run)
	if len(list) > 1 {
		e := stat.StdErr(stat.StdDev(list, nil), float64(len(list)))
		k.StdError = &e
	}
	return k, true
}
