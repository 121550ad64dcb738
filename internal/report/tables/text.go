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
	"github.com/acqnp/acqnp/internal/invalid"
)

// Marks beside a mean whose ± is not the standard deviation over runs, and the text for a missing
// value.
const (
	oneRun   = "†"
	oneBatch = "‡"
	absent   = "–"
)

// A sheet is a summary as texts. All formats but CSV write it.
type sheet struct {
	Title     string
	Legend    []string
	Tables    []sheetTable // with the paper's results
	Scores    []scoreTable
	Functions []functionTable
	LeftOut   int      // rows whose functions are not in Functions
	Notes     []string // numbered from 1, as lines cite them
	evaluated []line   // of all rows that have runs
}

type sheetTable struct {
	Title string
	Lines []line
}

// A line is a row as texts. Names and lists come from files. They are printable, but a format must
// still escape them.
type line struct {
	Benchmark, Model string
	First            bool // of its benchmark
	Notes            []int
	Runs             string
	Context, Target  cells
	Used             Used
	HasRuns          bool
}

type cells struct{ Ours, Paper, Difference string }

// Titles of a report, by whether it has results of the paper.
const (
	besidePaper = "Log-likelihoods beside the paper's"
	scoresAlone = "Scores of the runs"
)

// sheet returns the summary as texts.
func (s Summary) sheet() sheet {
	sh := sheet{Title: scoresAlone}
	marked := map[string]bool{}
	for _, t := range s.Tables {
		var lines []line
		for i, row := range t.Rows {
			l := line{
				Benchmark: row.printedBenchmark(), Model: row.printedModel(),
				First: i == 0 || t.Rows[i-1].Benchmark != row.Benchmark,
				Runs:  absent, Used: row.Used, HasRuns: len(row.Runs) > 0,
			}
			if l.HasRuns {
				l.Runs = strconv.Itoa(len(row.Runs))
			}
			if t.besidePaper() {
				l.Context, l.Target = row.Context.cells(marked), row.Target.cells(marked)
			}
			for _, note := range row.Notes {
				note = printable(note)
				sh.Notes = addNew(sh.Notes, note)
				l.Notes = append(l.Notes, 1+slices.Index(sh.Notes, note))
			}
			lines = append(lines, l)
			if l.HasRuns {
				sh.evaluated = append(sh.evaluated, l)
			}
		}
		if t.besidePaper() {
			sh.Title = besidePaper
			sh.Tables = append(sh.Tables, sheetTable{t.Title, lines})
		}
		sh.addScores(t, lines)
	}
	sh.addFunctions(s)
	sh.Legend = append(likelihoodLegend(len(sh.Tables) > 0, marked), sh.scoreLegend()...)
	return sh
}

// besidePaper reports whether a table has results of the paper beside those of the runs.
func (t Table) besidePaper() bool { return t.Title != ownData && t.Title != unpublished }

// likelihoodLegend explains the tables with the paper's results, if there are any.
func likelihoodLegend(any bool, marked map[string]bool) []string {
	if !any {
		return nil
	}
	legend := []string{
		"Log-likelihoods, higher is better: mean ± sample standard deviation over n runs of different seeds, and what the paper reports over 6 seeds.",
		"The difference is ours minus the paper's in units of the combined error √(sd²/n + paper's ±²).",
	}
	if marked[oneRun] {
		legend = append(legend, oneRun+" One run: ± is the standard error over its batches, and takes the place of sd/√n.")
	}
	if marked[oneBatch] {
		legend = append(legend, oneBatch+" One run of one batch: its own error is not known, and the difference is in units of the paper's ± alone.")
	}
	return legend
}

// cells returns the part as texts. It sets the marks that it used in marked.
func (p Part) cells(marked map[string]bool) cells {
	c := cells{absent, absent, absent}
	switch {
	case p.Mean == nil:
	case p.SD != nil:
		c.Ours = number(*p.Mean) + " ± " + number(*p.SD)
	case p.StdError != nil:
		c.Ours = number(*p.Mean) + " ± " + number(*p.StdError) + oneRun
		marked[oneRun] = true
	default:
		c.Ours = number(*p.Mean) + oneBatch
		marked[oneBatch] = true
	}
	if p.Paper != nil {
		c.Paper = number(p.Paper.Mean) + " ± " + number(p.Paper.Spread)
	}
	if p.Difference != nil {
		c.Difference = signed(*p.Difference)
	}
	return c
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
	return printedBenchmark(r.Benchmark)
}

func printedBenchmark(name string) string {
	if b, ok := catalogue.Find(name); ok {
		return b.Printed
	}
	return printable(name)
}

// printedModel returns the model with its variant, size and settings: "ACQNP, transformer, width 64,
// 3 layers".
func (r Row) printedModel() string {
	return printable(config.Label(r.Model, joined(r.Variant, r.Size, stepsLabel(r.Steps), r.label)))
}

// joined returns the parts that are not "", with commas between them.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// stepsLabel returns "300 steps", or "" for 0.
func stepsLabel(steps int) string {
	if steps == 0 {
		return ""
	}
	return invalid.Plural(steps, "step", "steps")
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

// usedHeader and usedCells make the table of the settings that the runs were evaluated with.
var usedHeader = []string{"benchmark", "model", "seeds", "steps", "batches", "levels", "device"}

func (l line) usedCells() []string {
	levels := list(l.Used.NumTau)
	if len(l.Used.Levels) > 0 {
		levels += " (" + list(l.Used.Levels) + ")"
	}
	return []string{l.Benchmark, l.Model, list(l.Used.Seeds), list(l.Used.Steps), list(l.Used.Batches), levels, list(l.Used.Devices)}
}
