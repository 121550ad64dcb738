package fit

import (
	"context"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/random"
)

// An Importance says how much log density predictions of a column of y lose without what they are told. They are made
// by models that have not seen the group, or the point, that they are asked about.
type Importance struct {
	LogDensity float64 // of a target, in nats, the mean over groups
	Error      float64
	Columns    []Loss // of each of Fitted.Columns, if its values are shuffled
	Known      *Loss  // if no point of a group is known; nil where folds are of points
}

// A Loss is a paired difference of log densities and its standard error.
type Loss struct{ Loss, Error float64 }

// shuffles is how often each column is shuffled. More would narrow a standard error over groups little.
const shuffles = 3

// Columns returns the columns of x that models see.
func (f Fitted) Columns() (columns []int) {
	for c, form := range f.XForms {
		if f.X[c] != "" && !form.OffsetOnly {
			columns = append(columns, c)
		}
	}
	return columns
}

// Importance returns the importance of the columns of x, for each column of y. It shuffles the values of a column among
// all rows, known ones and targets; those that are the same in all rows of a group, among groups.
func (f Fitted) Importance(ctx context.Context, threads int, p progress.Reporter) (all []Importance, err error) {
	columns := f.Columns()
	p.Begin("importance", "column", 0, len(columns)*len(f.Y))
	defer p.End()
	for c, s := range f.Stacks {
		if err := s.OpenFolds(allKinds, f.width()); err != nil {
			return nil, &invalid.Input{File: f.path, Key: "stacks", Found: err.Error(), Expected: "what acqnp fit writes"}
		}
		base, err := f.outOfFold(ctx, c, f.Kept, false, threads)
		if err != nil {
			return nil, err
		}
		var one Importance
		one.LogDensity, one.Error = base.Mean()
		for _, column := range columns {
			var without []stack.Logs
			for n := range shuffles {
				logs, err := f.outOfFold(ctx, c, f.shuffled(column, n), false, threads)
				if err != nil {
					return nil, err
				}
				without = append(without, logs)
			}
			var l Loss
			l.Loss, l.Error = base.Above(without...)
			one.Columns = append(one.Columns, l)
			p.Update(progress.State{Done: len(all)*len(columns) + len(one.Columns)})
		}
		if !s.ByPoint {
			alone, err := f.outOfFold(ctx, c, f.Kept, true, threads)
			if err != nil {
				return nil, err
			}
			one.Known = new(Loss)
			one.Known.Loss, one.Known.Error = base.Above(alone)
		}
		all = append(all, one)
	}
	return all, nil
}

// outOfFold asks the models of column c of y about rows that they have not seen.
func (f Fitted) outOfFold(ctx context.Context, c int, kept []keptGroup, alone bool, threads int) (stack.Logs, error) {
	var groups []points.Group
	var folds [][]int
	for _, k := range kept {
		var of []int
		for i, v := range k.ColumnY(c) {
			if !math.IsNaN(v) {
				of = append(of, k.Folds[i*k.DY+c])
			}
		}
		if k.Points = f.column(c, k.Points); len(of) > 0 {
			groups, folds = append(groups, k.Group), append(folds, of)
		}
	}
	return f.Stacks[c].OutOfFold(ctx, groups, folds, alone, threads)
}

// shuffled returns the kept rows with the values of a column of x shuffled.
func (f Fitted) shuffled(column, n int) []keptGroup {
	units, values := f.unitsOf(column)
	order := make([]int, len(values))
	random.New(0, random.Evaluation).Perm(uint64(column)<<8+uint64(n), order)
	all := slices.Clone(f.Kept)
	for k := range all {
		all[k].X = slices.Clone(all[k].X)
		for i := range all[k].Len() {
			all[k].Row(i)[column], units = values[order[units[0]]], units[1:]
		}
	}
	return all
}

// unitsOf returns the units among which the values of a column are shuffled, of each kept row, and the value of each
// unit: outer groups or groups, if the column has one value in each, or otherwise rows.
func (f Fitted) unitsOf(column int) (units []int, values []float64) {
	for _, name := range []func(keptGroup) string{func(g keptGroup) string { return g.Outer }, func(g keptGroup) string { return g.Name }} {
		if units, values = f.valuesBy(column, name); units != nil {
			return units, values
		}
	}
	for _, g := range f.Kept {
		for _, v := range g.Column(column) {
			units, values = append(units, len(values)), append(values, v)
		}
	}
	return units, values
}

// valuesBy returns the unit of each kept row, by a name, and the value of a column in each. It returns nil if a unit has
// several.
func (f Fitted) valuesBy(column int, name func(keptGroup) string) (units []int, values []float64) {
	known := map[string]int{}
	for _, g := range f.Kept {
		unit, is := known[name(g)]
		if !is {
			unit = len(values)
			known[name(g)], values = unit, append(values, g.X[column])
		}
		for _, v := range g.Column(column) {
			if v != values[unit] && !(math.IsNaN(v) && math.IsNaN(values[unit])) {
				return nil, nil
			}
			units = append(units, unit)
		}
	}
	return units, values
}

// WarnOfEffects adds lines about what Importance and Effects leave out.
func (f Fitted) WarnOfEffects(w *warning.Record) {
	for c, form := range f.XForms {
		if form.OffsetOnly {
			w.Add("%s is an offset alone: the formula says what it does", f.X[c])
		}
	}
	if line := f.Calibrated().Beyond(EffectLevels[:], nil, false); line != "" {
		w.Add("%s", line)
	}
	kept := 0
	for _, g := range f.Kept {
		kept += g.Len()
	}
	if kept < f.Rows {
		w.Add("columns are shuffled among the %d of %d rows that %s keeps", kept, f.Rows, File)
	}
}
