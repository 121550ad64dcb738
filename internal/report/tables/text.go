package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// Marks beside a mean whose ± is not the standard deviation over runs, or of a run without scores, and the
// text for a missing value.
const (
	oneRun   = "†"
	oneBatch = "‡"
	jointly  = "§"
	absent   = "–"
)

// A sheet is a summary as texts. Markdown and HTML write it.
type sheet struct {
	Title       string
	Results     []textTable // log-likelihoods beside the paper's, and scores
	Legend      []string
	Notes       []string // numbered from 1, as rows cite them
	Groups      []textTable
	GroupLegend string
	Used        textTable // what the runs of each row were evaluated with
}

// A textTable is a table of a sheet.
type textTable struct {
	Title  string
	Header []string
	Names  int // columns of names, which come first; the others have numbers
	Rows   []textRow
}

// A textRow is a row of texts. Names and lists come from files. They are printable, but a format must still
// escape them.
type textRow struct {
	Cells []string
	Notes []int // that the second cell cites
}

// add adds a row.
func (t *textTable) add(notes []int, names []string, cells ...string) {
	t.Rows = append(t.Rows, textRow{slices.Concat(names, cells), notes})
}

var (
	likelihoodHeader = []string{"benchmark", "model", "runs", "context", "paper", "difference", "target", "paper", "difference"}
	scoreHeader      = []string{"data", "model", "steps", "runs", "log density", "CRPS", "in 50%", "in 90%"}
	usedHeader       = []string{"benchmark", "model", "seeds", "steps", "batches", "levels", "device"}
)

// Titles of a report, by whether it has results of the paper.
const (
	besidePaper = "Log-likelihoods beside the paper's"
	scoresAlone = "Scores of the runs"
)

// sheet returns the summary as texts.
func (s Summary) sheet() sheet {
	sh := sheet{Title: scoresAlone, Used: textTable{Title: "What was evaluated", Header: usedHeader, Names: len(usedHeader)}}
	marked := map[string]bool{}
	for _, t := range s.Tables {
		results := textTable{Title: t.Title, Header: likelihoodHeader, Names: 2}
		scores := textTable{Title: t.Title, Header: scoreHeader, Names: 2}
		if t.besidePaper() {
			sh.Title, scores.Title = besidePaper, "Scores in raw units: "+t.Title
		}
		for _, row := range t.Rows {
			names, notes, runs := []string{row.printedBenchmark(), row.printedModel()}, sh.cite(row.Notes), absent
			if len(row.Runs) > 0 {
				runs = strconv.Itoa(len(row.Runs))
				sh.Used.add(nil, names, row.Used.cells()...)
			}
			if t.besidePaper() {
				results.add(notes, names, slices.Concat([]string{runs}, row.Context.cells(marked), row.Target.cells(marked))...)
			}
			if row.Scores != nil || len(row.Runs) > 0 && !t.besidePaper() {
				scores.add(notes, names, slices.Concat([]string{list(row.Used.Steps), runs}, row.scoreCells(marked))...)
			}
		}
		for _, table := range []textTable{results, scores} {
			if len(table.Rows) > 0 {
				sh.Results = append(sh.Results, table)
			}
		}
	}
	sh.addGroups(s)
	sh.addLegend(marked)
	return sh
}

// cite returns the numbers of notes, which it adds to those of the sheet.
func (sh *sheet) cite(notes []string) (numbers []int) {
	for _, note := range notes {
		note = printable(note)
		sh.Notes = addNew(sh.Notes, note)
		numbers = append(numbers, 1+slices.Index(sh.Notes, note))
	}
	return numbers
}

// besidePaper reports whether a table has results of the paper beside those of the runs.
func (t Table) besidePaper() bool { return t.Title != ownData && t.Title != unpublished }

// addLegend explains the tables of results and the marks in them.
func (sh *sheet) addLegend(marked map[string]bool) {
	paper := sh.Title == besidePaper
	scores := slices.ContainsFunc(sh.Results, func(t textTable) bool { return len(t.Header) == len(scoreHeader) })
	for _, l := range []struct {
		shown bool
		text  string
	}{
		{paper, "Log-likelihoods, higher is better: mean ± sample standard deviation over n runs of different seeds, and what the paper reports over 6 seeds."},
		{paper, "The difference is ours minus the paper's in units of the combined error √(sd²/n + paper's ±²)."},
		{marked[oneRun], oneRun + " One run: ± is the standard error over its batches, and takes the place of sd/√n."},
		{marked[oneBatch], oneBatch + " One run of one batch: its own error is not known, and the difference is in units of the paper's ± alone."},
		{scores, "Scores of held-out targets, in the units of the data: log density (nats for each target and column of y, higher is better), " +
			"CRPS (a distance in the units of y, lower is better), and the shares of targets inside the central intervals of 50% and 90%, near 50% and 90% if the model is calibrated."},
		{scores, "± of a score is the sample standard deviation over runs of different seeds. Of one run, it is the standard error over its groups, or over the targets of one."},
		{marked[absent], absent + " Not known: evaluated without scores."},
		{marked[jointly], jointly + " The log-likelihood of a target, all columns of y together. Of one run, ± is the standard error over its batches."},
	} {
		if l.shown {
			sh.Legend = append(sh.Legend, l.text)
		}
	}
}

// cells returns ours, the paper's and the difference as texts. It sets the marks that it used in marked.
func (p Part) cells(marked map[string]bool) []string {
	ours, paper, difference := absent, absent, absent
	if p.Mean != nil {
		ours = Score{*p.Mean, p.SD, p.StdError}.text(number)
		if mark := map[bool]string{true: oneRun, false: oneBatch}[p.StdError != nil]; p.SD == nil {
			ours += mark
			marked[mark] = true
		}
	}
	if p.Paper != nil {
		paper = number(p.Paper.Mean) + " ± " + number(p.Paper.Spread)
	}
	if p.Difference != nil {
		difference = signed(*p.Difference)
	}
	return []string{ours, paper, difference}
}

// cells returns the settings in the order of usedHeader, after the names.
func (u Used) cells() []string {
	levels := list(u.NumTau)
	if len(u.Levels) > 0 {
		levels += " (" + list(u.Levels) + ")"
	}
	return []string{list(u.Seeds), list(u.Steps), list(u.Batches), levels, list(u.Devices)}
}

// number returns v with three decimals, as in the paper, or with a few digits if it is huge.
func number(v float64) string {
	if math.Abs(v) >= 1e6 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return unsignedZero(strconv.FormatFloat(v, 'f', 3, 64))
}

// signed returns a difference with its sign and one decimal.
func signed(v float64) string {
	if math.Abs(v) >= 1e6 {
		return fmt.Sprintf("%+.3g", v)
	}
	if s := fmt.Sprintf("%+.1f", v); s != "-0.0" && s != "+0.0" {
		return s
	}
	return "0.0"
}

// unsignedZero removes the sign of a zero.
func unsignedZero(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// minus replaces hyphens by minus signs.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// printedBenchmark returns the benchmark as the paper prints it, or the name of own data.
func (r Row) printedBenchmark() string {
	if r.data != "" {
		return printable(r.data)
	}
	if b, ok := catalogue.Find(r.Benchmark); ok {
		return b.Printed
	}
	return printable(r.Benchmark)
}

// printedModel returns the model with its variant and settings: "ACQNP, transformer, layers=3".
func (r Row) printedModel() string {
	return printable(config.Label(r.Model, joined(r.Variant, r.label)))
}

// joined returns the parts that are not "", with commas between them.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// printable replaces control characters by spaces, so that a name cannot break a line or control a
// terminal.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, " "))
}

// list joins values with commas.
func list(values []string) string {
	if len(values) == 0 {
		return absent
	}
	return printable(strings.Join(values, ", "))
}
