package predict

import (
	"reflect"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict/post"
	"github.com/acqnp/acqnp/internal/run"
)

// LoadRun returns the model of a run with the weights of a checkpoint, which [run.Run.Load] reads, and
// the other networks of an ensemble. Its postprocessing.json, if there is one, says what is done to
// predictions, and otherwise its configuration. units are those of the data that the model is used with. LoadRun
// uses them if the checkpoint, of an older version, has none.
func LoadRun(r *run.Run, checkpoint string, units run.Units, d device.Device, warn func(string)) (Trained, error) {
	m, err := modelOf(r.Experiment, units)
	if err != nil {
		return Trained{}, err
	}
	c, err := r.Load(checkpoint, m, warn)
	if err != nil {
		return Trained{}, err
	}
	p, _, err := post.Read(r.Dir, r.Experiment)
	if err != nil {
		return Trained{}, err
	}
	e := r.Experiment
	e.Postprocessing = p.Postprocessing
	t := ofCheckpoint(e, m, c, units, d)
	t.Post = p
	return t.WithMembers(r, checkpoint, warn)
}

// WithMembers returns the model with the other networks of the run's ensemble, each with the weights of
// a checkpoint.
func (t Trained) WithMembers(r *run.Run, checkpoint string, warn func(string)) (Trained, error) {
	members, err := r.Members()
	if err != nil {
		return Trained{}, err
	}
	for _, member := range members {
		c, err := member.Load(checkpoint, t.Model, warn)
		if err != nil {
			return Trained{}, err
		}
		if c.Units != nil && !reflect.DeepEqual(*c.Units, t.Units) {
			return Trained{}, &invalid.Input{File: c.Path, Found: "other units of the data than those of the ensemble's first network",
				Expected: "networks that were trained on the same data (train --overwrite trains all)"}
		}
		t.Others, t.ValidLL = append(t.Others, c.Predictor(r.Experiment.Train)), nil // training measured each alone
	}
	return t, nil
}

// LoadCheckpoint returns the model of an experiment with the weights of the checkpoint at path.
func LoadCheckpoint(e config.Experiment, path string, units run.Units, d device.Device) (Trained, error) {
	m, err := modelOf(e, units)
	if err != nil {
		return Trained{}, err
	}
	c, err := run.ReadCheckpoint(path, m)
	return ofCheckpoint(e, m, c, units, d), err
}

func ofCheckpoint(e config.Experiment, m *models.Model, c run.Checkpoint, units run.Units, d device.Device) Trained {
	if c.Units != nil {
		units = *c.Units
	}
	t := New(e, m, c.Predictor(e.Train), units, d)
	t.Weights, t.ValidLL = c.Weights(), c.ValidLL()
	return t
}

// LoadWeights returns the model of an experiment with the weights at path, of one network or of an
// ensemble.
func LoadWeights(e config.Experiment, path string, units run.Units, d device.Device) (Trained, error) {
	m, err := modelOf(e, units)
	if err != nil {
		return Trained{}, err
	}
	networks, err := run.ReadEnsemble(path, m)
	if err != nil {
		return Trained{}, err
	}
	t := New(e, m, networks[0], units, d)
	t.Weights.Path, t.Others = path, networks[1:]
	return t, nil
}

func modelOf(e config.Experiment, units run.Units) (*models.Model, error) {
	dx, dy := units.Dims()
	return models.New(e.Model, dx, dy)
}
