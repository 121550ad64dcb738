package predict

import (
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/run"
)

// LoadRun returns the model of a run with the weights of a checkpoint, which [run.Run.Load] reads.
// units give the numbers of the model's columns.
func LoadRun(r *run.Run, checkpoint string, units run.Units, d device.Device, warn func(string)) (Trained, error) {
	m, err := modelOf(r.Experiment, units)
	if err != nil {
		return Trained{}, err
	}
	c, err := r.Load(checkpoint, m, warn)
	if err != nil {
		return Trained{}, err
	}
	return ofCheckpoint(r.Experiment, m, c, d), nil
}

// LoadCheckpoint returns the model of an experiment with the weights of the checkpoint at path.
func LoadCheckpoint(e config.Experiment, path string, units run.Units, d device.Device) (Trained, error) {
	m, err := modelOf(e, units)
	if err != nil {
		return Trained{}, err
	}
	c, err := run.ReadCheckpoint(path, m)
	if err != nil {
		return Trained{}, err
	}
	return ofCheckpoint(e, m, c, d), nil
}

func ofCheckpoint(e config.Experiment, m *models.Model, c run.Checkpoint, d device.Device) Trained {
	t := New(e, m, c.Predictor(e.Train), *c.Units, d)
	t.Weights, t.ValidLL = c.Weights(), c.ValidLL()
	return t
}

// LoadWeights returns the model of an experiment with the weights at path.
func LoadWeights(e config.Experiment, path string, units run.Units, d device.Device) (Trained, error) {
	m, err := modelOf(e, units)
	if err != nil {
		return Trained{}, err
	}
	params, err := run.ReadWeights(path, m)
	if err != nil {
		return Trained{}, err
	}
	t := New(e, m, params, units, d)
	t.Weights.Path = path
	return t, nil
}

func modelOf(e config.Experiment, units run.Units) (*models.Model, error) {
	dx, dy := units.Dims()
	return models.New(e.Model, dx, dy)
}
