package predict

import (
	"fmt"
	"iter"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
)

// FunctionFiles name the files of functions to predict, in raw units.
type FunctionFiles struct {
	Context string       // CSV file of points (x, y); "" is a file without rows
	Targets string       // CSV file of points x; if empty, the targets are Grid's or, without one, the rows of Context without y
	Grid    string       // see rows.ParseGrid
	Layout  *rows.Layout // of both files
	Scored  bool         // the targets have the columns of y too
	Weights string       // the column of row weights of the targets; "" for none
	AsNew   bool         // groups of the training are new ones: the predictor recalls nothing of them
}

// Read returns the functions in the context file with their targets, and what else the rows of the targets
// say. Targets without a function's name belong to every function. A function of which no point is known has
// an empty context; without any, there is one function without a name, or those that the targets name. Read
// returns an *invalid.Input for files that it cannot use. The layout's warnings say what was left out.
func (f FunctionFiles) Read() ([]Function, rows.Company, error) {
	if f.Targets == "" && f.Grid == "" {
		return f.readBoth()
	}
	functions, err := f.contexts()
	if err != nil {
		return nil, rows.Company{}, err
	}
	if f.Targets == "" {
		grid, err := f.grid()
		if err != nil {
			return nil, rows.Company{}, err
		}
		return askAll(functions, rows.Group{X: grid}), rows.Company{}, nil
	}
	partial := f.Layout.PartialY
	f.Layout.Weights = f.Weights
	f.Layout.PartialY = false // a target is scored in all its columns of y
	targets, others, err := f.Layout.ReadTargets(f.Targets, f.Scored)
	f.Layout.PartialY, f.Layout.Weights = partial, ""
	if err != nil {
		return nil, others, err
	}
	if others.Group == "" {
		return askAll(functions, targets[0]), others, f.checkAll(functions)
	}
	if len(functions) == 1 && functions[0].Name == "" {
		return nil, others, &invalid.Input{File: f.Context, Line: 1, Found: "no column " + others.Group,
			Expected: "one that says which groups of " + f.Targets + " these points are known of"}
	}
	functions = askEach(functions, targets)
	f.noteScored(functions)
	return functions, others, nil
}

// readBoth reads known points and targets from the context file: targets are its rows without y.
func (f FunctionFiles) readBoth() ([]Function, rows.Company, error) {
	contexts, targets, others, err := f.Layout.ReadBoth(f.Context)
	if err != nil {
		return nil, others, err
	}
	return askEach(known(contexts), targets), others, nil
}

// known returns functions with contexts.
func known(contexts []rows.Group) (functions []Function) {
	for _, c := range contexts {
		functions = append(functions, Function{Name: c.Name, ContextX: c.X, ContextY: c.Y})
	}
	return functions
}

// contexts returns the functions in the context file, without targets.
func (f FunctionFiles) contexts() (functions []Function, err error) {
	if f.Context == "" {
		return nil, nil
	}
	contexts, err := f.Layout.Read(f.Context)
	functions = known(contexts)
	if by := f.Layout.Groups; len(by) > 0 && by[0] != "" && len(functions) == 1 && functions[0].Name == "" {
		f.Layout.Warnings.Add("%s: no column %s, so all rows are one group", f.Context, by[0])
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
		if f.Layout.X[c] == "" {
			return nil, &invalid.Input{File: "--grid", Found: f.Grid, Expected: "--targets FILE with a row for each prediction: the formula has no x"}
		}
		if form.Categories != nil {
			return nil, bad(c, "a column of names, which has no range", "--targets FILE with a row for each prediction")
		}
	}
	grid, err := rows.ParseGrid(f.Grid, len(f.Layout.X), f.Layout.XForms)
	if err != nil {
		return nil, err
	}
	for i, v := range grid {
		if c := i % len(f.Layout.X); c < len(f.Layout.XForms) && !f.Layout.XForms[c].Takes(v) {
			return nil, bad(c, fmt.Sprint(v), "numbers above 0, whose logarithm the model sees; 0 only if the training had one")
		}
	}
	return grid, nil
}

// askAll gives every function the same targets.
func askAll(functions []Function, p rows.Group) []Function {
	if len(functions) == 0 {
		functions = make([]Function, 1)
	}
	for i := range functions {
		functions[i].TargetX, functions[i].TargetY, functions[i].Weights, functions[i].Rows = p.X, p.Y, p.Weights, p.Rows
	}
	return functions
}

// checkAll refuses to score each target for several groups. Otherwise it says that each is asked of all.
func (f FunctionFiles) checkAll(functions []Function) error {
	if len(functions) < 2 {
		return nil
	}
	if f.Scored {
		return &invalid.Input{File: f.Targets, Line: 1, Found: "no column that names the group of a row",
			Expected: "one, since " + f.Context + " has " + invalid.Plural(len(functions), "group", "groups")}
	}
	f.Layout.Warnings.Add("%s: no column that names groups, so each row is predicted for each of %d groups of %s", f.Targets, len(functions), f.Context)
	return nil
}

// askEach gives every function the targets of its name. A function without a context joins at the end.
func askEach(functions []Function, targets []rows.Group) []Function {
	at := map[string]int{}
	for i, g := range functions {
		at[g.Name] = i
	}
	for _, p := range targets {
		i, known := at[p.Name]
		if !known {
			i = len(functions)
			functions = append(functions, Function{Name: p.Name})
		}
		functions[i].TargetX, functions[i].TargetY, functions[i].Weights, functions[i].Rows = p.X, p.Y, p.Weights, p.Rows
	}
	return functions
}

// noteScored adds a line if every target to score is a known point too, as if one file were given twice.
func (f FunctionFiles) noteScored(functions []Function) {
	dx, dy := len(f.Layout.X), len(f.Layout.Y)
	if !f.Scored || dx == 0 || dy == 0 {
		return
	}
	row := func(x, y []float64, k int) string { return fmt.Sprint(x[k*dx:][:dx], y[k*dy:][:dy]) }
	for _, fn := range functions {
		known := map[string]bool{}
		for k := range len(fn.ContextY) / dy {
			known[row(fn.ContextX, fn.ContextY, k)] = true
		}
		for k := range len(fn.TargetY) / dy {
			if !known[row(fn.TargetX, fn.TargetY, k)] {
				return
			}
		}
	}
	f.Layout.Warnings.Add("%s: every target is a known point of %s too: these scores say nothing of new rows", f.Targets, f.Context)
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

// Asked is what a user asks of a predictor.
type Asked struct {
	Predictor
	Layout    rows.Layout // of the files
	Functions []Function
	Others    rows.Company // of the targets
}

// Ask reads the functions to predict from the files, and adds what the predictor does not know of them to the
// warnings of the layout.
func Ask(p Predictor, files FunctionFiles) (a Asked, err error) {
	a.Predictor, a.Layout = p, *files.Layout
	files.Layout = &a.Layout
	if a.Functions, a.Others, err = files.Read(); err == nil {
		a.Functions = p.Recall(a.Functions, files.AsNew, a.Layout.Warnings)
		p.Warn(a.Functions, a.Layout.XText, a.Layout.Warnings)
	}
	return a, err
}

// CountAsked returns how many functions have targets.
func (a Asked) CountAsked() (n int) {
	for _, fn := range a.Functions {
		if len(fn.TargetX) > 0 {
			n++
		}
	}
	return n
}

// CountTargets returns how many targets all functions have together.
func (a Asked) CountTargets() int { return CountTargets(a.Functions, len(a.About().Units.XNames)) }
