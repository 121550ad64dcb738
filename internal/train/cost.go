package train

import (
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// costBatches is how many training batches Cost counts.
const costBatches = 16

// Cost returns the floating-point operations of a training step, a mean over the first batches, and
// those of a validation, 0 without one. It compiles nothing. It needs o.Source.
func Cost(o Options) (step, validation float64, err error) {
	dx, dy := o.Source.Dims()
	model, err := models.New(o.Experiment.Model, dx, dy)
	if err != nil {
		return 0, 0, err
	}
	draws, err := drawsOf(model, o.Experiment)
	if err != nil {
		return 0, 0, err
	}
	size := o.Source.TrainSize()
	flops, err := counter(model, models.Training, ops.Extents{Functions: size.Functions, Context: size.Context, Points: size.Points, Levels: draws.Count()})
	if err != nil {
		return 0, 0, err
	}
	feeds, err := feed.All(o.Source.Train, pointsOf(o.Experiment.Train), draws, costBatches)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range feeds {
		step += flops(f.Extents) / costBatches
	}
	if o.Experiment.Train.ValidateEvery < 1 {
		return step, 0, nil
	}
	v, err := newValidator(o.Experiment, model, o.Source, device.CPU(0))
	if err != nil {
		return 0, 0, err
	}
	if flops, err = counter(model, models.Evaluation, v.estimate.Capacity); err != nil {
		return 0, 0, err
	}
	for _, f := range v.feeds {
		validation += flops(f.Extents)
	}
	return step, validation, nil
}

// counter returns the function from extents to the floating-point operations of a graph.
func counter(m *models.Model, mode models.Mode, capacity ops.Extents) (func(ops.Extents) float64, error) {
	graph, err := m.Build(tensor.Float32, capacity, mode)
	if err != nil {
		return nil, err
	}
	a, err := analysis.Analyse(graph)
	if err != nil {
		return nil, err
	}
	return a.FLOPs, nil
}
