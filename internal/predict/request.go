package predict

import (
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/warning"
)

// A Request is what a user asks a stored model to predict.
type Request struct {
	Stored
	Context string // files and grid of FunctionFiles
	Targets string
	Grid    string
	Scored  bool

	Warnings *warning.Record // takes lines on what was left out, and what the model does not know; may be nil
}

// Asked is a Request with everything read: the model and the functions to predict.
type Asked struct {
	Predictor
	Layout    datasets.Layout // of the files
	Functions []Function
	Others    datasets.Company // of the targets
}

// Open reads the model, which a predicts with, and the files. e is what Experiment returned, with flags
// applied. Open calls warn with a line about each checkpoint that it skips. A network that reads groups is an
// *invalid.Input.
func (r Request) Open(e config.Experiment, dataDir string, d device.Device, warn func(string)) (t Trained, a Asked, err error) {
	units, err := r.Units(e, dataDir)
	if err != nil {
		return t, a, err
	}
	if t, err = r.Load(e, units, d, warn); err != nil {
		return t, a, err
	}
	if err := t.checkGroups(); err != nil {
		return t, a, err
	}
	a.Predictor, a.Layout = t, t.Units.Layout(e.Data.Group, "function")
	a.Layout.Warnings = r.Warnings
	a.Layout.DropMissing = e.Data.Missing == config.Drop
	files := FunctionFiles{Context: r.Context, Targets: r.Targets, Grid: r.Grid, Layout: &a.Layout, Scored: r.Scored}
	if a.Functions, a.Others, err = files.Read(); err == nil {
		a.Warn(a.Functions, a.Layout.XText, r.Warnings)
	}
	return t, a, err
}

// CountTargets returns how many targets all functions have together.
func (a Asked) CountTargets() int { return CountTargets(a.Functions, len(a.About().Units.XNames)) }
