package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
)

type trainOptions struct {
	settings
	config            string
	set               []string
	seed              string // YAML, checked as train.seed; empty: the configuration's
	runDir            string
	resume, overwrite bool
	weights           string
	noEval            bool
}

func newTrain(a *app) *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train --config FILE",
		Short: "Train a model",
		Long: `Train the model of a configuration. The run directory gets the resolved configuration (config.yaml), the course of
training (metrics.jsonl) and checkpoints. At the end the untrained and the trained model are compared on a few
evaluation batches (eval.json only where those are all that the configuration asks for), and fit.png shows what the
model predicts for the first evaluation functions.

SIGINT, SIGTERM and SIGHUP write a checkpoint and exit with 130; --resume goes on from there to the same result.`,
		Example: `  acqnp train --config configs/quickstart.yaml
  acqnp train --config configs/lissajous/acqnp.yaml --set train.steps=2000 --set train.batch_size=32 --seed 1
  acqnp train --config configs/lissajous/acqnp.yaml --resume
  acqnp train --config configs/speed-flow/acqnp.yaml --data-dir data --run-dir runs/lanes`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runTrain(cmd.Context(), a, o) }),
	}
	o.addFlags(a, cmd)
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "configuration `FILE` (YAML)")
	f.StringArrayVar(&o.set, "set", nil, "`KEY=VALUE` in place of the configuration's, repeatable: train.steps=2000")
	f.StringVar(&o.seed, "seed", "", "`NUMBER` for train.seed: initial weights, batches and levels")
	f.StringVar(&o.runDir, "run-dir", "", "run `DIR` (default runs/<benchmark>/<model>/seed-<seed>, or runs/<name of the configuration>/seed-<seed>\nwhere that is not a model's name)")
	f.BoolVar(&o.resume, "resume", false, "go on with the run in the run directory, or start it where there is none")
	f.BoolVar(&o.overwrite, "overwrite", false, "remove the run in the run directory first")
	f.StringVar(&o.weights, "weights", "", "start from the weights in this safetensors `FILE` (PyTorch's names)")
	f.BoolVar(&o.noEval, "no-eval", false, "no evaluation and no plot at the end")
	must(cmd.MarkFlagRequired("config"))
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	must(cmd.MarkFlagFilename("weights", "safetensors"))
	must(cmd.MarkFlagDirname("run-dir"))
	cmd.MarkFlagsMutuallyExclusive("resume", "overwrite")
	return cmd
}

// trainSummary is the result of train.
type trainSummary struct {
	Run        string           `json:"run"`
	Step       int              `json:"step"`
	Loss       *float64         `json:"loss"` // of the last step's batch; null where the run was complete before
	Checkpoint string           `json:"checkpoint"`
	Seconds    float64          `json:"seconds"`
	Evaluation *quickEvaluation `json:"evaluation,omitempty"`
	Plot       string           `json:"plot,omitempty"`
}

func runTrain(ctx context.Context, a *app, o trainOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	e, err := o.experiment()
	if err != nil {
		return err
	}
	if e.Data.File, err = datasets.AbsoluteFile(e.Data.File); err != nil {
		return err
	}
	if o.runDir == "" {
		o.runDir = defaultRunDir(o.config, e)
	}
	if err := checkRunDir(o.runDir); err != nil {
		return err
	}
	source, err := datasets.Open(e, o.dataDir)
	if err != nil {
		return err
	}
	dx, dy := source.Dims()
	m, err := models.New(e.Model, dx, dy)
	if err != nil {
		return err
	}
	if !o.noEval { // which is at the end, and must not fail then
		if err := predict.New(e, m, nil, run.UnitsOf(e, source).Scaling, o.device).CheckMemory(source); err != nil {
			return err
		}
	}
	p := a.progress()
	result, err := o.train(ctx, e, source, p)
	if err != nil {
		return err
	}
	s := trainSummary{Run: o.runDir, Step: result.Step, Checkpoint: result.Checkpoint, Seconds: result.Elapsed.Seconds()}
	if !result.Finished {
		s.Loss = &result.Loss
	}
	if !o.noEval {
		err = o.finish(ctx, e, m, source, &s, p)
		if err != nil && s.Evaluation == nil {
			return err
		}
	}
	return errors.Join(err, a.result(s, s.print)) // what was found is not lost if a file cannot be written
}

// experiment is the configuration with what the environment and the flags change.
func (o *trainOptions) experiment() (config.Experiment, error) {
	over := config.Overrides{Set: o.set, Env: os.Environ}
	if o.seed != "" {
		over.Flags = []config.Flag{{Name: "--seed", Key: "train.seed", Value: o.seed}}
	}
	return config.Load(o.config, over)
}

// defaultRunDir is runs/<benchmark>/<model>/seed-<seed> for configs/<benchmark>/<model>.yaml; a configuration that
// does not have a model's name gives its own.
func defaultRunDir(file string, e config.Experiment) string {
	seed := "seed-" + strconv.FormatUint(e.Train.Seed, 10)
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if slices.Contains(models.Names(), name) {
		return filepath.Join("runs", e.Benchmark, e.Model.Name, seed)
	}
	return filepath.Join("runs", name, seed)
}

// checkRunDir refuses a directory that cannot be made, since a file is in its way.
func checkRunDir(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return &input.Error{File: "--run-dir", Found: "the file " + at, Expected: "a directory for the run"}
		case err == nil || at == filepath.Dir(at):
			return nil
		}
	}
}

// train runs the loop and shows how far it is.
func (o *trainOptions) train(ctx context.Context, e config.Experiment, source datasets.Source, p progress.Reporter) (train.Result, error) {
	defer p.End()
	return train.Run(ctx, train.Options{
		Experiment: e, Dir: o.runDir, DataDir: o.dataDir, Device: o.device,
		Resume: o.resume, Overwrite: o.overwrite, Source: source, Weights: o.weights, Version: version(),
		Warn: p.Warn,
		OnStart: func(s train.Start) {
			o.announce(e, s, p)
			p.Begin("train", "step", s.Step, s.Steps)
		},
		OnStep: func(u train.Update) {
			p.Update(progress.State{Done: u.Step, Loss: u.Loss, RowsPerSecond: u.RowsPerSecond})
		},
	})
}

// announce says what is about to run on what, so that no device is used silently.
func (o *trainOptions) announce(e config.Experiment, s train.Start, p progress.Reporter) {
	text := fmt.Sprintf("training %s on %s: %d parameters, %v, run directory %s",
		e.Model.Name, e.Benchmark, s.Parameters, o.device, o.runDir)
	if s.Step > 0 {
		text += fmt.Sprintf(", resumed after step %d", s.Step)
	}
	p.Note(text, progress.Field{Name: "device", Value: o.device.Name()}, progress.Field{Name: "threads", Value: o.cores()},
		progress.Field{Name: "parameters", Value: s.Parameters}, progress.Field{Name: "run", Value: o.runDir},
		progress.Field{Name: "resumed", Value: s.Step})
}

func (s *trainSummary) print(w io.Writer) error {
	fmt.Fprintf(w, "run %s: %d steps in %.1f s", s.Run, s.Step, s.Seconds)
	if s.Loss != nil {
		fmt.Fprintf(w, ", last loss %.4f", *s.Loss)
	}
	fmt.Fprintf(w, "\ncheckpoint %s\n", s.Checkpoint)
	if s.Evaluation != nil {
		s.Evaluation.print(w)
	}
	if s.Plot != "" {
		fmt.Fprintf(w, "plot %s\n", s.Plot)
	}
	return nil
}
