package predict

import (
	"github.com/acqnp/acqnp/internal/datasets/rows"
)

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
		p.Warn(a.Functions, a.Layout.XText, a.Layout.Warnings)
	}
	return a, err
}

// CountTargets returns how many targets all functions have together.
func (a Asked) CountTargets() int { return CountTargets(a.Functions, len(a.About().Units.XNames)) }
