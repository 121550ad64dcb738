package predict

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/score"
)

// OpenValidation reads the model and the functions of its validation. They have contexts of several
// sizes, and are in the list once for each. If points are held out, not functions, each is there
// once, with the largest context. An error about the data is an *input.Error.
func (r Request) OpenValidation(e config.Experiment, dataDir string, d device.Device, warn func(string)) (a Asked, err error) {
	source, err := datasets.Open(e, dataDir)
	if err != nil {
		return a, err
	}
	data := run.UnitsOf(e, source)
	if a.Trained, err = r.Load(e, data, d, warn); err != nil {
		return a, err
	}
	if err := run.CheckData(r.Run, a.Trained.Units, data); err != nil {
		return a, err
	}
	a.Layout = a.Trained.Units.Layout(e.Data.Function, "function")
	a.Functions, err = a.validation(source)
	if e.Data.SplitBy == "point" {
		a.Functions = largestContexts(a.Functions)
	}
	return a, err
}

// largestContexts returns the functions with the most context of each name.
func largestContexts(functions []Function) (largest []Function) {
	index := map[string]int{}
	for _, f := range functions {
		i, known := index[f.Name]
		switch {
		case !known:
			index[f.Name] = len(largest)
			largest = append(largest, f)
		case len(f.ContextX) > len(largest[i].ContextX):
			largest[i] = f
		}
	}
	return largest
}

// validation returns the functions of the validation of own data, in raw units.
func (t Trained) validation(source datasets.Source) ([]Function, error) {
	own, ok := source.(interface {
		datasets.Validated
		ValidNames(i int) []string
	})
	if !ok || own.ValidBatches() == 0 {
		return nil, &input.Error{File: "--calibrate", Found: "a run without validation functions of its own data",
			Expected: "--context and --targets with functions that training has not seen, or train.validate_every in the configuration"}
	}
	var functions []Function
	for i := range own.ValidBatches() {
		var b datasets.Batch
		if err := own.Valid(i, &b); err != nil {
			return nil, err
		}
		names := own.ValidNames(i)
		for f := range b.Functions {
			x, y := t.Units.Scaling.Raw(b.X[f*b.Points*b.DX:][:b.Points*b.DX], b.Y[f*b.Points*b.DY:][:b.Points*b.DY])
			known := b.Context * len(x) / b.Points
			functions = append(functions, Function{Name: names[f], ContextX: x[:known], ContextY: y[:b.Context*b.DY],
				TargetX: x[known:], TargetY: y[b.Context*b.DY:]})
		}
	}
	return functions, nil
}

// ByPoint reports whether a calibration on these functions takes points as exchangeable, not
// functions: if points were held out from the training, or if there is one function.
func ByPoint(e config.Experiment, functions []Function) bool {
	return e.Data.SplitBy == "point" || !slices.ContainsFunc(functions, func(f Function) bool { return f.Name != functions[0].Name })
}

// predictions returns how the model predicts.
func (t Trained) predictions() run.Predictions {
	p := run.Predictions{Checkpoint: filepath.Base(t.Weights.Path), Step: t.Weights.Step}
	switch {
	case t.Model.Bootstrap():
		p.Bootstraps = t.Bootstraps
	case t.Model.Quantile():
		p.NumTau, p.Levels = t.NumTau, t.Levels
	}
	return p
}

// Calibration returns the calibration of the model that the outcomes of its predictions give.
func (t Trained) Calibration(o *score.Outcomes) run.Calibration {
	c := run.Calibration{Predictions: t.predictions(), Exchangeable: "function", Targets: o.Targets()}
	if o.ByPoint {
		c.Exchangeable = "point"
	}
	for i, channel := range o.Calibrations() {
		c.Channels = append(c.Channels, run.ChannelCalibration{Channel: t.Units.YNames[i], Calibration: channel})
	}
	return c
}

// ReadCalibration returns the calibration in the run directory dir, if it is one of this model.
func (t Trained) ReadCalibration(dir string) (*run.Calibration, error) {
	c, err := run.ReadCalibration(dir, t.Units.YNames, t.predictions())
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// CheckCalibration returns an *input.Error if a calibration has too few groups for the levels or the
// masses.
func (t Table) CheckCalibration() error {
	if t.Calibrated == nil {
		return nil
	}
	for _, c := range t.Calibrated.Channels {
		low, high := c.Limits()
		refuse := func(flag string, v float64, expected string) error {
			return &input.Error{File: flag, Found: strconv.FormatFloat(v, 'g', -1, 64),
				Expected: expected + ": " + c.Channel + " is calibrated on " + input.Plural(c.Groups, t.Calibrated.Exchangeable, t.Calibrated.Exchangeable+"s")}
		}
		for _, p := range t.Levels {
			if _, ok := c.Level(p); !ok {
				return refuse("--quantiles", p, fmt.Sprintf("levels between %.3f and %.3f", low, high))
			}
		}
		for _, m := range t.Masses {
			if _, ok := c.Mass(m); !ok {
				return refuse("--hdr", m, fmt.Sprintf("probabilities up to %.3f", high))
			}
		}
	}
	return nil
}

// calibrated returns the levels and the masses that a channel's quantiles and regions have in the
// model's prediction.
func (t Table) calibrated(channel int) (levels, masses []float64) {
	if t.Calibrated == nil {
		return t.Levels, t.Masses
	}
	c := t.Calibrated.Channels[channel]
	for _, p := range t.Levels {
		level, _ := c.Level(p)
		levels = append(levels, level)
	}
	for _, m := range t.Masses {
		mass, _ := c.Mass(m)
		masses = append(masses, mass)
	}
	return levels, masses
}
