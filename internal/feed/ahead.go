package feed

import (
	"context"
	"sync"

	"github.com/acqnp/acqnp/internal/datasets"
)

// Ahead makes the feeds of consecutive steps in a goroutine: the next one while the current one is used. Two feeds go
// round, so that nothing is allocated once they have grown to the largest batch.
type Ahead struct {
	free, ready chan made
	stop        chan struct{}
	done        sync.WaitGroup
}

// Turns is how many feeds an Ahead fills by turns.
const Turns = 2

type made struct {
	feed *Feed
	err  error
}

// Start makes the feeds of the steps from, from+1, …, to−1, until one fails. batch makes the batch of a step, in the
// goroutine alone. The caller must call Close, and only then may use batch again.
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

// Next waits for the next step's feed; the end of ctx ends the wait with its error. The caller gives the feed back with
// Release as soon as it is written to a program, and asks no more after an error or the last step.
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
func (a *Ahead) Release(f *Feed) { a.free <- made{feed: f} }

// Close ends the goroutine and waits for it.
func (a *Ahead) Close() {
	close(a.stop)
	a.done.Wait()
}
