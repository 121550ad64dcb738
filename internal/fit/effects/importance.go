package effects

import (
	"context"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/random"
)

// An Importance says how much log density predictions of a column of y lose without what they are told. They are made
// by models that have not seen the group, or the point, that they are asked about.
type Importance struct {
	Share      float64 // of the weight, of the models that were asked
	LogDensity float64 // of a target, in nats, the mean over groups
	Error      float64
	Columns    []Loss // of each of Columns, if its values are shuffled
	Known      *Loss  // if no point of a group is known; nil where folds are of points
}

// A Loss is a paired difference of log densities and its standard error.
type Loss struct{ Loss, Error float64 }

// Bounds of the questions: of all, about as many as a fit asks, and of one column.
const mostQuestions, mostOfColumn = 1200, 250

// Columns returns the columns of x that models see.
func Columns(f *file.Fit) (columns []int) {
	for c, form := range f.XForms {
		if f.X[c] != "" && !form.OffsetOnly {
			columns = append(columns, c)
		}
	}
	return columns
}

// Importances returns the importance of the columns of x, for each column of y. It shuffles the values of a column among
// all rows, known ones and targets; those that are the same in all rows of a group, among groups.
func Importances(ctx context.Context, f answer.Predictor, threads int, p progress.Reporter) (all []Importance, err error) {
	columns := Columns(f.Fit)
	share := 0.0
	if f.Fit, share, err = f.Main(); err != nil {
		return nil, err
	}
	most := min(mostOfColumn, mostQuestions/(2+len(columns)))
	p.Begin("importance", "column", 0, len(columns)*len(f.Y))
	defer p.End()
	for c, s := range f.Stacks {
		base, err := outOfFold(ctx, f, c, f.Kept.Groups, false, most, threads)
		if err != nil {
			return nil, err
		}
		one := Importance{Share: share}
		one.LogDensity, one.Error = base.Mean()
		for _, column := range columns {
			without, err := outOfFold(ctx, f, c, shuffled(f, column), false, most, threads)
			if err != nil {
				return nil, err
			}
			var l Loss
			l.Loss, l.Error = base.Above(without)
			one.Columns = append(one.Columns, l)
			p.Update(progress.State{Done: len(all)*len(columns) + len(one.Columns)})
		}
		if !s.ByPoint {
			alone, err := outOfFold(ctx, f, c, f.Kept.Groups, true, most, threads)
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
func outOfFold(ctx context.Context, f answer.Predictor, c int, kept []points.Group, alone bool, most, threads int) (stack.Logs, error) {
	var groups []points.Group
	var folds [][]int
	for k, g := range kept {
		var of []int
		for i, v := range g.ColumnY(c) {
			if !math.IsNaN(v) {
				of = append(of, f.Kept.Folds[k][i*g.DY+c])
			}
		}
		if g.Points = f.Seen(c, g.Points); len(of) > 0 {
			groups, folds = append(groups, g), append(folds, of)
		}
	}
	return f.Stacks[c].OutOfFold(ctx, groups, folds, alone, most, threads)
}

// shuffled returns the kept rows with the values of a column of x shuffled.
func shuffled(f answer.Predictor, column int) []points.Group {
	units, values := unitsOf(f, column)
	order := random.New(0, random.Evaluation).Order(uint64(column)<<8, len(values))
	all := slices.Clone(f.Kept.Groups)
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
func unitsOf(f answer.Predictor, column int) (units []int, values []float64) {
	for _, name := range []func(points.Group) string{func(g points.Group) string { return g.Outer }, func(g points.Group) string { return g.Name }} {
		if units, values = valuesBy(f, column, name); units != nil {
			return units, values
		}
	}
	for _, g := range f.Kept.Groups {
		for _, v := range g.Column(column) {
			units, values = append(units, len(values)), append(values, v)
		}
	}
	return units, values
}

// valuesBy returns the unit of each kept row, by a name, and the value of a column in each. It returns nil if a unit has
// several.
func valuesBy(f answer.Predictor, column int, name func(points.Group) string) (units []int, values []float64) {
	known := map[string]int{}
	for _, g := range f.Kept.Groups {
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

// Warn adds lines about what Importances and Along leave out.
func Warn(f answer.Predictor, w *warning.Record) {
	for c, form := range f.XForms {
		if form.OffsetOnly {
			w.Add("%s is an offset alone: the formula says what it does", f.X[c])
		}
		if n := len(form.Categories); form.Crossed && n > mostPlaces {
			w.Add("%s: the effects are those of the first %d of %d names", f.X[c], mostPlaces, n)
		}
	}
	if line := f.Calibrated().Beyond(Levels[:], nil, nil); line != "" {
		w.Add("%s", line)
	}
	kept := 0
	for _, g := range f.Kept.Groups {
		kept += g.Len()
	}
	if kept < f.Rows {
		w.Add("columns are shuffled among the %d of %d rows that %s keeps", kept, f.Rows, file.Name)
	}
}
