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
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
)

// comparison compares the weights before and after training on the same evaluation batches.
type comparison struct {
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

func newComparison(c predict.Comparison) *comparison {
	of := func(e run.Eval) logLikelihood { return logLikelihood{e.ContextLL, e.TargetLL, e.Raw} }
	return &comparison{Batches: c.After.Batches, Before: of(c.Before), After: of(c.After)}
}

func (q *comparison) print(w io.Writer) {
	fmt.Fprintf(w, "context log-likelihood %.4f → %.4f, target %.4f → %.4f (%s, untrained → trained)\n",
		q.Before.Context.Mean, q.After.Context.Mean, q.Before.Target.Mean, q.After.Target.Mean, input.Plural(q.Batches, "batch", "batches"))
	if before, after := q.Before.Raw, q.After.Raw; before != nil && after != nil {
		fmt.Fprintf(w, "in raw units context %.4f → %.4f, target %.4f → %.4f\n",
			before.ContextLL.Mean, after.ContextLL.Mean, before.TargetLL.Mean, after.TargetLL.Mean)
	}
}

// finish compares the trained with the untrained model and plots what the trained one predicts.
func (o *trainOptions) finish(ctx context.Context, e config.Experiment, source datasets.Source, s *trainSummary, p progress.Reporter) error {
	t, err := predict.LoadCheckpoint(e, s.Checkpoint, run.UnitsOf(e, source), o.device)
	if err != nil {
		return err
	}
	first := t.Model.Initial(e.Train.Seed)
	if o.weights != "" {
		if first, err = run.ReadWeights(o.weights, t.Model); err != nil {
			return err
		}
	}
	c, err := t.Compare(ctx, first, source, predict.EvalOptions{Batches: predict.ComparedBatches(e, source, s.Step), Version: version(), Progress: p})
	if err != nil {
		return err
	}
	s.Evaluation = newComparison(c)
	if c.After.Batches == source.EvalBatches() {
		file := filepath.Join(o.runDir, run.EvalFile)
		if err := c.After.Write(file); err != nil {
			return err
		}
		s.Evaluation.File = file
	}
	if dx, _ := source.Dims(); figures.CheckPlottable(dx) != nil {
		return nil
	}
	figure, err := figures.NewFitPlot(ctx, t, source)
	if err != nil {
		return err
	}
	plot := filepath.Join(o.runDir, run.FitFile)
	if err := figure.Save(plot); err != nil {
		return err
	}
	s.Plot = plot
	return nil
}
