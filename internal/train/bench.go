package train

import (
	"context"
	"time"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/feed"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/ops"
)

// Timing is what one training step did, and how long it took. A device may work ahead of its
// caller, which then waits for an earlier step instead. The sum over all steps is exact: nothing is
// under way when the first begins and the last ends.
type Timing struct {
	Duration time.Duration // from waiting for the batch, which is made while the step before runs, to Adam
	Rows     int           // B·N·N_τ, B·N·k with bootstraps, B·N without either
	FLOPs    float64       // see plan.Analysis.FLOPs
}

// Bench makes training steps from initial weights as Run does, without a run directory, and times
// those after the first warmup. It needs o.Source and does not read Dir, Resume, Overwrite, OnStart
// and Warn.
func Bench(ctx context.Context, o Options, warmup, steps int) ([]Timing, error) {
	l, err := newLoop(o)
	if err != nil {
		return nil, err
	}
	defer l.close()
	flops, err := l.flops()
	if err != nil {
		return nil, err
	}
	if err := l.trainer.Load(engine.State{Params: l.model.Initial(o.Experiment.Train.Seed)}); err != nil {
		return nil, err
	}
	l.meter = newMeter(0)
	feeds := feed.Start(o.Source.Train, l.draws, 0, warmup+steps)
	defer feeds.Close()
	var timings []Timing
	for range warmup + steps {
		start := time.Now()
		e, err := l.load(ctx, feeds)
		if err == nil {
			err = l.advance(e)
		}
		if err == nil && (l.step == warmup || l.step == warmup+steps) {
			_, err = l.trainer.Loss() // waits for all steps
		}
		if err != nil {
			return nil, l.named(err)
		}
		took := time.Since(start)
		if l.step > warmup {
			timings = append(timings, Timing{Duration: took, Rows: rows(e), FLOPs: flops(e)})
		}
		if o.OnStep != nil {
			o.OnStep(l.last)
		}
	}
	return timings, nil
}

// flops returns the function that counts the operations of a step by its extents.
func (l *loop) flops() (func(ops.Extents) float64, error) {
	graph, err := l.model.Build(tensor.Float32, l.capacity, models.Training)
	if err != nil {
		return nil, err
	}
	a, err := plan.Analyse(graph)
	if err != nil {
		return nil, err
	}
	return a.FLOPs, nil
}
