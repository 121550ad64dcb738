package cli

import (
	"iter"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
)

// functionColumns are the CSV columns that may say to which function a point belongs; the first that is there does.
func functionColumns(e config.Experiment) []string { return []string{e.Data.Function, "function"} }

// readFunctions reads the context and the targets. Targets of no named function are asked of every function.
func (o *sampleOptions) readFunctions(xNames, yNames, functionColumns []string) ([]predict.Function, error) {
	contexts, err := datasets.ReadPoints(o.context, xNames, yNames, functionColumns...)
	if err != nil {
		return nil, err
	}
	var functions []predict.Function
	for _, c := range contexts {
		functions = append(functions, predict.Function{Name: c.Function, ContextX: c.X, ContextY: c.Y})
	}
	if o.targets == "" {
		grid, err := parseGrid(o.grid, len(xNames))
		if err != nil {
			return nil, err
		}
		askAll(functions, grid)
		return functions, nil
	}
	targets, err := datasets.ReadPoints(o.targets, xNames, nil, functionColumns...)
	if err != nil {
		return nil, err
	}
	return functions, o.askEach(functions, targets)
}

// askAll gives every function the same targets [N, dx].
func askAll(functions []predict.Function, x []float64) {
	for i := range functions {
		functions[i].TargetX = x
	}
}

// askEach gives every function the targets that bear its name.
func (o *sampleOptions) askEach(functions []predict.Function, targets []datasets.Points) error {
	for _, p := range targets {
		if p.Function == "" {
			askAll(functions, p.X)
			continue
		}
		i := slices.IndexFunc(functions, func(f predict.Function) bool { return f.Name == p.Function })
		if i < 0 {
			return &input.Error{File: o.targets, Key: "function", Found: strconv.Quote(p.Function),
				Expected: "a function of " + o.context}
		}
		functions[i].TargetX = p.X
	}
	return nil
}

// countTargets is how many targets all functions have together.
func countTargets(functions []predict.Function, dx int) int {
	n := 0
	for _, f := range functions {
		n += len(f.TargetX) / dx
	}
	return n
}

// counted shows how many of the predictions are made.
func counted(p progress.Reporter, total int, predictions iter.Seq2[predict.Target, error]) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) {
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
