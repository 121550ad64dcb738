// Package fit fits a stack of models to each column of y of a file: acqnp fit. It reads the rows (forms.go, used.go), puts
// them in order, fits the stacks, makes the tables of an analyst and keeps rows for predictions. Package answer predicts with the result.
package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/progress"
)

// Options say what to fit.
type Options struct {
	File     string
	Formula  formula.Formula
	Instant  bool    // only models that take about a second
	Outcome  string  // what values y can have, see stack.OutcomeOf; "" for what the data speak for
	Out      string  // the directory for the result, which exists
	Budget   float64 // seconds of two cores, see affordable; 0 for all candidates
	Weights  string  // the column of row weights; "" for none
	Censored string  // the column that says which y are limits; "" for none
	NoRows   bool    // the result holds no rows of the file, which models that read rows need
	Seed     uint64
	Threads  int
	Progress progress.Reporter
	Warnings *warning.Record // takes lines on rows and models that are left out, and columns that are read as names
	Read     func()          // called when the file is read, before models are fitted; may be nil
}

// leastRows is the number of rows that can be cut into folds.
const leastRows = 10

// A fitting is a Fit while it is made.
type fitting struct {
	*file.Fit
	o      Options
	groups []points.Group // raw
}

// Fit reads the file, fits a stack to each column of y, and writes the result, whole or not at all. An error about the
// file or the formula is an *invalid.Input. The Example is for a picture. The result depends only on the file
// and on what is asked of it, never on threads or time.
func Fit(ctx context.Context, o Options) (p answer.Predictor, e Example, err error) {
	if err := o.checkColumns(); err != nil {
		return p, e, err
	}
	f := &fitting{Fit: &file.Fit{File: o.File, RowWeights: o.Weights, Formula: o.Formula.String()}, o: o}
	p = answer.Predictor{Fit: f.Fit}
	if err := f.read(); err != nil {
		return p, e, err
	}
	if o.Read != nil {
		o.Read()
	}
	if err := f.fitStacks(ctx); err != nil {
		return p, e, err
	}
	f.tabulate()
	f.keep()
	f.joinColumns()
	if err := f.Write(o.Out); err != nil {
		return p, e, err
	}
	return p, f.example(), nil
}

// read reads the groups of the file, and what its columns are.
func (f *fitting) read() (err error) {
	f.Group, f.Outer, f.Crossed, f.Y = f.o.Formula.Group, f.o.Formula.Outer, f.o.Formula.Crossed, formula.Columns(f.o.Formula.Y)
	if f.X, f.XForms, f.YForms, err = formsOf(f.o); err != nil {
		return err
	}
	f.Censored = f.o.Censored
	for _, y := range f.o.Formula.Y {
		f.LogY = append(f.LogY, y.Log)
	}
	layout := f.Layout()
	layout.Warnings, layout.Weights = f.o.Warnings, f.o.Weights
	if f.groups, err = layout.Read(f.File); err != nil {
		return err
	}
	f.Weight = layout.Weight
	if err := f.nameCrossed(&layout); err != nil {
		return err
	}
	var all points.Points
	for _, g := range f.groups {
		all.Append(g.Points)
	}
	f.Ranges, f.YRanges, f.Rows = rangesOf(all.X, f.XForms), rangesOf(all.Y, make([]rows.Form, len(f.Y))), all.Len()
	f.EqualRows, f.Missing = answer.EqualRows(f.groups), file.MissingIn(all)
	f.sayMissing()
	if f.Rows < leastRows {
		return &invalid.Input{File: f.File, Found: invalid.Plural(f.Rows, "row", "rows") + " with a value of y", Expected: fmt.Sprintf("at least %d", leastRows)}
	}
	if err := f.checkValues(); err != nil {
		return err
	}
	f.dropUnusedNames()
	if bad := f.CheckOffsets(all.X); bad != nil {
		bad.File = f.File
		return bad
	}
	f.order()
	return f.checkNoRows()
}

// fitStacks fits a stack to each column of y.
func (f *fitting) fitStacks(ctx context.Context) error {
	options, data := make([]stack.Options, len(f.Y)), make([][]points.Group, len(f.Y))
	done, total := 0, 0
	for c := range f.Y {
		var err error
		data[c] = f.groupsOf(c)
		if options[c], err = f.options(ctx, c, data[c]); err != nil {
			return err
		}
		options[c].Done = func() {
			done++
			f.o.Progress.Update(progress.State{Done: done})
		}
		total += options[c].Jobs(data[c])
	}
	f.o.Progress.Begin("fit", "model", 0, total)
	defer f.o.Progress.End()
	for c, y := range f.Y {
		s, err := stack.Fit(ctx, data[c], options[c])
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err == stack.ErrNothing:
			return &invalid.Input{File: f.File, Key: y, Found: err.Error(), Expected: "more rows, or other columns"}
		case err != nil:
			return err
		}
		for _, m := range s.Failed {
			f.o.Warnings.Add("the model %q of %s is left out: %s", m.Name, y, m.Why)
		}
		for _, m := range s.OfFolds {
			f.o.Warnings.Add("the model %q of %s predicts by the mean of its models without each fold, since that of all groups failed: %s", m.Name, y, m.Why)
		}
		f.Stacks = append(f.Stacks, s)
	}
	return nil
}

// options returns how to fit the stack of column c of y. It adds lines about models that are left out, and about ends of y.
func (f *fitting) options(ctx context.Context, c int, data []points.Group) (stack.Options, error) {
	o, y := f.o, f.o.Formula.Y[c]
	outcome, err := f.outcomeOf(c)
	if offset := len(o.Formula.Offset) > 0; offset && err == nil {
		if outcome = outcome.OfRates(!f.AddsTo(c)); outcome.Real() && o.Outcome != "" && o.Outcome != stack.Real {
			err = errors.New("an offset: models see rates, which are whole numbers or bounded by 0 at most")
		}
	}
	if err != nil {
		return stack.Options{}, &invalid.Input{File: f.File, Key: y.Column, Found: err.Error(), Expected: "y for --outcome " + o.Outcome}
	}
	all, questions := o.kinds(f.Rows)
	if all = stack.For(data, all); f.Crossed != "" { // no two groups have the same codes
		all = slices.DeleteFunc(all, func(k stack.Kind) bool { return k.Name == stack.CommonGrid().Name })
	}
	for _, k := range all {
		if o.Weights != "" && k.IgnoresRowWeights {
			o.Warnings.Add("the model %q reads each row once, whatever its weight; its own weight and the scores follow --row-weights", k.Name)
		}
	}
	kinds := affordable(all, o.Budget, f.Rows*len(f.Y))
	for _, k := range all {
		if !slices.ContainsFunc(kinds, func(other stack.Kind) bool { return other.Name == k.Name }) {
			o.Warnings.Add("the model %q is left out: it takes more than the budget", k.Name)
		}
	}
	if alone := namesOf(kinds, func(k stack.Kind) bool { return k.Grouped }); len(data) == 1 && alone != nil {
		o.Warnings.Add("all rows of %s are one group, so what compares groups is left out: %s", y.Column, strings.Join(alone, ", "))
	}
	o.noteOuter(data, kinds, y.Column)
	how := stack.Options{Seed: o.Seed, Threads: o.Threads, Log: y.Log, NoLog: f.AddsTo(c), Outcome: outcome, Column: slices.Index(places(f.keysOfY()), c), Kinds: kinds, Questions: questions}
	f.noteLimits(c, kinds)
	if f.Crossed != "" {
		how.Coder, how.Coded = f.coder(c), f.Width()-1
	}
	if o.Outcome != "" || len(o.Formula.Offset) > 0 {
		return how, nil
	}
	settled, lines, err := how.Settle(ctx, data)
	how.Outcome = settled
	for _, line := range lines {
		o.Warnings.Add("the values of %s are taken for %s", y.Column, line)
	}
	if err != nil {
		return how, err
	}
	f.noteShares(c, settled)
	heaps, line, err := how.Heap(ctx, data)
	if how.Heaps = heaps; heaps != nil {
		o.Warnings.Add("the values of %s are taken for %s", y.Column, line)
	}
	return how, err
}

// checkColumns refuses a column of weights or of sides that the formula has, and sides of several columns of y.
func (o Options) checkColumns() error {
	f := o.Formula
	all := append(formula.Columns(slices.Concat(f.Y, f.X, f.Offset)), f.Group, f.Outer, f.Crossed)
	for _, of := range [][2]string{{"--row-weights", o.Weights}, {"--censored", o.Censored}} {
		if of[1] != "" && slices.Contains(all, of[1]) {
			return &invalid.Input{File: of[0], Found: of[1] + ", which is in the formula", Expected: "another column"}
		}
	}
	if o.Censored != "" && len(f.Y) > 1 {
		return &invalid.Input{File: "--censored", Found: fmt.Sprintf("%d columns of y", len(f.Y)), Expected: "one; of several, write the limits in their cells, as in <50"}
	}
	return nil
}

// noteOuter adds lines about what groups in groups do not do.
func (o Options) noteOuter(data []points.Group, kinds []stack.Kind, y string) {
	if o.Formula.Outer == "" {
		return
	}
	if !stack.FoldsAreOfOuter(data) && !stack.FoldsAreOfPoints(len(data)) {
		o.Warnings.Add("%s has too few names for folds, so models of %s are judged by a new %s of a known %s", o.Formula.Outer, y, o.Formula.Group, o.Formula.Outer)
	}
	if others := namesOf(kinds, func(k stack.Kind) bool { return !k.Outer }); others != nil {
		o.Warnings.Add("models of %s that see the rows of a %s alone, and nothing of its %s: %s", y, o.Formula.Group, o.Formula.Outer, strings.Join(others, ", "))
	}
}

// limitsOf returns how many values of column c of y are limits.
func (f *fitting) limitsOf(c int) (n int) {
	for _, g := range f.groups {
		below, above := g.Limits(c)
		n += below + above
	}
	return n
}

// noteLimits adds a line about what limits in column c of y do.
func (f *fitting) noteLimits(c int, kinds []stack.Kind) {
	n, guess := f.limitsOf(c), ""
	if n == 0 {
		return
	}
	if names := namesOf(kinds, func(k stack.Kind) bool { return k.Guesses }); names != nil {
		guess = "; guesses stand for known ones in " + strings.Join(names, " and ")
	}
	if f.Crossed != "" {
		guess += "; codes of " + f.Crossed + " are of the other rows"
	}
	f.o.Warnings.Add("%s of %s: log densities have the probabilities of their sides, CRPS and the table leave them out, intervals take y there as predicted, and models are fitted to y drawn there by a mixed model of the sides%s",
		invalid.Plural(n, "limit", "limits"), f.Y[c], guess)
}

// noteShares adds a line if column c of y may be shares, of which no model knows that they end at 0 and 1.
func (f *fitting) noteShares(c int, s likelihood.Support) {
	const high = 0.8 // what only comes near 0 need not be a share
	y, column := slices.Concat(f.outcomesOf(c)...), f.o.Formula.Y[c]
	if s.Whole || s.Low != nil && s.High != nil || column.Log || len(y) == 0 || slices.Min(y) < 0 || slices.Max(y) > 1 || slices.Max(y) < high {
		return
	}
	f.o.Warnings.Add("all values of %[1]s lie between 0 and 1, and predictions may lie beyond: of shares, fit a column with log(%[1]s/(1-%[1]s)) and take its quantiles back",
		column.Column)
}

// namesOf returns the names of the kinds of which is says yes.
func namesOf(kinds []stack.Kind, is func(stack.Kind) bool) (names []string) {
	for _, k := range kinds {
		if is(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// kinds returns the candidates for a number of rows, and how often each is asked, 0 for the stack's own bound.
func (o Options) kinds(rows int) (all []stack.Kind, questions int) {
	if all = file.Kinds; o.Instant {
		all, questions = o.instantKinds(rows), instantQuestions
	}
	if o.NoRows {
		network := pretrained.Kind(0).Name
		o.Warnings.Add("the model %q is left out: it reads rows of the data when it predicts, and --no-rows keeps none", network)
		all = slices.DeleteFunc(slices.Clone(all), func(k stack.Kind) bool { return k.Name == network })
	}
	return all, questions
}

// instantKinds returns the candidates of an instant fit.
func (o Options) instantKinds(rows int) []stack.Kind {
	simplest := stack.MixedModel()
	simplest.Most = instantRows
	counts, hurdle, logistic := stack.CountModel(), stack.HurdleModel(), stack.LogisticModel()
	counts.Most, hurdle.Most, logistic.Most = instantRows, instantRows, instantRows
	grid, network := stack.CommonGrid(), pretrained.Kind(instantRows)
	grid.FirstFoldChoosesScale, network.FirstFoldChoosesScale = rows > instantScales, rows > instantScales
	simplest.FirstFoldChoosesScale = rows > instantScales && o.Formula.Outer != "" // it has two levels to fit
	return []stack.Kind{simplest, grid, counts, hurdle, logistic, network}
}

// Bounds of an instant fit: of the rows that each model sees, of the questions to it, and of the rows of which there is
// time for several scales of a model.
const (
	instantRows      = 800
	instantQuestions = 400
	instantScales    = 400
)

// affordable returns the kinds whose fits to a number of rows take at most budget seconds of two ordinary
// cores together: the cheapest first, and at least one. It adds up Kind.Cost and measures no time, so the
// choice is the same on every machine.
func affordable(kinds []stack.Kind, budget float64, rows int) []stack.Kind {
	if budget == 0 {
		return kinds
	}
	const cores = 2
	left, in := budget*cores, map[string]bool{}
	byCost := slices.SortedStableFunc(slices.Values(kinds), func(a, b stack.Kind) int { return cmp.Compare(a.Cost(rows), b.Cost(rows)) })
	for i, k := range byCost {
		if left -= k.Cost(rows); left < 0 && i > 0 {
			break
		}
		in[k.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(k stack.Kind) bool { return !in[k.Name] })
}

// rangesOf returns the least and the largest of the values of each column of x or y. A column of names has none.
func rangesOf(values []float64, forms []rows.Form) []datasets.Range {
	all := slices.Repeat([]datasets.Range{{Low: math.Inf(1), High: math.Inf(-1)}}, len(forms))
	for i, v := range values {
		if r := &all[i%len(forms)]; !math.IsNaN(v) { // a y may be missing
			r.Low, r.High = min(r.Low, v), max(r.High, v)
		}
	}
	for c, form := range forms {
		if form.Categories != nil {
			all[c] = datasets.Range{}
		}
	}
	return all
}

// outcomesOf returns the known values of column c of y, by group, as the data have them: rates of whole numbers are none.
func (f *fitting) outcomesOf(c int) (all [][]float64) {
	for _, g := range f.groups {
		var known []float64
		for i, v := range g.ColumnY(c) {
			if !math.IsNaN(v) && g.Limit(i, c) == 0 {
				known = append(known, v)
			}
		}
		if known != nil {
			all = append(all, known)
		}
	}
	return all
}

// outcomeOf returns the values that column c of y can have. A limit is no bound, and a y beyond one is no atom.
func (f *fitting) outcomeOf(c int) (likelihood.Support, error) {
	if one := 1.0; f.YForms[c].Categories != nil {
		return likelihood.Support{Low: new(float64), High: &one, Whole: true}, nil
	}
	s, err := stack.OutcomeOf(f.outcomesOf(c), f.o.Outcome)
	return stack.BesideLimits(s, f.groups, c), err
}

// groupsOf returns the points whose column c of y is known, as models see them.
func (f *fitting) groupsOf(c int) (all []points.Group) {
	for _, g := range f.groups {
		if g.Points = f.Seen(c, g.Points); g.Len() > 0 {
			all = append(all, g)
		}
	}
	return all
}
