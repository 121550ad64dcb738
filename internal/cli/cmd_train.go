package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/files/tfevents"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/run/version"
	"github.com/acqnp/acqnp/internal/train"
)

type trainOptions struct {
	settings
	config            string
	set               []string
	seed              string // train.seed as YAML; "" for the configuration's
	runDir, logDir    string
	resume, overwrite bool
	start             run.Start
	until             int // the step to stop after; 0 for none
	noEval            bool
}

var _ = command(ownData, 5, newTrain)

func newTrain(a *app) *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train --config FILE",
		Short: "Train a model",
		Long: `Train the model of a configuration: one that acqnp init has written for your own data, or one of configs.
The run directory gets the complete configuration, the loss by step and checkpoints. At the end, the
trained model is compared with the untrained one on a few evaluation batches, and fit.png shows what it
predicts. docs/reference/run-directory.md lists the files.

With train.validate_every, the weights with the best log-likelihood of validation data are kept, and all
other commands use them. With train.patience, training ends after so many validations without a better
one.

On SIGINT, SIGTERM or SIGHUP, training writes a checkpoint and exits with 130. --resume continues from
there to the same result. --until stops after a step in the same way, but with exit code 0. --resume with
more train.steps trains longer, if the learning rate so far does not depend on their number.`,
		Example: `  acqnp train --config configs/quickstart.yaml
  acqnp train --config configs/lissajous/acqnp.yaml --set train.steps=2000 --set train.batch_size=32 --seed 1
  acqnp train --config configs/lissajous/acqnp.yaml --resume
  acqnp train --config configs/lissajous/acqnp.yaml --resume --set train.steps=200000
  acqnp train --config configs/lissajous/acqnp.yaml --until 10000
  acqnp train --config configs/lissajous/acqnp.yaml --log-dir logs/acqnp
  acqnp train --config configs/speed-flow/acqnp.yaml --data-dir data --run-dir runs/lanes`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runTrain(cmd.Context(), a, o) }),
	}
	o.addFlags(a, cmd)
	f := cmd.Flags()
	f.StringVarP(&o.config, "config", "c", "", "configuration `FILE` (YAML)")
	f.StringArrayVar(&o.set, "set", nil, "`KEY=VALUE` that overrides the configuration's, repeatable: train.steps=2000")
	f.StringVar(&o.seed, "seed", "", "`SEED` of what the command draws: initial weights, batches and levels (train.seed)")
	f.StringVar(&o.runDir, "run-dir", "", "run `DIR` (default from the names of the\nconfiguration, as runs/lissajous/acqnp/seed-0)")
	f.BoolVar(&o.resume, "resume", false, "continue the run in the run directory, or start one if there is none")
	f.BoolVar(&o.overwrite, "overwrite", false, "replace the run in the run directory, if there is one")
	f.IntVar(&o.until, "until", 0, "stop after `STEP` without an evaluation; --resume continues, and the schedule goes by train.steps")
	f.StringVar(&o.start.Weights, "weights", "", "safetensors `FILE` with the weights under PyTorch's names to start from")
	f.StringVar(&o.start.Encoder, "encoder", "", "safetensors `FILE` of weights to start with their encoder alone, under another likelihood")
	f.StringVar(&o.logDir, "log-dir", "", "`DIR` for TensorBoard's event files, beside the run's metrics.jsonl")
	f.BoolVar(&o.noEval, "no-eval", false, "no evaluation and no plot at the end")
	must(cmd.MarkFlagRequired("config"))
	cmd.MarkFlagsMutuallyExclusive("resume", "overwrite")
	cmd.MarkFlagsMutuallyExclusive("weights", "encoder")
	return cmd
}

// trainSummary is the result of train.
type trainSummary struct {
	Run        string                     `json:"run"`
	Step       int                        `json:"step"`
	Loss       *float64                   `json:"loss"` // of the last step; null if no step was missing
	Checkpoint string                     `json:"checkpoint"`
	Seconds    float64                    `json:"seconds"`
	Ended      string                     `json:"ended"`          // see train.Result
	Best       *train.Best                `json:"best,omitempty"` // with validation
	Evaluation *predict.ComparisonSummary `json:"evaluation,omitempty"`
	Plot       string                     `json:"plot,omitempty"`
	Warnings   []string                   `json:"warnings"`
}

func runTrain(ctx context.Context, a *app, o trainOptions) error {
	if err := checkRange("--until", o.until, 0, math.MaxInt); err != nil {
		return err
	}
	if err := o.openDevice(); err != nil {
		return err
	}
	r, err := o.prepare()
	if err != nil {
		return err
	}
	defer r.Events.Close()
	defer r.Source.End()
	p := a.progress()
	result, err := train.RunShown(ctx, r, o.cores(), p)
	if err != nil {
		return err
	}
	o.start = result.Start
	s := trainSummary{Run: r.Dir, Step: result.Step, Checkpoint: result.Checkpoint, Seconds: result.Elapsed.Seconds(),
		Ended: result.Ended, Best: result.Best, Warnings: a.warn()}
	if result.Step > result.Resumed {
		s.Loss = &result.Loss
	}
	if !o.noEval && result.Ended != train.EndedByUntil {
		if err = o.finish(ctx, r, &s, result.Finished, p); err != nil && s.Evaluation == nil {
			return err
		}
	}
	// The results are printed even if eval.json or fit.png cannot be written.
	return errors.Join(err, a.result(s, s.print))
}

// prepare settles what is trained, where and on which data. It makes all checks that are possible before
// training.
func (o *trainOptions) prepare() (r train.Options, err error) {
	over := config.Overrides{Set: o.set, Env: os.Environ}
	if o.seed != "" {
		over.Flags = []config.Flag{{Name: "--seed", Key: "train.seed", Value: o.seed}}
	}
	e, err := config.Load(o.config, over)
	if err != nil {
		return r, err
	}
	dir := o.runDir
	if dir == "" {
		dir = run.DefaultDir(o.config, e)
	}
	for _, path := range []*string{&e.Data.File, &e.Data.Tasks, &e.Data.EvalTasks} {
		if *path, err = benchmark.AbsoluteFile(*path); err != nil {
			return r, err
		}
	}
	if err = run.CheckDir(dir); err != nil {
		return r, err
	}
	events, err := o.events()
	if err != nil {
		return r, err
	}
	source, err := o.app.open(e, o.dataDir)
	if err != nil {
		return r, err
	}
	source.Warn(&o.app.warnings)
	o.app.warn()
	source.SetThreads(o.threads)
	r = train.Options{Experiment: e, Dir: dir, DataDir: o.dataDir, Resume: o.resume, Overwrite: o.overwrite, Device: o.device,
		Source: source, Start: o.start, Until: o.until, Version: version.String(), Events: events}
	dx, dy := source.Dims()
	m, err := models.New(e.Model, dx, dy)
	if err == nil && !o.noEval { // so that the evaluation does not fail after hours of training
		err = predict.New(e, m, nil, run.UnitsOf(e, source), o.device).CheckMemory(source)
	}
	if err != nil {
		return r, errors.Join(err, source.End())
	}
	return r, nil
}

// events opens the log of --log-dir, nil without the flag.
func (o *trainOptions) events() (*tfevents.Log, error) {
	mode := tfevents.Fresh
	switch {
	case o.logDir == "":
		return nil, nil
	case o.resume:
		mode = tfevents.Continue
	case o.overwrite:
		mode = tfevents.Replace
	}
	return tfevents.Open(o.logDir, mode)
}

// finish compares the trained model with the untrained one, and writes eval.json and fit.png. It
// records in s what it has done. finished says that the run was at its end before.
func (o *trainOptions) finish(ctx context.Context, r train.Options, s *trainSummary, finished bool, p progress.Reporter) error {
	e, source := r.Experiment, r.Source
	checkpoint := s.Checkpoint
	if s.Best != nil {
		checkpoint = s.Best.Checkpoint
	}
	t, err := predict.LoadCheckpoint(e, checkpoint, run.UnitsOf(e, source), o.device)
	if err != nil {
		return err
	}
	first, err := o.start.Params(t.Model, e.Train.Seed)
	if err != nil && o.resume { // a resumed run does not need the file
		p.Warn("the untrained model has weights drawn from the seed, not those that the run began with: " + err.Error())
		first, err = t.Model.Initial(e.Train.Seed), nil
	}
	if err != nil {
		return err
	}
	c, err := t.Compare(ctx, first, source, predict.EvalOptions{Batches: predict.ComparedBatches(e, source, s.Step), Scored: true, Threads: o.cores(), Version: version.String(), Progress: p})
	if err != nil {
		return err
	}
	s.Evaluation = c.Summary()
	if c.After.Batches == source.Eval.Count {
		file := filepath.Join(r.Dir, run.EvalFile)
		if err := c.After.Write(file); err != nil {
			return err
		}
		s.Evaluation.File = file
	}
	if err := t.WarnOfCollapse(ctx, source, p.Warn); err != nil {
		return err
	}
	if figures.CheckPlottable(e.Benchmark) != nil {
		return nil
	}
	subjects, err := figures.Subjects(source, t.Units.Scaling, figures.MaxPanels)
	if err != nil {
		return err
	}
	figure, err := figures.NewPrediction(ctx, t, subjects, figures.Options{})
	if err != nil {
		return err
	}
	plot := filepath.Join(r.Dir, run.FitFile)
	if err := figure.Save(plot, &o.app.warnings); err != nil {
		return err
	}
	s.Warnings = o.app.warn()
	s.Plot = plot
	return o.show(r, s, finished)
}

// show adds the picture of the fit to the log of --log-dir.
func (o *trainOptions) show(r train.Options, s *trainSummary, finished bool) error {
	if o.logDir == "" {
		return nil
	}
	picture, err := os.ReadFile(s.Plot)
	if err == nil && finished { // before this process, which has begun no file of events
		err = train.ReopenEvents(r)
	}
	if err != nil {
		return err
	}
	return r.Events.PNG(s.Step, "fit", picture)
}

func (s *trainSummary) print(w io.Writer) error {
	fmt.Fprintf(w, "run %s: %d steps in %.1f s", s.Run, s.Step, s.Seconds)
	if s.Loss != nil {
		fmt.Fprintf(w, ", last loss %.4f", *s.Loss)
	}
	fmt.Fprintf(w, "\ncheckpoint %s\n", s.Checkpoint)
	if s.Ended == train.EndedByUntil {
		fmt.Fprintln(w, "stopped by --until; --resume continues")
	} else if s.Best != nil {
		fmt.Fprintf(w, "ended by %s; best checkpoint %s of step %d, valid_ll %.4f\n", s.Ended, s.Best.Checkpoint, s.Best.Step, s.Best.ValidLL)
	}
	if s.Evaluation != nil {
		s.Evaluation.Print(w)
	}
	if s.Plot != "" {
		fmt.Fprintf(w, "plot %s\n", s.Plot)
	}
	return nil
}
