package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
)

// modelFlags choose a trained model: a run, or a configuration and a weights file.
type modelFlags struct {
	run, checkpoint string
	config, weights string
}

func (f *modelFlags) addFlags(cmd *cobra.Command) {
	f.addRun(cmd)
	cmd.Flags().StringVar(&f.config, "config", "", "configuration `FILE` of the model in --weights")
	cmd.Flags().StringVar(&f.weights, "weights", "", "safetensors `FILE` with the weights under PyTorch's names, for --config")
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	must(cmd.MarkFlagFilename("weights", "safetensors"))
	cmd.MarkFlagsOneRequired("run", "config")
	cmd.MarkFlagsMutuallyExclusive("run", "config")
	cmd.MarkFlagsMutuallyExclusive("checkpoint", "config")
	cmd.MarkFlagsRequiredTogether("config", "weights")
}

func (f *modelFlags) addRun(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.run, "run", "", "run `DIR`")
	cmd.Flags().StringVar(&f.checkpoint, "checkpoint", run.Newest, "`STEP` of the run's checkpoint to use, or latest")
	must(cmd.MarkFlagDirname("run"))
}

// experiment returns the run's own configuration, which environment variables do not change, or
// that of --config. flags replace keys of it.
func (f *modelFlags) experiment(flags ...config.Flag) (config.Experiment, error) {
	if f.run == "" {
		return config.Load(f.config, config.Overrides{Flags: flags, Env: os.Environ})
	}
	r, err := run.Open(f.run, flags...)
	if err != nil {
		return config.Experiment{}, err
	}
	return r.Experiment, nil
}

// inputs returns the files that the model and the experiment's data are read from.
func (f *modelFlags) inputs(e config.Experiment, dataDir string) []string {
	files := datasets.Files(e, dataDir)
	if f.run != "" {
		return append(files, run.Files(f.run)...)
	}
	return append(files, f.config, f.weights)
}

// units returns the units stored with the weights. If there are none, it reads those of the
// experiment's data.
func (f *modelFlags) units(e config.Experiment, dataDir string) (run.Units, error) {
	stored, err := f.storedUnits()
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

func (f *modelFlags) storedUnits() (*run.Units, error) {
	if f.run == "" {
		return run.ReadUnits(f.weights)
	}
	r, err := run.Open(f.run)
	if err != nil {
		return nil, err
	}
	return r.Units(), nil
}

// load reads the model of the experiment with its weights, for data of these units.
func (f *modelFlags) load(e config.Experiment, data run.Units, d device.Device, p progress.Reporter) (predict.Trained, error) {
	if f.run == "" {
		return predict.LoadWeights(e, f.weights, data, d)
	}
	r, err := run.Open(f.run)
	if err != nil {
		return predict.Trained{}, err
	}
	r.Experiment = e // with what flags change
	return predict.LoadRun(r, f.checkpoint, data, d, p.Warn)
}
