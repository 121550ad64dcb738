package cli

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/output"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
)

func newPlot(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot",
		Short: "Draw what trained models predict, and how they were trained",
		Long: `Draw figures as PNG, SVG or PDF: what trained models predict, how their quantile levels lie, images completed, and the
course of training. Several runs come side by side.`,
		Example: `  acqnp plot fit --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out fit.png
  acqnp plot completion --run runs/freyface/acqnp/seed-0 --out completion.pdf`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newPlotFit(a), newPlotLevels(a), newPlotSpeedFlow(a), newPlotCompletion(a), newPlotTraining(a))
	return cmd
}

// figureFlags are the runs that a figure shows and where it goes.
type figureFlags struct {
	runs       []string
	checkpoint string
	out        string
}

func (f *figureFlags) addFlags(cmd *cobra.Command, checkpoint bool) {
	cmd.Flags().StringArrayVar(&f.runs, "run", nil, "run `DIR`, repeatable")
	cmd.Flags().StringVar(&f.out, "out", "", "figure `FILE` to write (.png, .svg or .pdf)")
	if checkpoint {
		cmd.Flags().StringVar(&f.checkpoint, "checkpoint", run.Newest, "checkpoint of the runs: latest or a `STEP`")
	}
	must(cmd.MarkFlagRequired("run"))
	must(cmd.MarkFlagRequired("out"))
	must(cmd.MarkFlagDirname("run"))
	must(cmd.MarkFlagFilename("out", "png", "svg", "pdf"))
}

// maxRuns is how many panels side by side are still a figure.
const maxRuns = 12

func (f *figureFlags) check() error {
	if _, err := figures.PlotFormat(f.out); err != nil {
		return err
	}
	return checkRange("runs given with --run", len(f.runs), 1, maxRuns)
}

func (f *figureFlags) outputs() []output.File {
	return []output.File{{Flag: "--out", Path: f.out, Part: run.FitFile}}
}

// modelFigure are the flags of a figure of predictions.
type modelFigure struct {
	settings
	figureFlags
	levelFlags
}

func (o *modelFigure) addFlags(a *app, cmd *cobra.Command, numTau int, levels string) {
	o.settings.addFlags(a, cmd)
	o.figureFlags.addFlags(cmd, true)
	o.levelFlags.addFlags(cmd, numTau, "levels per point, for quantile models")
	f := cmd.Flags().Lookup("levels")
	f.DefValue = levels
	must(f.Value.Set(levels))
	o.given = cmd.Flags().Changed
}

// figureRun is a run that a figure shows.
type figureRun struct {
	trained
	dir    string
	e      config.Experiment
	source datasets.Source
	data   run.Units
	label  string // what tells it from the others
}

// open checks the flags and reads the runs. refuse says what is wrong with a run for this figure, nil if nothing is.
func (o *modelFigure) open(p progress.Reporter, refuse func(r figureRun) *input.Error) ([]figureRun, error) {
	for _, check := range []func() error{o.settings.check, o.figureFlags.check, o.levelFlags.check} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	var runs []figureRun
	for _, dir := range o.runs {
		r, err := o.read(dir, p, refuse)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	labelRuns(runs)
	return runs, nil
}

func (o *modelFigure) read(dir string, p progress.Reporter, refuse func(r figureRun) *input.Error) (r figureRun, err error) {
	chosen := modelFlags{run: dir, checkpoint: o.checkpoint}
	r.dir = dir
	if r.e, err = chosen.experiment(); err != nil {
		return r, err
	}
	if r.e, err = chosen.experiment(o.overrides(r.e)...); err != nil {
		return r, err
	}
	if err := o.app.checkOutputs(o.outputs(), chosen.inputs(r.e, o.dataDir)...); err != nil {
		return r, err
	}
	if r.source, err = datasets.Open(r.e, o.dataDir); err != nil {
		return r, err
	}
	dx, dy := r.source.Dims()
	if bad := refuse(r); bad != nil {
		bad.File = dir
		return r, bad
	}
	if r.trained, err = chosen.load(r.e, dx, dy, p); err != nil {
		return r, err
	}
	if err := r.checkData(dir, r.e, r.source); err != nil {
		return r, err
	}
	if r.data = run.UnitsOf(r.e, r.source); r.units != nil {
		r.data = *r.units // of the very checkpoint
	}
	return r, nil
}

// options ask the run's model, with so many bootstraps where it has any.
func (r figureRun) options(o *modelFigure, bootstraps int) predict.Options {
	return predict.Options{Model: r.Model, Params: r.params, NumTau: r.e.Eval.NumTau, Bootstraps: bootstraps,
		Levels: o.levels, Seed: r.e.Eval.Seed, Device: o.device, Scaling: r.data.Scaling}
}

// labelRuns names the runs by their models, and by seeds and directories where that does not tell them apart.
func labelRuns(runs []figureRun) {
	for _, name := range []func(r figureRun) string{
		func(r figureRun) string { return figures.DisplayName(r.e.Model.Name) },
		func(r figureRun) string {
			return figures.DisplayName(r.e.Model.Name) + ", seed " + strconv.FormatUint(r.e.Train.Seed, 10)
		},
		func(r figureRun) string { return r.dir },
	} {
		seen := map[string]bool{}
		for i := range runs {
			runs[i].label = name(runs[i])
			seen[runs[i].label] = true
		}
		if len(seen) == len(runs) {
			return
		}
	}
}

// oneDimensional refuses runs whose x is none that an axis can show.
func oneDimensional(r figureRun) *input.Error {
	if dx, _ := r.source.Dims(); dx != 1 {
		return &input.Error{Key: "benchmark", Found: fmt.Sprintf("%s with x of %d dimensions", r.e.Benchmark, dx), Expected: "x of one dimension"}
	}
	return nil
}

// tasksOf are functions first … first+count−1 of the run's evaluation batches.
func (r figureRun) tasksOf(first, count int) ([]figures.Task, error) {
	size, tasks := r.source.EvalSize().Functions, []figures.Task(nil)
	var b datasets.Batch
	made := -1
	for f := first; f < first+count; f++ {
		if batch := f / size; batch != made {
			if batch >= r.source.EvalBatches() {
				return nil, r.noFunction(f)
			}
			if err := r.source.Eval(batch, &b); err != nil {
				return nil, err
			}
			made = batch
		}
		if f%size >= b.Functions {
			return nil, r.noFunction(f)
		}
		tasks = append(tasks, figures.NewTask(&b, f%size, 0, datasets.ScalingOf(r.source, b.DX, b.DY)))
	}
	return tasks, nil
}

func (r figureRun) noFunction(f int) error {
	return &input.Error{File: "--function", Found: strconv.Itoa(f), Expected: fmt.Sprintf("one of the functions of %s of %s",
		plural(r.source.EvalBatches(), "evaluation batch", "evaluation batches"), r.dir)}
}

// figureSummary is the result of plot.
type figureSummary struct {
	Out  string   `json:"out"`
	Runs []string `json:"runs"`
}

func (f *figureFlags) summary(a *app) error {
	s := figureSummary{Out: f.out, Runs: f.runs}
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s\n", s.Out, plural(len(s.Runs), "run", "runs"))
		return err
	})
}
