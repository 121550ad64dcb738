package train

import (
	"context"
	"math"
	"time"

	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/invalid"
)

// TimeLaunches measures the kernel launches of a training step on a GPU, after a warm-up. It writes
// nothing. It needs o.Source, like Bench. Another device is an *invalid.Input.
func TimeLaunches(ctx context.Context, o Options, warm time.Duration, times int) ([]engine.LaunchTime, error) {
	o.Experiment.Train.ValidateEvery = 0
	l, err := newLoop(o)
	if err != nil {
		return nil, err
	}
	defer l.close()
	timer, ok := l.trainer.(engine.LaunchTimer)
	if !ok {
		return nil, &invalid.Input{File: "--kernels", Found: "--device " + o.Device.Name(), Expected: "a GPU: --device cuda"}
	}
	if err := l.warmUp(ctx, warm); err != nil {
		return nil, err
	}
	feeds := feed.Start(l.o.Source.Train, pointsOf(l.schedule), l.draws, 0, 1)
	defer feeds.Close()
	e, err := l.load(ctx, feeds)
	if err != nil {
		return nil, l.named(err)
	}
	return timer.TimeLaunches(e, 0, LearningRate(l.schedule, l.valid.Out, 0), times)
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
	feeds := feed.Start(l.o.Source.Train, pointsOf(l.schedule), l.draws, 0, math.MaxInt)
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
