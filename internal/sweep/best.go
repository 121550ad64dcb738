package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// A measure is a number by which runs are compared.
type measure struct {
	name  string
	lower bool                    // lower is better
	of    func(run.Eval) *float64 // from eval.json; nil for valid_ll
}

var measures = []measure{
	{name: plan.ByValidLL},
	{name: "target_ll", of: func(e run.Eval) *float64 {
		if e.Raw != nil {
			return &e.Raw.TargetLL.Mean // settings may change the units that the model sees
		}
		return &e.TargetLL.Mean
	}},
	{name: "log_density", of: func(e run.Eval) *float64 {
		if e.Means == nil {
			return nil
		}
		return &e.LogDensity.Mean
	}},
	{name: "crps", lower: true, of: func(e run.Eval) *float64 {
		if e.Means == nil {
			return nil
		}
		return &e.CRPS
	}},
}

// Measures returns the names that Rank takes.
func Measures() (names []string) {
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// Rank compares the candidates of each configuration of a plan. by names the measure, of which Rank takes
// the mean over the runs that are done. Equal candidates stay in the order of the plan. Rank returns an
// *invalid.Input if there is nothing to compare.
func Rank(p *plan.Plan, by string) ([]Ranking, error) {
	i := slices.IndexFunc(measures, func(m measure) bool { return m.name == by })
	if i < 0 {
		return nil, &invalid.Input{File: "--by", Found: fmt.Sprintf("%q", by), Expected: "one of " + strings.Join(Measures(), ", ")}
	}
	m := measures[i]
	if err := m.check(p); err != nil {
		return nil, err
	}
	values := make([]*float64, len(p.Runs))
	courses, err := coursesOf(p.Runs)
	if err != nil {
		return nil, err
	}
	done := 0
	for i, r := range p.Runs {
		if values[i], err = m.value(r, courses[i]); err != nil {
			return nil, err
		}
		if values[i] != nil {
			done++
		}
	}
	if done == 0 {
		return nil, m.nothing(p, courses)
	}
	until := Until(p, courses)
	var all []Ranking
	for _, candidates := range configurations(p) {
		first := p.Runs[candidates[0][0]]
		r := Ranking{Group: first.Group, Config: first.Config, Candidates: []Candidate{}}
		for _, c := range candidates {
			if ranked, ok := m.mean(p, c, values); ok {
				r.Candidates = append(r.Candidates, ranked)
			}
			for _, i := range c {
				switch {
				case values[i] != nil:
				case until[i] == 0 && !courses[i].Failed:
					r.Dropped++
				default:
					r.LeftOut++
				}
			}
		}
		slices.SortStableFunc(r.Candidates, func(a, b Candidate) int { return m.compare(a.Mean, b.Mean) })
		all = append(all, r)
	}
	return all, nil
}

// compare orders numbers, the better first.
func (m measure) compare(a, b float64) int {
	if m.lower {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(b, a)
}

// check returns an *invalid.Input if the plan's runs will never have the measure.
func (m measure) check(p *plan.Plan) error {
	if m.of != nil {
		return nil
	}
	i := slices.IndexFunc(p.Runs, func(r plan.Run) bool { return r.Experiment.Train.ValidateEvery == 0 })
	if i < 0 {
		return nil
	}
	return &invalid.Input{File: p.File, Key: "train.validate_every", Found: "0 for " + p.Runs[i].Config + ", so no " + m.name,
		Expected: "a number above 0, in the configuration or in set, or --by target_ll"}
}

// nothing returns the error for a plan of which no run can be compared.
func (m measure) nothing(p *plan.Plan, courses []Course) error {
	found, expected := "no run that is done", "at least one (acqnp sweep run "+p.File+" trains them)"
	if slices.ContainsFunc(courses, func(c Course) bool { return c.Ended }) {
		found, expected = "no "+run.EvalFile+" with "+m.name, "evaluated runs (evaluate: true in the plan), or --by "+plan.ByValidLL
	}
	return &invalid.Input{File: p.File, Found: found, Expected: expected}
}

// value returns the measure of a run, nil if the run is not done.
func (m measure) value(r plan.Run, c Course) (*float64, error) {
	if !c.Ended {
		return nil, nil
	}
	if err := run.CheckContinues(r.Dir, r.Experiment); err != nil {
		return nil, err
	}
	if m.of == nil {
		best := c.best(math.MaxInt)
		return &best, nil
	}
	file := filepath.Join(r.Dir, run.EvalFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	e, err := run.ReadEval(file)
	if err != nil {
		return nil, err
	}
	return m.of(e), nil
}

// mean returns a candidate with the mean over its runs that have a value. It returns false if none has.
func (m measure) mean(p *plan.Plan, c candidate, values []*float64) (Candidate, bool) {
	var list []float64
	first := p.Runs[c[0]]
	k := Candidate{Name: first.Candidate, Set: first.Set}
	for _, i := range c {
		if values[i] == nil {
			continue
		}
		v := *values[i]
		if len(list) == 0 || m.compare(v, k.Best) < 0 {
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
