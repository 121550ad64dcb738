package predict

import (
	"fmt"
	"os"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
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
// Config, which they do. Unless flags is nil, it is given the configuration and returns what sets keys of it.
func (s Stored) Experiment(flags func(config.Experiment) []config.Flag) (config.Experiment, error) {
	resolve, err := s.resolver()
	if err != nil {
		return config.Experiment{}, err
	}
	e, err := resolve()
	if err != nil || flags == nil {
		return e, err
	}
	if set := flags(e); len(set) > 0 {
		return resolve(set...)
	}
	return e, nil
}

// resolver returns the function that resolves the configuration. It reads Config once, as a pipe has no second time.
func (s Stored) resolver() (func(flags ...config.Flag) (config.Experiment, error), error) {
	if s.Run == "" {
		content, err := config.ReadFile(s.Config)
		return func(flags ...config.Flag) (config.Experiment, error) {
			return config.Parse(s.Config, content, config.Overrides{Flags: flags, Env: os.Environ})
		}, err
	}
	return func(flags ...config.Flag) (config.Experiment, error) {
		r, err := run.Open(s.Run, flags...)
		if err != nil {
			return config.Experiment{}, err
		}
		return r.Experiment, nil
	}, nil
}

// Files returns the paths that the model and the experiment's data are read from.
func (s Stored) Files(e config.Experiment, dataDir string) []string {
	files := benchmark.Files(e, dataDir)
	if s.Run != "" {
		return append(files, run.Files(s.Run)...)
	}
	return append(files, s.Config, s.Weights)
}

// units returns the units stored with the weights. If there are none, it reads those of the
// experiment's data, and calls warn with each line about them.
func (s Stored) units(e config.Experiment, dataDir string, warn func(string)) (u run.Units, err error) {
	var stored *run.Units
	if s.Run == "" {
		stored, err = run.ReadUnits(s.Weights)
	} else {
		var r *run.Run
		if r, err = run.Open(s.Run); err == nil {
			stored = r.Units()
		}
	}
	switch {
	case err != nil:
		return u, err
	case stored != nil:
		return *stored, nil
	}
	source, err := benchmark.Open(e, dataDir)
	if err != nil {
		return run.Units{}, err
	}
	defer source.End()
	for _, line := range source.Warnings {
		warn(line)
	}
	return run.UnitsOf(e, source), nil
}

// Open returns the model, in the units stored with its weights or, without any, those of the experiment's data.
// e is what Experiment returned. Open calls warn with a line about each checkpoint that it skips, and about data that it leaves
// out.
func (s Stored) Open(e config.Experiment, dataDir string, d device.Device, warn func(string)) (Trained, error) {
	units, err := s.units(e, dataDir, warn)
	if err != nil {
		return Trained{}, err
	}
	return s.Load(e, units, d, warn)
}

// Load reads the weights and returns the model. e is what Experiment returned, and data are the
// units of the data that the model is used with. Load calls warn with a line about each checkpoint
// that it skips.
func (s Stored) Load(e config.Experiment, data run.Units, d device.Device, warn func(string)) (t Trained, err error) {
	if s.Run != "" {
		r, err := run.Open(s.Run)
		if err != nil {
			return t, err
		}
		r.Experiment = e // as changed by flags
		return LoadRun(r, s.Checkpoint, data, d, warn)
	}
	m, err := modelOf(e, data)
	if err != nil {
		return t, err
	}
	params, err := run.ReadWeights(s.Weights, m)
	t = New(e, m, params, data, d)
	t.Weights.Path = s.Weights
	return t, err
}

// LoadRun returns the model of a run with the weights of a checkpoint, which [run.Run.Load] reads.
// units give the numbers of the model's columns.
func LoadRun(r *run.Run, checkpoint string, units run.Units, d device.Device, warn func(string)) (Trained, error) {
	m, err := modelOf(r.Experiment, units)
	if err != nil {
		return Trained{}, err
	}
	c, err := r.Load(checkpoint, m, warn)
	return ofCheckpoint(r.Experiment, m, c, d, err)
}

// LoadCheckpoint returns the model of an experiment with the weights of the checkpoint at path.
func LoadCheckpoint(e config.Experiment, path string, units run.Units, d device.Device) (Trained, error) {
	m, err := modelOf(e, units)
	if err != nil {
		return Trained{}, err
	}
	c, err := run.ReadCheckpoint(path, m)
	return ofCheckpoint(e, m, c, d, err)
}

func ofCheckpoint(e config.Experiment, m *models.Model, c run.Checkpoint, d device.Device, err error) (Trained, error) {
	if err != nil {
		return Trained{}, err
	}
	t := New(e, m, c.Predictor(e.Train), *c.Units, d)
	t.Weights, t.ValidLL = c.Weights(), c.ValidLL()
	return t, nil
}

func modelOf(e config.Experiment, units run.Units) (*models.Model, error) {
	dx, dy := units.Dims()
	return models.New(e.Model, dx, dy)
}

// OpenSource returns the evaluation batches of an experiment, whose data open opens, or those of a tasks file unless tasks
// is "". It returns an *invalid.Input if the file is of another benchmark, if its dimensions are not those of the
// experiment's data, or if the experiment's model reads groups, which no tasks file has. The caller closes the source.
func OpenSource(e config.Experiment, dataDir, tasks string, open func(config.Experiment, string) (*datasets.Source, error)) (*datasets.Source, error) {
	own, err := open(e, dataDir)
	if tasks == "" {
		return own, err
	}
	if err == nil {
		defer own.End()
	}
	if e.Model.Aggregation == config.Groups {
		return nil, &invalid.Input{File: "--tasks", Found: tasks, Expected: "no tasks file: it does not say which rows are of one group"}
	}
	opened, openErr := datasets.OpenTasks(tasks)
	if openErr == nil && opened.Benchmark != "" && opened.Benchmark != e.Benchmark {
		opened.Close()
		return nil, &invalid.Input{File: tasks, Found: "batches of " + opened.Benchmark, Expected: "batches of " + e.Benchmark + ", as the configuration says"}
	}
	if openErr != nil || err != nil { // a tasks file needs no data of the benchmark
		return opened, openErr
	}
	dx, dy := opened.Dims()
	if x, y := own.Dims(); dx != x || dy != y {
		opened.Close()
		return nil, &invalid.Input{File: tasks, Found: fmt.Sprintf("x of %d and y of %d dimensions", dx, dy),
			Expected: fmt.Sprintf("%d and %d, as %s has", x, y, e.Benchmark)}
	}
	return opened, nil
}
