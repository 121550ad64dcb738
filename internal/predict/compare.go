package predict

import (
	"context"
	"fmt"
	"io"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// Comparison holds the evaluations of a model before and after training, on the same batches.
type Comparison struct{ Before, After run.Eval }

// Compare evaluates the model with the weights before, a flat vector [NumParams], and with its own.
// It scores targets for the latter alone.
func (t Trained) Compare(ctx context.Context, before []float32, source *datasets.Source, o EvalOptions) (c Comparison, err error) {
	untrained := t
	untrained.Params, untrained.Weights = before, run.Weights{}
	first := o
	first.Task, first.Scored = "evaluate the untrained model", false
	if c.Before, err = untrained.Evaluate(ctx, source, first); err != nil {
		return c, err
	}
	o.Task = "evaluate the trained model"
	c.After, err = t.Evaluate(ctx, source, o)
	return c, err
}

const (
	comparedBatches = 20  // the most batches of a comparison
	comparedShare   = 0.2 // the most work of a comparison, as a share of training's
)

// ComparedBatches returns a number of batches for Compare that is cheap beside a training of steps
// steps. It counts the decoder's rows: a training step costs about three times its rows, because of
// the gradient, and a comparison evaluates every batch twice.
func ComparedBatches(e config.Experiment, s *datasets.Source, steps int) int {
	rows := func(size datasets.Size, levels int) float64 {
		return float64(size.Groups) * float64(size.Points) * float64(max(1, levels))
	}
	training := 3 * float64(steps) * rows(s.Train.Size, max(e.Train.NumTau, e.Model.TrainBootstraps))
	affordable := comparedShare * training / (2 * rows(s.Eval.Size, max(e.Eval.NumTau, e.Model.EvalBootstraps)))
	return min(comparedBatches, s.Eval.Count, max(1, int(affordable)))
}

// ComparisonSummary is the part of a Comparison that training prints. Its JSON fields are those of
// acqnp train --json.
type ComparisonSummary struct {
	Batches int           `json:"batches"`
	Part    string        `json:"part,omitempty"` // as in run.Eval
	Before  LogLikelihood `json:"before"`
	After   LogLikelihood `json:"after"`
	File    string        `json:"file,omitempty"` // eval.json, if it has all batches
}

// LogLikelihood is the result of one of the two evaluations.
type LogLikelihood struct {
	Context run.Estimate `json:"context_ll"`
	Target  run.Estimate `json:"target_ll"`
	Raw     *run.Raw     `json:"raw,omitempty"` // in the data's own units
}

// Summary returns the means and errors of the comparison. The caller sets File.
func (c Comparison) Summary() *ComparisonSummary {
	of := func(e run.Eval) LogLikelihood { return LogLikelihood{e.ContextLL, e.TargetLL, e.Raw} }
	return &ComparisonSummary{Batches: c.After.Batches, Part: c.After.Part, Before: of(c.Before), After: of(c.After)}
}

// Print writes the comparison as text.
func (c *ComparisonSummary) Print(w io.Writer) {
	fmt.Fprintf(w, "context log-likelihood %.4f → %.4f, target %.4f → %.4f (%s, untrained → trained)\n",
		c.Before.Context.Mean, c.After.Context.Mean, c.Before.Target.Mean, c.After.Target.Mean, invalid.Plural(c.Batches, "batch", "batches"))
	if c.Part != "" {
		fmt.Fprintf(w, "evaluated on %s\n", run.PartTitle(c.Part))
	}
	if before, after := c.Before.Raw, c.After.Raw; before != nil && after != nil {
		fmt.Fprintf(w, "in raw units context %.4f → %.4f, target %.4f → %.4f\n",
			before.ContextLL.Mean, after.ContextLL.Mean, before.TargetLL.Mean, after.TargetLL.Mean)
	}
}
