package cli

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/output"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/train"
)

// modelFlags choose a trained model: a run, or a configuration and a file of weights.
type modelFlags struct {
	run, checkpoint string
	config, weights string
}

const latest = "latest"

func (f *modelFlags) addFlags(cmd *cobra.Command) {
	f.addRun(cmd)
	cmd.Flags().StringVar(&f.config, "config", "", "configuration `FILE` of the model, with --weights")
	cmd.Flags().StringVar(&f.weights, "weights", "", "safetensors `FILE` with PyTorch's names, with --config")
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	must(cmd.MarkFlagFilename("weights", "safetensors"))
	cmd.MarkFlagsOneRequired("run", "config")
	cmd.MarkFlagsMutuallyExclusive("run", "config")
	cmd.MarkFlagsMutuallyExclusive("checkpoint", "config")
	cmd.MarkFlagsRequiredTogether("config", "weights")
}

func (f *modelFlags) addRun(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.run, "run", "", "run `DIR`")
	cmd.Flags().StringVar(&f.checkpoint, "checkpoint", latest, "checkpoint of the run: latest or a `STEP`")
	must(cmd.MarkFlagDirname("run"))
}

// experiment reads the run's own configuration, which the environment does not change, or that of --config. Flags
// change and are checked as the keys they stand for.
func (f *modelFlags) experiment(flags ...config.Flag) (config.Experiment, error) {
	if f.run == "" {
		return config.Load(f.config, config.Overrides{Flags: flags, Env: os.Environ})
	}
	file := filepath.Join(f.run, "config.yaml")
	if _, err := os.Stat(file); err != nil {
		return config.Experiment{}, &input.Error{File: f.run, Found: "no config.yaml", Expected: "a run directory"}
	}
	e, err := config.Load(file, config.Overrides{Flags: flags})
	if err != nil {
		return e, err
	}
	return e, train.CheckTrained(f.run, file, e)
}

// checkData refuses to use the weights with data other than those they were trained on.
func (m *trained) checkData(run string, e config.Experiment, source datasets.Source) error {
	if m.units == nil {
		return nil
	}
	return train.CheckData(run, *m.units, train.UnitsOf(e, source))
}

// inputs are the files that the model and the experiment's data are read from.
func (f *modelFlags) inputs(e config.Experiment, dataDir string) []string {
	files := datasets.Files(e, dataDir)
	if f.run != "" {
		return append(files, output.RunFiles(f.run)...)
	}
	return append(files, f.config, f.weights)
}

// trained is a model with its weights.
type trained struct {
	*models.Model
	params []float32
	units  *train.Units // of the data, as stored with the weights; nil where they are not
	path   string       // of the checkpoint or the weights
	step   *int         // steps of training; nil for weights from elsewhere
}

// units are those stored with the weights, or of the experiment's data where there are none, which then must be there.
func (f *modelFlags) units(e config.Experiment, dataDir string) (train.Units, error) {
	var stored *train.Units
	var err error
	if f.run != "" {
		stored = train.RunUnits(f.run)
	} else {
		stored, err = train.FileUnits(f.weights)
	}
	if err != nil {
		return train.Units{}, err
	}
	if stored != nil {
		return *stored, nil
	}
	source, err := datasets.Open(e, dataDir)
	if err != nil {
		return train.Units{}, err
	}
	return train.UnitsOf(e, source), nil
}

// load makes the model of the experiment for data of these dimensions and reads its weights.
func (f *modelFlags) load(e config.Experiment, dx, dy int, p progress.Reporter) (trained, error) {
	m, err := models.New(e.Model, dx, dy)
	if err != nil {
		return trained{}, err
	}
	if f.run == "" {
		params, err := train.ReadWeights(f.weights, m)
		return trained{Model: m, params: params, path: f.weights}, err
	}
	c, err := f.readCheckpoint(m, p)
	return trained{Model: m, params: c.Params, units: c.Units, path: c.Path, step: &c.Step}, err
}

func (f *modelFlags) readCheckpoint(m *models.Model, p progress.Reporter) (train.Checkpoint, error) {
	if f.checkpoint == latest {
		return train.Latest(f.run, m, func(line string) { p.Note(line) })
	}
	step, err := strconv.Atoi(f.checkpoint)
	if err != nil || step < 0 {
		return train.Checkpoint{}, &input.Error{File: "--checkpoint", Found: strconv.Quote(f.checkpoint),
			Expected: "latest or a step"}
	}
	return train.ByStep(f.run, step, m)
}
