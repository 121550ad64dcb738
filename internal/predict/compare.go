package predict

import (
	"context"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/run"
)

// Comparison is the evaluation of a model with other weights, those before its training, and with
// its own, on the same batches.
type Comparison struct{ Before, After run.Eval }

// Compare evaluates the model with the weights before its training and with its own.
func (t Trained) Compare(ctx context.Context, before []float32, source Source, o EvalOptions) (c Comparison, err error) {
	untrained := t
	untrained.Params, untrained.Weights = before, run.Weights{}
	o.Task = "evaluate the untrained model"
	if c.Before, err = untrained.Evaluate(ctx, source, o); err != nil {
		return c, err
	}
	o.Task = "evaluate the trained model"
	c.After, err = t.Evaluate(ctx, source, o)
	return c, err
}

const (
	comparedBatches = 20  // that a comparison takes at most
	comparedShare   = 0.2 // of training's work that a comparison is at most
)

// ComparedBatches returns how many batches a comparison takes so that it is cheap beside training
// of so many steps. It counts rows: a training step costs about three times its rows, and a
// comparison takes every batch twice.
func ComparedBatches(e config.Experiment, s datasets.Source, steps int) int {
	rows := func(size datasets.Size, levels int) float64 {
		return float64(size.Functions) * float64(size.Points) * float64(max(1, levels))
	}
	training := 3 * float64(steps) * rows(s.TrainSize(), max(e.Train.NumTau, e.Model.TrainBootstraps))
	affordable := comparedShare * training / (2 * rows(s.EvalSize(), max(e.Eval.NumTau, e.Model.EvalBootstraps)))
	return min(comparedBatches, s.EvalBatches(), max(1, int(affordable)))
}
