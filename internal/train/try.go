package train

import (
	"context"
	"slices"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A Trial is the outcome of a training that leaves no files.
type Trial struct {
	Steps   int       // done
	Best    int       // the step with the best validation
	ValidLL float64   // of that step, in the model's units
	Ended   string    // what ended it, as in Result
	Params  []float32 // of the best validation
}

// Try trains as Run does, with validation, and writes nothing. It needs o.Source and ignores Dir,
// DataDir, Resume, Overwrite and Version. If the context ends, it returns ctx's error.
func Try(ctx context.Context, o Options) (t Trial, err error) {
	if o.Experiment.Train.ValidateEvery < 1 {
		return t, &invalid.Input{Key: "train.validate_every", Found: "0", Expected: "1 or more, so that the trial can be judged"}
	}
	l, err := newLoop(o)
	if err != nil {
		return t, err
	}
	defer l.close()
	params, err := l.o.Start.Params(l.model, l.schedule.Seed)
	if err != nil {
		return t, err
	}
	if err := l.trainer.Load(engine.State{Params: params}); err != nil {
		return t, err
	}
	l.meter = newMeter(0)
	best, err := l.try(ctx)
	if err != nil {
		return t, err
	}
	return Trial{Steps: l.step, Best: l.valid.Step, ValidLL: l.valid.Best, Ended: l.ended(), Params: best}, nil
}

// try makes all steps, with the best weights in memory, and returns these weights.
func (l *loop) try(ctx context.Context) ([]float32, error) {
	feeds := feed.Start(l.o.Source.Train, pointsOf(l.schedule), l.draws, 0, l.schedule.Steps)
	defer feeds.Close()
	var best engine.State
	for l.step < l.end() {
		extents, err := l.load(ctx, feeds)
		if err != nil {
			return nil, err
		}
		if err := l.advance(extents); err != nil {
			return nil, err
		}
		if err := l.updateAverage(); err != nil {
			return nil, err
		}
		if l.o.OnStep != nil {
			l.o.OnStep(l.last)
		}
		if !l.due() {
			continue
		}
		state, ll, err := l.validated()
		if err != nil {
			return nil, err
		}
		switch {
		case l.judge(ll):
			best = copied(state)
		case l.valid.Out == l.step && l.step < l.end():
			if err := l.startAgain(best); err != nil {
				return nil, err
			}
		}
	}
	return best.Params, nil
}

func copied(s engine.State) engine.State {
	s.Params, s.M, s.V = slices.Clone(s.Params), slices.Clone(s.M), slices.Clone(s.V)
	return s
}

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
