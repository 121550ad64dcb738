package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
)

// quickEvaluation compares the weights before and after training on the same evaluation batches.
type quickEvaluation struct {
	Batches int           `json:"batches"`
	Before  logLikelihood `json:"before"`
	After   logLikelihood `json:"after"`
	File    string        `json:"file,omitempty"` // eval.json, if it has all batches
}

type logLikelihood struct {
	Context run.Estimate `json:"context_ll"`
	Target  run.Estimate `json:"target_ll"`
	Raw     *run.Raw     `json:"raw,omitempty"` // in the data's own units
}

func (q *quickEvaluation) print(w io.Writer) {
	fmt.Fprintf(w, "context log-likelihood %.4f → %.4f, target %.4f → %.4f (%s, untrained → trained)\n",
		q.Before.Context.Mean, q.After.Context.Mean, q.Before.Target.Mean, q.After.Target.Mean, input.Plural(q.Batches, "batch", "batches"))
	if before, after := q.Before.Raw, q.After.Raw; before != nil && after != nil {
		fmt.Fprintf(w, "in raw units context %.4f → %.4f, target %.4f → %.4f\n",
			before.ContextLL.Mean, after.ContextLL.Mean, before.TargetLL.Mean, after.TargetLL.Mean)
	}
}

// quickBatches bounds the batches of the comparison.
const quickBatches = 20

// quickShare bounds the work of the comparison, as a share of the work of training.
const quickShare = 0.2

// batchesToCompare returns the number of batches of the comparison. It counts rows to keep the
// comparison cheap beside the training: a training step costs about three times its rows, and the
// comparison evaluates every batch twice.
func batchesToCompare(e config.Experiment, s datasets.Source, steps int) int {
	rows := func(size datasets.Size, levels int) float64 {
		return float64(size.Functions) * float64(size.Points) * float64(max(1, levels))
	}
	training := 3 * float64(steps) * rows(s.TrainSize(), max(e.Train.NumTau, e.Model.TrainBootstraps))
	affordable := quickShare * training / (2 * rows(s.EvalSize(), max(e.Eval.NumTau, e.Model.EvalBootstraps)))
	return min(quickBatches, s.EvalBatches(), max(1, int(affordable)))
}

// finish compares the trained with the untrained model and plots what the trained one predicts.
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
	units := run.UnitsOf(e, source)
	evaluate := func(params []float32, w run.Weights, task string) (run.Eval, error) {
		t := predict.New(e, m, params, units.Scaling, o.device)
		t.Weights = w
		return t.Evaluate(ctx, source, predict.EvalOptions{Batches: batchesToCompare(e, source, s.Step), Version: version(), Progress: p, Task: task})
	}
	b, err := evaluate(first, run.Weights{}, "evaluate the untrained model")
	if err != nil {
		return err
	}
	r, err := evaluate(c.Params, c.Weights(), "evaluate the trained model")
	if err != nil {
		return err
	}
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
	if err := plotFit(ctx, plot, e, units, predict.New(e, m, c.Params, units.Scaling, o.device), source); err != nil {
		return err
	}
	s.Plot = plot
	return nil
}

// plotFit draws what the model predicts for the first evaluation functions. The levels are a grid,
// so that each of them is a smooth curve.
func plotFit(ctx context.Context, path string, e config.Experiment, units run.Units, t predict.Trained, source datasets.Source) error {
	var b datasets.Batch
	if err := source.Eval(0, &b); err != nil {
		return err
	}
	t.Levels = predict.GridLevels
	panels, err := figures.BatchPanels(ctx, t, &b, 0, nil)
	if err != nil {
		return err
	}
	return figures.FitPlot{Title: plotTitle(e), XLabel: units.XNames[0], YLabel: units.YNames[0], Panels: panels}.Save(path)
}
