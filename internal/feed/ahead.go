package feed

import (
	"context"
	"sync"

	"github.com/acqnp/acqnp/internal/datasets"
)

// Ahead makes the feeds of consecutive steps on its own goroutine: the next one while the current
// one is used. It reuses Turns feeds, so it allocates nothing once they have grown to the largest
// batch.
type Ahead struct {
	free, ready chan made
	stop        chan struct{}
	done        sync.WaitGroup
}

// Turns is the number of feeds of an Ahead.
const Turns = 2

type made struct {
	feed *Feed
	err  error
}

// Start starts making the feeds of the steps from, from+1, …, to−1. It stops at the first error.
// batch makes the batch of a step; only the goroutine calls it. The caller must call Close, and
// must not use batch before that.
func Start(batch func(step int, dst *datasets.Batch) error, d Draws, from, to int) *Ahead {
	a := &Ahead{free: make(chan made, Turns), ready: make(chan made, Turns), stop: make(chan struct{})}
	for range Turns {
		a.free <- made{feed: new(Feed)}
	}
	a.done.Go(func() {
		for step := from; step < to; step++ {
			select {
			case <-a.stop:
				return
			case m := <-a.free:
				if m.err = batch(step, &m.feed.batch); m.err == nil {
					m.err = m.feed.load(step, d)
				}
				a.ready <- m // never blocks: it has room for all
				if m.err != nil {
					return
				}
			}
		}
	})
	return a
}

// Next waits for the feed of the next step, or for the end of ctx, whose error it returns. The
// caller must call Release once the feed is written to a program. It must not call Next after an
// error or after the last step.
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

// Release lets a feed be filled again.
func (a *Ahead) Release(f *Feed) { a.free <- made{feed: f} }

// Close ends the goroutine and waits for it.
func (a *Ahead) Close() {
	close(a.stop)
	a.done.Wait()
}
