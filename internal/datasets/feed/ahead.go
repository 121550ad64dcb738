package feed

import (
	"context"
	"sync"

	"github.com/acqnp/acqnp/internal/datasets"
)

// Ahead makes the feeds of consecutive steps on its own goroutine: the next one while the current
// one is used. It reuses a fixed number of feeds, so it allocates nothing once they have grown to
// the largest batch.
type Ahead struct {
	free, ready chan filled
	stop        chan struct{}
	done        sync.WaitGroup
}

// Turns is the number of feeds that an Ahead uses in turn.
const Turns = 2

// filled is a feed, or the error that ended the filling.
type filled struct {
	feed *Feed
	err  error
}

// Start starts to make the feeds of the steps from, from+1, …, to−1. It stops at the first error.
// batch makes the batch of a step and is called only on the new goroutine. points says which of the
// batch's points the feeds hold. The caller must call Close, and must not use batch before that.
func Start(batch func(step int, dst *datasets.Batch) error, points Points, d Draws, from, to int) *Ahead {
	a := &Ahead{free: make(chan filled, Turns), ready: make(chan filled, Turns), stop: make(chan struct{})}
	for range Turns {
		a.free <- filled{feed: new(Feed)}
	}
	a.done.Go(func() {
		for step := from; step < to; step++ {
			select {
			case <-a.stop:
				return
			case m := <-a.free:
				if m.err = batch(step, &m.feed.batch); m.err == nil {
					m.err = m.feed.load(step, points, d)
				}
				a.ready <- m // never blocks: there is room for all feeds
				if m.err != nil {
					return
				}
			}
		}
	})
	return a
}

// Next waits for the feed of the next step and returns it. If ctx ends first, it returns the error
// of ctx. The caller must call Release once the feed is written to a program, and must not call
// Next after an error or after the last step.
func (a *Ahead) Next(ctx context.Context) (*Feed, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case m := <-a.ready:
		return m.feed, m.err
	}
}

// Release gives a feed back, to be filled again.
func (a *Ahead) Release(f *Feed) { a.free <- filled{feed: f} }

// Close ends the goroutine and waits for it.
func (a *Ahead) Close() {
	close(a.stop)
	a.done.Wait()
}
