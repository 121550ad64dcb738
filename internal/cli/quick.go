package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/report"
	"github.com/acqnp/acqnp/internal/run"
)

// quickEvaluation compares the weights before and after training on the same evaluation batches.
type quickEvaluation struct {
	Batches int           `json:"batches"`
	Before  logLikelihood `json:"before"`
	After   logLikelihood `json:"after"`
	File    string        `json:"file,omitempty"` // eval.json, where all batches of the configuration were used
}

type logLikelihood struct {
	Context report.Estimate `json:"context_ll"`
	Target  report.Estimate `json:"target_ll"`
	Raw     *report.Raw     `json:"raw,omitempty"` // in the data's own units
}

func (q *quickEvaluation) print(w io.Writer) {
	fmt.Fprintf(w, "context log-likelihood %.4f → %.4f, target %.4f → %.4f (%s, untrained → trained)\n",
		q.Before.Context.Mean, q.After.Context.Mean, q.Before.Target.Mean, q.After.Target.Mean, input.Plural(q.Batches, "batch", "batches"))
	if before, after := q.Before.Raw, q.After.Raw; before != nil && after != nil {
		fmt.Fprintf(w, "in raw units context %.4f → %.4f, target %.4f → %.4f\n",
			before.ContextLL.Mean, after.ContextLL.Mean, before.TargetLL.Mean, after.TargetLL.Mean)
	}
}

// quickBatches is how many batches the comparison takes at most.
const quickBatches = 20

// quickShare is the comparison's work at most, as a share of training's.
const quickShare = 0.2

// batchesToCompare keeps the comparison cheap beside the training before it, by counting rows; a training step costs
// about three times its rows, a comparison takes every batch twice.
func batchesToCompare(e config.Experiment, s datasets.Source, steps int) int {
	rows := func(size datasets.Size, levels int) float64 {
		return float64(size.Functions) * float64(size.Points) * float64(max(1, levels))
	}
	training := 3 * float64(steps) * rows(s.TrainSize(), max(e.Train.NumTau, e.Model.TrainBootstraps))
	affordable := quickShare * training / (2 * rows(s.EvalSize(), max(e.Eval.NumTau, e.Model.EvalBootstraps)))
	return min(quickBatches, s.EvalBatches(), max(1, int(affordable)))
}

// evaluation is how the untrained and the trained model are compared.
func (o *trainOptions) evaluation(e config.Experiment, m *models.Model, source datasets.Source) predict.EvalOptions {
	return predict.EvalOptions{Model: m, Source: source, NumTau: e.Eval.NumTau, Bootstraps: e.Model.EvalBootstraps,
		Levels: predict.RandomLevels, Seed: e.Eval.Seed, Device: o.device}
}

// finish evaluates and plots what training has brought.
func (o *trainOptions) finish(ctx context.Context, e config.Experiment, m *models.Model, source datasets.Source, s *trainSummary, p progress.Reporter) error {
	c, err := run.ReadCheckpoint(s.Checkpoint, m)
	if err != nil {
		return err
	}
	first := m.Initial(e.Train.Seed)
	if o.weights != "" {
		if first, err = run.ReadWeights(o.weights, m); err != nil {
			return err
		}
	}
	options := o.evaluation(e, m, source)
	options.Params, options.Batches = first, batchesToCompare(e, source, s.Step)
	options.Progress, options.Task = p, "evaluate the untrained model"
	before, err := predict.Evaluate(ctx, options)
	if err != nil {
		return err
	}
	start := time.Now()
	options.Params, options.Task = c.Params, "evaluate the trained model"
	after, err := predict.Evaluate(ctx, options)
	if err != nil {
		return err
	}
	r := report.NewEval(after)
	r.Benchmark, r.Model, r.Seed = e.Benchmark, e.Model.Name, e.Eval.Seed
	r.Checkpoint = report.Checkpoint{Path: c.Path, Step: &c.Step}
	r.Device, r.Seconds, r.Version = o.device.Name(), time.Since(start).Seconds(), version()
	b := report.NewEval(before)
	shift := run.UnitsOf(e, source).Scaling.RawShift()
	b.SetRaw(shift)
	r.SetRaw(shift)
	s.Evaluation = &quickEvaluation{Batches: r.Batches,
		Before: logLikelihood{b.ContextLL, b.TargetLL, b.Raw}, After: logLikelihood{r.ContextLL, r.TargetLL, r.Raw}}
	if r.Batches == source.EvalBatches() {
		file := filepath.Join(o.runDir, run.EvalFile)
		if err := r.Write(file); err != nil {
			return err
		}
		s.Evaluation.File = file
	}
	if dx, _ := m.Dims(); figures.CheckPlottable(dx) != nil {
		return nil
	}
	plot := filepath.Join(o.runDir, run.FitFile)
	if err := plotFit(ctx, plot, e, m, c.Params, source, o.device); err != nil {
		return err
	}
	s.Plot = plot
	return nil
}

// plotFit draws what the model predicts for the first evaluation functions. The levels are a grid, so that each is a
// curve.
func plotFit(ctx context.Context, path string, e config.Experiment, m *models.Model, params []float32, source datasets.Source, d device.Device) error {
	var b datasets.Batch
	if err := source.Eval(0, &b); err != nil {
		return err
	}
	units := run.UnitsOf(e, source)
	panels, err := figures.BatchPanels(ctx, predict.Options{
		Model: m, Params: params, NumTau: e.Eval.NumTau, Bootstraps: e.Model.EvalBootstraps, Levels: predict.GridLevels,
		Seed: e.Eval.Seed, Device: d, Scaling: units.Scaling,
	}, &b, 0, nil)
	if err != nil {
		return err
	}
	return figures.FitPlot{Title: plotTitle(e), XLabel: units.XNames[0], YLabel: units.YNames[0], Panels: panels}.Save(path)
}
