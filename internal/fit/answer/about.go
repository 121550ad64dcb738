package answer

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/run"
)

// drawSeed is the seed of draws where none is given.
const drawSeed = 43

// yForms returns YForms with the logarithms that models take of y.
func (f Predictor) yForms() []rows.Form {
	forms := slices.Clone(f.YForms)
	for c, s := range f.Stacks {
		forms[c].Log, forms[c].AsLeast = s.SeesLog(), true
	}
	return forms
}

// About implements [predict.Predictor].
func (f Predictor) About() predict.About {
	name := filepath.Base(filepath.Clean(f.File))
	outcomes := make([]likelihood.Support, len(f.Stacks))
	for c, s := range f.Stacks {
		outcomes[c] = s.Outcome
	}
	return predict.About{Model: "fit", Outcomes: outcomes, Formula: f.Formula, Data: tabular.Stem(name), File: name, Group: formula.Formula{Group: f.Group, Outer: f.Outer}.Groups(), Units: f.units(), Recalls: true, Nested: f.Outer != "",
		Weights: run.Weights{Path: f.Path}, Seed: drawSeed, Question: f.Formula + ", of " + name}
}

// units returns the columns, in raw units: models scale them on their own.
func (f Predictor) units() run.Units {
	return run.Units{XNames: f.X, YNames: f.Y, Scaling: datasets.Scaling{XForms: f.XForms, YForms: f.yForms()}}
}

// Unit says what predictions are judged by: a new group or, if folds are of points, a new point.
func (f Predictor) Unit() string {
	if f.Stacks[0].ByPoint {
		return "new point of the known groups"
	}
	return "new " + cmp.Or(f.Group, "group")
}

// Calibrated returns the calibrations of each column of y. Its Channels are those of the fewest groups.
func (f Predictor) Calibrated() *conformal.Calibration {
	c := &conformal.Calibration{Exchangeable: "group"}
	if f.Stacks[0].ByPoint {
		c.Exchangeable = "point"
	}
	for i, s := range f.Stacks {
		least := slices.MinFunc(s.Calibrations, func(a, b stack.Calibration) int { return a.Groups - b.Groups })
		c.Channels = append(c.Channels, conformal.ChannelCalibration{Channel: f.Y[i], Calibration: least.Calibration,
			Of: func(known int) score.Calibration { return stack.CalibrationFor(known, s.Calibrations).Calibration }})
	}
	return c
}
