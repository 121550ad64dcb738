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
		mean, sd := spread(values)
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

// jointly marks the log-likelihood of a run that has no scores.
const jointly = "§"

// scoredPaper is the title of the scores of rows of the paper's benchmarks.
const scoredPaper = "Scores in raw units"

// scoreHeader names the columns of a table of scores.
var scoreHeader = []string{"data", "model", "steps", "runs", "log density", "CRPS", "in 50%", "in 90%"}

// A scoreTable has the scores of the runs of a Table.
type scoreTable struct {
	Title string
	Lines []scoreLine
}

// A scoreLine is the scores of a row as texts.
type scoreLine struct {
	line
	Cells      []string // from the steps on, in the order of scoreHeader
	likelihood bool     // in place of the log density
}

// addScores adds the scores of the rows of a table, whose lines are given in the same order. Of the
// paper's benchmarks it takes the rows with scores, of others those with runs.
func (sh *sheet) addScores(t Table, lines []line) {
	st := scoreTable{Title: t.Title}
	if t.besidePaper() {
		st.Title = scoredPaper + ": " + t.Title
	}
	for i, row := range t.Rows {
		if len(row.Runs) == 0 || t.besidePaper() && row.Scores == nil {
			continue
		}
		l := scoreLine{line: lines[i]}
		n := len(st.Lines)
		l.First = n == 0 || st.Lines[n-1].Benchmark != l.Benchmark
		density, crps, half, most := absent, absent, absent, absent
		if s := row.Scores; s != nil {
			density, crps = s.LogDensity.text(number), s.CRPS.crpsText()
			half, most = s.Half.percentText(), s.Most.percentText()
		} else if m := row.Target; m.Mean != nil {
			l.likelihood = true
			density = Score{*m.Mean, m.SD, m.StdError}.text(number) + jointly
		}
		l.Cells = []string{list(row.Used.Steps), l.Runs, density, crps, half, most}
		st.Lines = append(st.Lines, l)
	}
	if len(st.Lines) > 0 {
		sh.Scores = append(sh.Scores, st)
	}
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

// scoreLegend explains the tables of scores, if there are any.
func (sh sheet) scoreLegend() []string {
	if len(sh.Scores) == 0 {
		return nil
	}
	legend := []string{
		"Scores of held-out targets, in the units of the data: log density (nats for each target and column of y, higher is better), " +
			"CRPS (a distance in the units of y, lower is better), and the shares of targets inside the central intervals of 50% and 90%, near 50% and 90% if the model is calibrated.",
		"± of a score is the sample standard deviation over runs of different seeds. Of one run, it is the standard error over its groups, or over the targets of one.",
	}
	missing, likelihood := false, false
	for _, t := range sh.Scores {
		for _, l := range t.Lines {
			missing, likelihood = missing || slices.Contains(l.Cells[2:], absent), likelihood || l.likelihood
		}
	}
	if missing {
		legend = append(legend, absent+" Not known: evaluated without scores.")
	}
	if likelihood {
		legend = append(legend, jointly+" The log-likelihood of a target, all columns of y together. Of one run, ± is the standard error over its batches.")
	}
	return legend
}

// Limits of the tables of functions.
const (
	shownFunctions = 5 // the worst, and as many of the best
	functionTables = 12
)

// functionHeader names the columns of a table of functions.
var functionHeader = []string{"group", "targets", "log density", "CRPS", "in 50%", "in 90%"}

// A functionTable has the worst and the best functions of the first run of a row.
type functionTable struct {
	Title   string
	Rows    [][]string // in the order of functionHeader, the lowest log density first
	LeftOut int        // functions between the worst and the best
}

// addFunctions adds tables of functions for the rows that have several.
func (sh *sheet) addFunctions(s Summary) {
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			r := row.scored()
			if r == nil || len(r.Eval.PerFunction) < 2 {
				continue
			}
			if len(sh.Functions) == functionTables {
				sh.LeftOut++
				continue
			}
			sh.Functions = append(sh.Functions, newFunctionTable(row.title(), r.Eval.PerFunction))
		}
	}
}

// title returns the name of the row's data and its model: "prices.csv: ACQNP, residual".
func (r Row) title() string { return r.printedBenchmark() + ": " + r.printedModel() }

func newFunctionTable(title string, functions []score.Function) functionTable {
	functions = slices.Clone(functions)
	slices.SortStableFunc(functions, func(f, g score.Function) int { return cmp.Compare(f.LogDensity, g.LogDensity) })
	t := functionTable{Title: title, LeftOut: max(0, len(functions)-2*shownFunctions)}
	for i, f := range functions {
		if i >= shownFunctions && i < len(functions)-shownFunctions {
			continue
		}
		t.Rows = append(t.Rows, []string{printable(f.Function), strconv.Itoa(f.Points), number(f.LogDensity), short(f.CRPS),
			percent(f.Coverage.Half), percent(f.Coverage.Most)})
	}
	return t
}

// FunctionLegend explains the tables of functions.
func (sh sheet) FunctionLegend() string {
	text := "Means over the targets of a group, of the first run of each row, the lowest log density first."
	if slices.ContainsFunc(sh.Functions, func(t functionTable) bool { return t.LeftOut > 0 }) {
		text += fmt.Sprintf(" The %d lowest and the %d highest are shown; eval.json has all.", shownFunctions, shownFunctions)
	}
	if sh.LeftOut > 0 {
		text += fmt.Sprintf(" Rows left out for their number: %d.", sh.LeftOut)
	}
	return text
}
