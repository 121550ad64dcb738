package predict

import (
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/run"
)

// OpenCalibration reads the model, which a predicts with, and the questions that its training held back for
// calibration. What the data left out goes to warnings. An error about the data is an *invalid.Input.
func (s Stored) OpenCalibration(e config.Experiment, dataDir string, d device.Device, warn func(string), warnings *warning.Record) (t Trained, a Asked, err error) {
	source, err := benchmark.Open(e, dataDir)
	if err != nil {
		return t, a, err
	}
	defer source.End()
	source.Warn(warnings)
	data := run.UnitsOf(e, source)
	if t, err = s.Load(e, data, d, warn); err != nil {
		return t, a, err
	}
	if err := run.CheckData(s.Run, t.Units, data); err != nil {
		return t, a, err
	}
	a.Predictor, a.Layout = t, t.Units.Layout(e.Data.Group, "group")
	if a.Questions = source.Calibration; len(a.Questions) == 0 {
		return t, a, &invalid.Input{File: "--calibrate", Found: "a run that held back no data for calibration",
			Expected: "a configuration of acqnp init --hold-back, or --context and --targets with groups that training has not seen"}
	}
	return t, a, nil
}

// ByPoint reports whether a calibration on these questions takes points as exchangeable, not
// groups: if points were held out from the training, or if there is one group.
func (t Trained) ByPoint(questions []points.Question) bool {
	return t.SplitBy == "point" || !slices.ContainsFunc(questions, func(q points.Question) bool { return q.Name != questions[0].Name })
}

// predictions returns how the model predicts.
func (t Trained) predictions() conformal.Predictions {
	p := conformal.Predictions{Checkpoint: filepath.Base(t.Weights.Path), Step: t.Weights.Step}
	switch {
	case t.Model.Bootstrap():
		p.Bootstraps = t.Bootstraps
	case t.Model.Quantile():
		p.NumTau, p.Levels = t.NumTau, t.Levels
	}
	return p
}

// Calibration returns the calibration of the model that the outcomes of its predictions give. source is
// conformal.FromRun or conformal.FromFiles.
func (t Trained) Calibration(o *score.Outcomes, source string) conformal.Calibration {
	c := conformal.Calibration{Predictions: t.predictions(), Source: source, Exchangeable: "group", Targets: o.Targets()}
	if o.ByPoint {
		c.Exchangeable = "point"
	}
	for i, channel := range o.Calibrations() {
		c.Channels = append(c.Channels, conformal.ChannelCalibration{Channel: t.Units.YNames[i], Calibration: channel})
	}
	return c
}

// Calibrated returns the calibration of the run directory dir, if it is one of this model.
func (t Trained) Calibrated(dir string) (*conformal.Calibration, error) {
	return conformal.Read(dir, t.Units.YNames, t.predictions())
}
