package fit

import (
	"math"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
)

// column returns the points whose column c of y is known. x is what models see.
func (f Fitted) column(c int, x, y []float64) simple.Group {
	g := simple.Group{DX: f.width()}
	for i := range len(y) / len(f.Y) {
		if v := y[i*len(f.Y)+c]; !math.IsNaN(v) {
			g.X, g.Y = append(g.X, x[i*g.DX:][:g.DX]...), append(g.Y, v)
		}
	}
	return g
}

// known returns the known points of column c of y. A y of 0 or less counts as the least of the data where models
// take logarithms of y, see Warn.
func (f Fitted) known(c int, x, y []float64) simple.Group {
	g := f.column(c, x, y)
	if low := f.YRanges[c].Low; f.Stacks[c].SeesLog() && low > 0 {
		for i, v := range g.Y {
			if v <= 0 {
				g.Y[i] = low
			}
		}
	}
	return g
}

// CheckScored returns an *invalid.Input for a target whose y no model can have: of 0 or less, where all take
// logarithms.
func (f Fitted) CheckScored(targets string, functions []predict.Function) error {
	for c, s := range f.Stacks {
		if slices.ContainsFunc(s.Candidates, func(c stack.Candidate) bool { return !c.LogY && c.Weight > 0 }) {
			continue
		}
		for _, fn := range functions {
			for i := c; i < len(fn.TargetY); i += len(f.Y) {
				if v := fn.TargetY[i]; v <= 0 {
					return &invalid.Input{File: targets, Key: f.Y[c], Found: strconv.FormatFloat(v, 'g', -1, 64), Expected: "numbers above 0: all of the data are, and every model takes the logarithm"}
				}
			}
		}
	}
	return nil
}
