package train

import (
	"context"

	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/invalid"
)

// TimeLaunches measures the kernel launches of a training step on a GPU, after steps for the time of o.WarmUp. It writes
// nothing. It needs o.Source, like Bench. Another device is an *invalid.Input.
func TimeLaunches(ctx context.Context, o Options, times int) ([]engine.LaunchTime, error) {
	l, err := newTimed(ctx, o)
	if err != nil {
		return nil, err
	}
	defer l.close()
	timer, ok := l.trainer.(engine.LaunchTimer)
	if !ok {
		return nil, &invalid.Input{File: "--kernels", Found: "--device " + o.Device.Name(), Expected: "a GPU: --device cuda"}
	}
	feeds := feed.Start(o.Source.Train, pointsOf(l.schedule), l.draws, 0, 1)
	defer feeds.Close()
	e, err := l.load(ctx, feeds)
	if err != nil {
		return nil, l.named(err)
	}
	return timer.TimeLaunches(e, 0, LearningRate(l.schedule, l.valid.Out, 0), times)
}
