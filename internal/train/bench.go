package train

import (
	"context"
	"math"
	"time"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// Timing is the duration and the work of one training step. A GPU runs behind its caller, which may
// wait for an earlier step, so a single duration may be off. Their sum is exact: the device is idle
// when the first step begins and when the last ends.
type Timing struct {
	Duration time.Duration // from waiting for the batch to the end of Adam
	Rows     int           // B·N·N_τ, B·N·k with bootstraps, B·N without either
	FLOPs    float64       // see analysis.Analysis.FLOPs
}

// Bench makes steps for the time of o.WarmUp. Then it makes warmup+steps training steps from initial
// weights, as Run does without validation, and returns the timings of all but the first warmup. It
// writes nothing. It needs o.Source, only checks the file of Start, and ignores Dir, DataDir, Resume, Overwrite,
// Version, Until, Events and OnStart.
func Bench(ctx context.Context, o Options, warmup, steps int) ([]Timing, error) {
	o.Experiment.Train.ValidateEvery = 0
	l, err := newLoop(o)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if err := l.warmUp(ctx, o.WarmUp); err != nil {
		return nil, err
	}
	flops, err := l.flops()
	if err != nil {
		return nil, err
	}
	l.meter = newMeter(0)
	feeds := feed.Start(o.Source.Train.Make, pointsOf(l.schedule), l.draws, 0, warmup+steps)
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

// warmUp makes steps from initial weights for some time, and waits for them, so that a processor's
// clock has risen before something is timed. It leaves the trainer and the loop as they were at the
// first step.
func (l *loop) warmUp(ctx context.Context, some time.Duration) error {
	start := engine.State{Params: l.model.Initial(l.o.Experiment.Train.Seed)}
	if err := l.trainer.Load(start); err != nil {
		return err
	}
	l.meter = newMeter(0)
	feeds := feed.Start(l.o.Source.Train.Make, pointsOf(l.schedule), l.draws, 0, math.MaxInt)
	defer feeds.Close()
	for began := time.Now(); time.Since(began) < some; l.step = 0 {
		e, err := l.load(ctx, feeds)
		if err == nil {
			err = l.advance(e)
		}
		if err == nil {
			_, err = l.trainer.Loss()
		}
		if err != nil {
			return l.named(err)
		}
	}
	return l.trainer.Load(start)
}

// flops returns the function from a step's extents to its floating-point operations.
func (l *loop) flops() (func(ops.Extents) float64, error) {
	graph, err := l.model.Build(tensor.Float32, l.capacity, models.Training)
	if err != nil {
		return nil, err
	}
	a, err := analysis.Analyse(graph)
	if err != nil {
		return nil, err
	}
	return a.FLOPs, nil
}
