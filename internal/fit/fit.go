// Package fit fits a stack of models to a CSV file: acqnp fit.
package fit

import (
	"context"
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models/simple"
	"github.com/acqnp/acqnp/internal/models/stack"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
)

// Options say what to fit.
type Options struct {
	File     string
	Formula  formula.Formula
	Instant  bool // without networks
	Seed     uint64
	Threads  int
	Progress progress.Reporter
}

// Bounds of the data: rows that can be cut into folds, and columns of x that models see.
const (
	leastRows    = 10
	mostOfModelX = 40
)

// Fit reads the file and fits a stack to each column of y. An error about the file or the formula is
// an *invalid.Input.
func Fit(ctx context.Context, o Options) (f predict.Fitted, err error) {
	f = predict.Fitted{File: o.File, Formula: o.Formula.String(), Group: o.Formula.Group,
		X: formula.Columns(o.Formula.X), Y: formula.Columns(o.Formula.Y)}
	if f.XForms, err = formsOf(o); err != nil {
		return f, err
	}
	layout := f.Layout()
	points, err := layout.Read(o.File)
	if err != nil {
		return f, err
	}
	rows := 0
	for _, p := range points {
		rows += p.N
	}
	if rows < leastRows {
		return f, &invalid.Input{File: o.File, Found: invalid.Plural(rows, "row", "rows") + " without missing cells", Expected: fmt.Sprintf("at least %d", leastRows)}
	}
	defer o.Progress.End()
	for c, y := range o.Formula.Y {
		kinds := stack.Kinds()
		if !o.Instant {
			kinds = withNetwork(kinds)
		}
		s, err := stack.Fit(ctx, groupsOf(f, points, c), stack.Options{Kinds: kinds, Seed: o.Seed, Threads: o.Threads, Log: y.Log,
			Done: func(done, total int) {
				if done == 1 {
					o.Progress.Begin("fit "+y.Column, "model", 0, total)
				}
				o.Progress.Update(progress.State{Done: done})
			}})
		o.Progress.End()
		if err != nil && ctx.Err() != nil {
			return f, ctx.Err()
		}
		if err != nil {
			return f, &invalid.Input{File: o.File, Key: y.Column, Found: err.Error(), Expected: "more rows, or other columns"}
		}
		f.Stacks = append(f.Stacks, s)
	}
	return f, ctx.Err()
}

// formsOf returns what the cells of each column of x are.
func formsOf(o Options) ([]datasets.Form, error) {
	x, y := formula.Columns(o.Formula.X), formula.Columns(o.Formula.Y)
	scan, err := datasets.ScanCSV(config.Data{File: o.File, Function: o.Formula.Group, XColumns: x, YColumns: y}, ".")
	if err != nil {
		return nil, err
	}
	forms, width := make([]datasets.Form, len(x)), 0
	for i, t := range slices.Concat(o.Formula.X, o.Formula.Y) {
		c, _ := scan.Column(t.Column)
		refuse := func(found, expected string) ([]datasets.Form, error) {
			return nil, &invalid.Input{File: o.File, Key: t.Column, Found: found, Expected: expected}
		}
		var form datasets.Form
		switch {
		case c.Kind == datasets.EmptyColumn:
			return refuse("no value in any row", "numbers, dates or names")
		case c.Constant():
			return refuse("the same value in every row", "values that differ")
		case c.Kind == datasets.MixedColumn:
			return refuse("cells of several kinds, from "+c.Odd+" on", "numbers alone, dates alone or names alone")
		case c.Kind == datasets.NameColumn && i >= len(x):
			return refuse("names", "numbers in a column of y")
		case c.Kind == datasets.NameColumn && len(c.Values) == 0:
			return refuse(fmt.Sprintf("more than %d names", datasets.MaxDistinct), "fewer")
		case t.Log && c.Kind != datasets.NumberColumn:
			return refuse("a logarithm of "+c.Kind+"s", "numbers")
		case t.Log && c.Least <= 0:
			return refuse(fmt.Sprintf("%g, which has no logarithm", c.Least), "numbers above 0")
		case c.Kind == datasets.NameColumn:
			form.Categories = c.Values
		case c.Kind == datasets.DateColumn:
			form.Origin, _ = c.Span()
		case t.Log:
			form.Log = true
		}
		if i < len(x) {
			forms[i] = form
			width += max(1, len(form.Categories))
		}
	}
	if width > mostOfModelX {
		return nil, &invalid.Input{File: o.File, Found: fmt.Sprintf("%d columns of x, a column for each name", width), Expected: fmt.Sprintf("at most %d", mostOfModelX)}
	}
	return forms, nil
}

// groupsOf returns the points with column c of y.
func groupsOf(f predict.Fitted, points []datasets.Points, c int) []simple.Group {
	var groups []simple.Group
	for _, p := range points {
		x := f.ModelX(p.X)
		g := simple.Group{X: x, DX: len(x) / max(p.N, 1)}
		for i := range p.N {
			g.Y = append(g.Y, p.Y[i*len(f.Y)+c])
		}
		if p.N > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}
