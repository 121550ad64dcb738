package tables

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/run"
)

// Scores are means over the runs of a row that have scores, in raw units.
type Scores struct {
	Runs       int   `json:"runs"`
	Targets    []int `json:"scored_targets"` // the distinct numbers, in the order of the runs
	LogDensity Score `json:"log_density"`
	CRPS       Score `json:"crps"`
	Half       Score `json:"coverage_0.5"`
	Most       Score `json:"coverage_0.9"`
}

// A Score is a mean over runs. Unknown values are nil.
type Score struct {
	Mean     float64  `json:"mean"`
	SD       *float64 `json:"sd"`        // sample standard deviation over runs, of two or more
	StdError *float64 `json:"std_error"` // of a single run: over its functions, or over the targets of one
}

// scored returns the first run with scores, or nil.
func (r Row) scored() *Run {
	for i := range r.Runs {
		if r.Runs[i].Eval.Means != nil {
			return &r.Runs[i]
		}
	}
	return nil
}

// newScores returns the scores of runs, or nil if no run has scores.
func newScores(runs []Run) *Scores {
	var all []run.Eval
	s := &Scores{}
	for _, r := range runs {
		if r.Eval.Means != nil {
			all = append(all, r.Eval)
			s.Targets = addNew(s.Targets, r.Eval.Targets)
		}
	}
	if s.Runs = len(all); s.Runs == 0 {
		return nil
	}
	mean := func(of func(score.Means) float64) Score {
		values := make([]float64, len(all))
		for i, e := range all {
			values[i] = of(*e.Means)
		}
		m := Score{Mean: stat.Mean(values, nil)}
		if len(values) > 1 {
			sd := stat.StdDev(values, nil)
			m.SD = &sd
		}
		return m
	}
	s.LogDensity = mean(func(m score.Means) float64 { return m.LogDensity.Mean })
	if len(all) == 1 {
		s.LogDensity.StdError = all[0].LogDensity.StdError
	}
	s.CRPS = mean(func(m score.Means) float64 { return m.CRPS })
	s.Half = mean(func(m score.Means) float64 { return m.Coverage.Half })
	s.Most = mean(func(m score.Means) float64 { return m.Coverage.Most })
	return s
}

// unscored returns notes on runs without scores, where the file says why or other runs of the row
// have scores.
func unscored(runs []Run) []string {
	var list []string
	n := 0
	for _, r := range runs {
		if r.Eval.Means != nil {
			n++
		} else if r.Eval.Unscored != "" {
			list = addNew(list, "Not scored: "+r.Eval.Unscored+".")
		}
	}
	if n > 0 && n < len(runs) {
		list = append(list, fmt.Sprintf("Scores are those of %d of the %d runs.", n, len(runs)))
	}
	return list
}
