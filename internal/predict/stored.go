package predict

import (
	"os"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/run"
)

// Stored names a trained model: a checkpoint of a run, or a configuration and weights.
type Stored struct {
	Run        string // run directory; if empty, the model is that of Config and Weights
	Checkpoint string // of the run: see run.Run.Load
	Config     string // configuration file
	Weights    string // safetensors file with PyTorch's names
}

// Experiment returns the configuration: the run's, which environment variables do not change, or that of
// Config, which they do. flags set keys of it.
func (s Stored) Experiment(flags ...config.Flag) (config.Experiment, error) {
	if s.Run == "" {
		return config.Load(s.Config, config.Overrides{Flags: flags, Env: os.Environ})
	}
	r, err := run.Open(s.Run, flags...)
	if err != nil {
		return config.Experiment{}, err
	}
	return r.Experiment, nil
}

// Files returns the paths that the model and the experiment's data are read from.
func (s Stored) Files(e config.Experiment, dataDir string) []string {
	files := datasets.Files(e, dataDir)
	if s.Run != "" {
		return append(files, run.Files(s.Run)...)
	}
	return append(files, s.Config, s.Weights)
}

// Units returns the units stored with the weights. If there are none, it reads those of the
// experiment's data.
func (s Stored) Units(e config.Experiment, dataDir string) (run.Units, error) {
	stored, err := s.units()
	if err != nil {
		return run.Units{}, err
	}
	if stored != nil {
		return *stored, nil
	}
	source, err := datasets.Open(e, dataDir)
	if err != nil {
		return run.Units{}, err
	}
	return run.UnitsOf(e, source), nil
}

// units returns the units stored with the weights, or nil if there are none.
func (s Stored) units() (*run.Units, error) {
	if s.Run == "" {
		return run.ReadUnits(s.Weights)
	}
	r, err := run.Open(s.Run)
	if err != nil {
		return nil, err
	}
	return r.Units(), nil
}

// Open returns the model, in the units stored with its weights or, without any, those of the experiment's data.
// e is what Experiment returned. Open calls warn with a line about each checkpoint that it skips.
func (s Stored) Open(e config.Experiment, dataDir string, d device.Device, warn func(string)) (Trained, error) {
	units, err := s.Units(e, dataDir)
	if err != nil {
		return Trained{}, err
	}
	return s.Load(e, units, d, warn)
}

// Load reads the weights and returns the model. e is what Experiment returned, and data are the
// units of the data that the model is used with. Load calls warn with a line about each checkpoint
// that it skips.
func (s Stored) Load(e config.Experiment, data run.Units, d device.Device, warn func(string)) (Trained, error) {
	if s.Run == "" {
		return LoadWeights(e, s.Weights, data, d)
	}
	r, err := run.Open(s.Run)
	if err != nil {
		return Trained{}, err
	}
	r.Experiment = e // as changed by flags
	return LoadRun(r, s.Checkpoint, data, d, warn)
}
