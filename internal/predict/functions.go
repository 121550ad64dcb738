package predict

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
)

// FunctionFiles name the files of functions to predict, in raw units.
type FunctionFiles struct {
	Context string           // CSV file of points (x, y); "" is a file without rows
	Targets string           // CSV file of points x; if empty, the targets are Grid's
	Grid    string           // see datasets.ParseGrid
	Layout  *datasets.Layout // of both files
	Scored  bool             // the targets have the columns of y too, and no cell is missing
}

// Read returns the functions in the context file with their targets. Targets without a function's
// name belong to every function. A context without rows stands for any function: there is one function
// without a name, or those that the targets name. Read returns an *invalid.Input for files that it cannot
// use.
func (f FunctionFiles) Read() ([]Function, error) {
	functions, err := f.contexts()
	if err != nil {
		return nil, err
	}
	if f.Targets == "" {
		grid, err := f.grid()
		if err != nil {
			return nil, err
		}
		if len(functions) == 0 {
			functions = make([]Function, 1)
		}
		askAll(functions, grid)
		return functions, nil
	}
	targets, err := f.readTargets()
	if err != nil {
		return nil, err
	}
	if f.Scored && len(functions) > 1 && targets[0].Function == "" {
		return nil, &invalid.Input{File: f.Targets, Line: 1, Found: "no column that names the group of a row",
			Expected: "one, since " + f.Context + " has " + invalid.Plural(len(functions), "group", "groups")}
	}
	if len(functions) == 0 {
		for _, p := range targets {
			functions = append(functions, Function{Name: p.Function})
		}
	}
	return functions, f.askEach(functions, targets)
}

// readTargets returns the points of the file of targets.
func (f FunctionFiles) readTargets() ([]datasets.Points, error) {
	if !f.Scored {
		return f.Layout.ReadX(f.Targets)
	}
	drop := f.Layout.DropMissing
	f.Layout.DropMissing = false
	targets, err := f.Layout.Read(f.Targets)
	f.Layout.DropMissing = drop
	if err == nil && len(targets) == 0 {
		err = &invalid.Input{File: f.Targets, Found: "a header without rows", Expected: "a header line and rows"}
	}
	return targets, err
}

// contexts returns the functions in the context file, without targets.
func (f FunctionFiles) contexts() (functions []Function, err error) {
	if f.Context == "" {
		return nil, nil
	}
	contexts, err := f.Layout.Read(f.Context)
	for _, c := range contexts {
		functions = append(functions, Function{Name: c.Function, ContextX: c.X, ContextY: c.Y})
	}
	return functions, err
}

// grid returns the targets that Grid asks for. It refuses a grid along a column of names, and along
// a logarithm from 0 or below.
func (f FunctionFiles) grid() ([]float64, error) {
	bad := func(c int, found, expected string) error {
		return &invalid.Input{File: "--grid", Key: f.Layout.X[c], Found: found, Expected: expected}
	}
	for c, form := range f.Layout.XForms {
		if form.Categories != nil {
			return nil, bad(c, "a range for a column of names", "--targets FILE")
		}
	}
	grid, err := datasets.ParseGrid(f.Grid, len(f.Layout.X))
	if err != nil {
		return nil, err
	}
	for i, v := range grid {
		if c := i % len(f.Layout.X); c < len(f.Layout.XForms) && !f.Layout.XForms[c].Takes(v) {
			return nil, bad(c, fmt.Sprint(v), "numbers above 0, whose logarithm is taken; 0 only if the training had one")
		}
	}
	return grid, nil
}

// askAll gives every function the same targets [N, dx].
func askAll(functions []Function, x []float64) {
	for i := range functions {
		functions[i].TargetX = x
	}
}

// askEach gives every function the targets of its name.
func (f FunctionFiles) askEach(functions []Function, targets []datasets.Points) error {
	for _, p := range targets {
		if p.Function == "" {
			askAll(functions, p.X)
			for i := range functions {
				functions[i].TargetY = p.Y
			}
			continue
		}
		i := slices.IndexFunc(functions, func(g Function) bool { return g.Name == p.Function })
		if i < 0 {
			return &invalid.Input{File: f.Targets, Key: "function", Found: strconv.Quote(p.Function),
				Expected: "a group of " + f.Context}
		}
		functions[i].TargetX, functions[i].TargetY = p.X, p.Y
	}
	return nil
}

// CountTargets returns how many targets all functions have together. x has dx columns.
func CountTargets(functions []Function, dx int) int {
	n := 0
	for _, f := range functions {
		n += len(f.TargetX) / dx
	}
	return n
}

// Shown returns the same predictions and reports to p how many of the total are made.
func Shown(p progress.Reporter, total int, predictions iter.Seq2[Target, error]) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) {
		p.Begin("predict", "target", 0, total)
		defer p.End()
		done := 0
		for t, err := range predictions {
			if err == nil {
				done++
				p.Update(progress.State{Done: done})
			}
			if !yield(t, err) {
				return
			}
		}
	}
}
