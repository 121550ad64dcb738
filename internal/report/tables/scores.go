package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

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
	StdError *float64 `json:"std_error"` // of a single run: over its groups, or over the targets of one
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
		mean, sd := meanAndSD(values)
		return Score{Mean: mean, SD: sd}
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

// scoreCells returns the scores as texts, in the order of scoreHeader after the runs. It sets the marks that
// it used in marked. Runs without scores have their log-likelihood in place of the log density.
func (r Row) scoreCells(marked map[string]bool) []string {
	if s := r.Scores; s != nil {
		return []string{s.LogDensity.text(number), s.CRPS.crpsText(), s.Half.percentText(), s.Most.percentText()}
	}
	marked[absent] = true
	density := absent
	if m := r.Target; m.Mean != nil {
		marked[jointly] = true
		density = Score{*m.Mean, m.SD, m.StdError}.text(number) + jointly
	}
	return []string{density, absent, absent, absent}
}

// text returns the mean and, if it is known, its deviation over runs or its error.
func (s Score) text(format func(float64) string) string {
	spread := s.SD
	if spread == nil {
		spread = s.StdError
	}
	if spread == nil {
		return format(s.Mean)
	}
	return format(s.Mean) + " ± " + format(*spread)
}

// percentText returns a share in percent, as text does: "44.6%" or "33.0 ± 3.4%".
func (s Score) percentText() string {
	return s.text(func(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) }) + "%"
}

// crpsText returns a CRPS with four digits, and its deviation with two.
func (s Score) crpsText() string {
	text := Score{Mean: s.Mean}.text(short)
	if s.SD != nil {
		text += " ± " + strconv.FormatFloat(*s.SD, 'g', 2, 64)
	}
	return text
}

// short returns v with four digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// percent returns a share in percent with one decimal.
func percent(v float64) string { return Score{Mean: v}.percentText() }

// Limits of the tables of groups.
const (
	shownGroups = 5 // the worst, and as many of the best
	groupTables = 12
)

var groupHeader = []string{"group", "targets", "log density", "CRPS", "in 50%", "in 90%"}

// addGroups adds a table of the worst and the best groups of the first run of each row with several groups.
func (sh *sheet) addGroups(s Summary) {
	leftOut, cut := 0, false
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			r := row.scored()
			if r == nil || len(r.Eval.PerGroup) < 2 {
				continue
			}
			if len(sh.Groups) == groupTables {
				leftOut++
				continue
			}
			cut = cut || len(r.Eval.PerGroup) > 2*shownGroups
			sh.Groups = append(sh.Groups, groupTable(row.title(), r.Eval.PerGroup))
		}
	}
	sh.GroupLegend = "Means over the targets of a group, of the first run of each row, the lowest log density first."
	if cut {
		sh.GroupLegend += fmt.Sprintf(" The %d lowest and the %d highest are shown; eval.json has all.", shownGroups, shownGroups)
	}
	if leftOut > 0 {
		sh.GroupLegend += fmt.Sprintf(" Rows left out for their number: %d.", leftOut)
	}
}

// title returns the name of the row's data and its model: "prices.csv: ACQNP, residual".
func (r Row) title() string { return r.printedBenchmark() + ": " + r.printedModel() }

func groupTable(title string, groups []score.Group) textTable {
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, func(f, g score.Group) int { return cmp.Compare(f.LogDensity, g.LogDensity) })
	t := textTable{Title: title, Header: groupHeader, Names: 1}
	for i, g := range groups {
		if i < shownGroups || i >= len(groups)-shownGroups {
			t.add(nil, []string{printable(g.Group)}, strconv.Itoa(g.Points), number(float64(g.LogDensity)), short(float64(g.CRPS)),
				percent(g.Coverage.Half), percent(g.Coverage.Most))
		}
	}
	return t
}
