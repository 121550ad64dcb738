package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// fitSummary is the result of fit. What it says of expected scores and candidates is that of the first
// column of y; Targets has all columns.
type fitSummary struct {
	Out     string `json:"out"`
	Promise string `json:"promise"`
	fitScores
	Targets []fitTarget `json:"targets"`
	Crossed string      `json:"crossed,omitempty"` // the column of names that groups share
	Pairs   []fitPair   `json:"pairs,omitempty"`   // of several columns of y
	Rows    int         `json:"rows"`
	Groups  int         `json:"groups"` // of the rows that were used
	Points  int         `json:"points"`
	Weights string      `json:"row_weights,omitempty"` // the column of row weights
	Weight  float64     `json:"weight,omitempty"`      // their sum
	Picture string      `json:"picture,omitempty"`     // of groups, by models that were not fitted to them
	Seconds float64     `json:"seconds"`

	Warnings []string `json:"warnings"`

	fitted answer.Predictor
}

type fitScores struct {
	Expected   stack.Expected `json:"expected"`
	Candidates []fitCandidate `json:"candidates"`
	Table      table.Table    `json:"table"` // the mixed model's, which predicts nothing
}

// fitTarget is what was fitted to a column of y.
type fitTarget struct {
	Channel string   `json:"channel"`
	Names   []string `json:"names,omitempty"` // of 0 and 1, if y has two names
	// What values y can have: see outcomeLine.
	Outcome likelihood.Support `json:"outcome"`
	fitScores
	Failed []stack.Failure `json:"failed,omitempty"` // models that are no candidates
}

// A fitPair is how draws of two columns of y go together.
type fitPair struct {
	Channels        [2]string `json:"channels"`
	RankCorrelation float64   `json:"rank_correlation"` // of what predictions with the fewest known points leave
	Ordered         bool      `json:"ordered"`          // the first is never above the second
}

func (p fitPair) String() string {
	text := fmt.Sprintf("%s and %s with a rank correlation of %.2f", p.Channels[0], p.Channels[1], p.RankCorrelation)
	if p.Ordered {
		text += fmt.Sprintf(", %s never above %s, as in all rows", p.Channels[0], p.Channels[1])
	}
	return text
}

// pairsOf returns the pairs of columns of y, none if draws take them as independent.
func pairsOf(f answer.Predictor) (all []fitPair) {
	if f.Together == nil {
		return nil
	}
	c := f.Together[0]
	for k := range f.Y {
		for j := range k {
			low, high, ordered := j, k, slices.Contains(c.Orders, [2]int{j, k})
			if slices.Contains(c.Orders, [2]int{k, j}) {
				low, high, ordered = k, j, true
			}
			all = append(all, fitPair{[2]string{f.Y[low], f.Y[high]}, c.RankCorrelation(j, k), ordered})
		}
	}
	return all
}

type fitCandidate struct {
	Name       string  `json:"name"`
	LogDensity float64 `json:"log_density"`
	CRPS       float64 `json:"crps"`
	Weight     float64 `json:"weight"`
}

func summaryOfFit(f answer.Predictor) *fitSummary {
	s := &fitSummary{Rows: f.Rows, Weights: f.RowWeights, Weight: f.Weight, Groups: f.Stacks[0].Groups, Points: f.Stacks[0].Points, Promise: promiseOf(f), Crossed: f.Crossed, fitted: f}
	for c, st := range f.Stacks {
		t := fitTarget{Channel: f.Y[c], Names: f.YForms[c].Categories, Outcome: st.Outcome, fitScores: fitScores{Expected: st.Expected, Table: f.Tables[c]}, Failed: st.Failed}
		for _, m := range st.Candidates {
			t.Candidates = append(t.Candidates, fitCandidate{m.Name, m.LogDensity, m.CRPS, m.Weight})
		}
		s.Targets = append(s.Targets, t)
	}
	s.fitScores, s.Pairs = s.Targets[0].fitScores, pairsOf(f)
	return s
}

// outcomeLine says what was found of the values of y, "" of any number.
func outcomeLine(y string, s likelihood.Support) string {
	atoms := ""
	switch {
	case s.Real():
		return ""
	case s.Whole:
		return fmt.Sprintf("%s is taken for %s: the log density is the log probability of each; --outcome real if it is not\n", y, s)
	case s.Low != nil && s.High != nil:
		atoms = "each end has a probability"
	case s.Low != nil:
		atoms = fmt.Sprintf("%g has a probability", *s.Low)
	default:
		atoms = fmt.Sprintf("%g has a probability", *s.High)
	}
	return fmt.Sprintf("%s is taken for %s, where %s of its own; --outcome real if it is not\n", y, s, atoms)
}

// promiseOf says what calibrated intervals hold, and what does not follow from a theorem.
func promiseOf(f answer.Predictor) string {
	st := f.Stacks[0]
	units := "groups"
	if st.ByPoint {
		units = "points"
	}
	least := f.Calibrated().Channels[0]
	if _, _, most := least.Limits(); most < 0.9 {
		return fmt.Sprintf("none for 90%%: %d %s calibrate intervals of up to %.0f%%; beyond, the tail of the mixture goes on", least.Groups, units, 100*most)
	}
	return "an interval of 90% is calibrated to hold the outcome of a " + f.Unit() + " with a probability of 0.9, on average over " + units +
		" like those of the file. The theorem for cross-conformal intervals (at least 80%) holds only approximately: the models that choose the weights for a fold were fitted to it too"
}

// calibratedTo says to which masses the groups suffice to calibrate the intervals of column c of y.
func calibratedTo(f answer.Predictor, c int) string {
	switch _, _, most := f.Calibrated().Channels[c].Limits(); {
	case most < 0.5:
		return "not calibrated"
	case most < 0.9:
		return "calibrated to 50%"
	}
	return "calibrated to 50% and 90%"
}

func (s *fitSummary) print(w io.Writer) error {
	if fmt.Fprintf(w, "%s in %s", invalid.Plural(s.Points, "row", "rows"), invalid.Plural(s.Groups, "group", "groups")); s.Points < s.Rows {
		fmt.Fprintf(w, ", a sample of %s", invalid.Plural(s.Rows, "row", "rows"))
	}
	if s.Crossed != "" {
		names := s.fitted.XForms[s.fitted.CrossedAt()].Categories
		fmt.Fprintf(w, ", crossed with %s of %s", invalid.Plural(len(names), "name", "names"), s.Crossed)
	}
	if s.Weights != "" {
		fmt.Fprintf(w, ", that count as %.4g by %s", s.Weight, s.Weights)
	}
	fmt.Fprintln(w)
	held := "a " + cmp.Or(s.fitted.Group, "group") + " that they were not fitted to"
	if s.fitted.Stacks[0].ByPoint {
		held = "points that they were not fitted to"
	}
	if s.Crossed != "" {
		held += ", at known names of " + s.Crossed
	}
	for c, t := range s.Targets {
		outcome := outcomeLine(t.Channel, t.Outcome)
		if t.Names != nil {
			outcome = s.fitted.YForms[c].OfTwoNames(t.Channel) + "\n"
		}
		fmt.Fprintf(w, "\n%smodels of %s, by predictions of %s:\n", outcome, t.Channel, held)
		table := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "model\tlog density\tCRPS\tweight\t")
		for _, c := range t.Candidates {
			fmt.Fprintf(table, "%s\t%.3f\t%.4g\t%.2f\t\n", c.Name, c.LogDensity, c.CRPS, c.Weight)
		}
		fmt.Fprintf(table, "the mixture\t%.3f ± %.3f\t%.4g\t\t\n", t.Expected.LogDensity, t.Expected.Error, t.Expected.CRPS)
		if err := table.Flush(); err != nil {
			return err
		}
		for _, m := range t.Failed {
			fmt.Fprintf(w, "left out: %s: %s\n", m.Name, m.Why)
		}
		fmt.Fprintf(w, "%s, intervals hold %.0f%% and %.0f%%, regions %.0f%% and %.0f%%\n", calibratedTo(s.fitted, c),
			100*t.Expected.Coverage.Half, 100*t.Expected.Coverage.Ninety, 100*t.Expected.Regions.Half, 100*t.Expected.Regions.Ninety)
		if err := printTable(w, t.Table); err != nil {
			return err
		}
	}
	if s.Pairs != nil {
		fmt.Fprintln(w)
	}
	for _, p := range s.Pairs {
		fmt.Fprintf(w, "draws have %s\n", p)
	}
	fmt.Fprintf(w, "\npromise: %s\n", s.Promise)
	if s.Picture != "" {
		fmt.Fprintf(w, "\npicture %s\n", s.Picture)
	}
	_, err := fmt.Fprintf(w, "\nwrote %s; next, with known points (%s) in context.csv:\n  %s\n", s.Out, strings.Join(s.columns(), ", "), s.next())
	return err
}

// printTable prints the table of an analyst, as lme4 does.
func printTable(w io.Writer, t table.Table) error {
	if fmt.Fprintf(w, "\ntable %s:\n", t.About); t.None != "" {
		fmt.Fprintf(w, "no table: %s\n", t.None)
	}
	columns := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	if t.None == "" {
		fmt.Fprintln(columns, "\testimate\tstd. error\tt\t")
	}
	for _, c := range t.Coefficients {
		fmt.Fprintf(columns, "%s\t%.6g\t%.4g\t%.2f\t\n", c.Name, c.Estimate, c.Error, c.Estimate/c.Error)
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	if t.Residual != nil {
		fmt.Fprint(w, "standard deviations (variances): ")
		for _, l := range t.Levels {
			fmt.Fprintf(w, "%s %.5g (%.4g), ", l.Name, l.Deviation, l.Variance)
			if l.Correlation != nil {
				fmt.Fprintf(w, "their correlation %.3f, ", *l.Correlation)
			}
		}
		fmt.Fprintf(w, "residual %.5g (%.4g)\n", t.Residual.Deviation, t.Residual.Variance)
	}
	fmt.Fprint(w, invalid.Plural(t.Rows, "row", "rows"))
	for _, l := range t.Levels {
		if l.Correlation == nil {
			fmt.Fprintf(w, ", %d of %s", l.Groups, l.Name)
		}
	}
	fmt.Fprintln(w)
	for _, note := range t.Notes {
		fmt.Fprintln(w, note)
	}
	return nil
}

// columns returns the columns of a context.
func (s *fitSummary) columns() (names []string) {
	if s.fitted.Outer != "" {
		names = append(names, s.fitted.Outer)
	}
	if s.fitted.Group != "" {
		names = append(names, s.fitted.Group)
	}
	for _, name := range slices.Concat(s.fitted.X, s.fitted.Y) {
		if name != "" { // of a formula without x
			names = append(names, name)
		}
	}
	return names
}

// next returns the command that predicts with the result: along the one column of x, or at targets.
func (s *fitSummary) next() string {
	at := "--targets targets.csv"
	if f := s.fitted; len(f.X) == 1 && f.X[0] != "" && f.XForms[0].Categories == nil {
		low, high := ends(f.Ranges[0], f.XForms[0])
		if f.XForms[0].Log {
			low = "log:" + strconv.FormatFloat(f.Ranges[0].Low, 'g', 3, 64)
		}
		at = "--grid=" + invalid.ShellWord(low+":"+high+":100")
	}
	return "acqnp predict " + invalid.ShellWord(s.Out) + " --context context.csv " + at + " > predictions.csv"
}

// ends returns the ends of a range as --grid takes them, with the digits that a hundredth of the range needs.
func ends(r datasets.Range, f rows.Form) (low, high string) {
	if f.Origin != "" || f.Format == rows.Clock {
		return f.Text(r.Low), f.Text(r.High)
	}
	digits := int(math.Ceil(-math.Log10((r.High - r.Low) / 100)))
	text := func(v float64) string {
		if size := math.Abs(v); size >= 1e15 || size > 0 && size < 1e-4 {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		number := strconv.FormatFloat(v, 'f', max(0, digits), 64)
		if strings.Contains(number, ".") {
			number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
		}
		return number
	}
	return text(r.Low), text(r.High)
}
