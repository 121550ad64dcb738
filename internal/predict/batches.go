package predict

import (
	"context"

	"github.com/acqnp/acqnp/internal/datasets"
)

// batches are made by one goroutine, a batch ahead of the one in use.
type batches struct {
	ready chan madeBatch
	free  chan *datasets.Batch // the caller gives used batches back
	done  chan struct{}
}

type madeBatch struct {
	batch *datasets.Batch
	err   error
}

// makeBatches starts making batches 0..total−1, until one fails or ctx ends.
func makeBatches(ctx context.Context, source Source, total int) batches {
	const ahead = 2
	b := batches{make(chan madeBatch, ahead), make(chan *datasets.Batch, ahead), make(chan struct{})}
	for range ahead {
		b.free <- new(datasets.Batch)
	}
	go func() {
		defer close(b.done)
		for i := range total {
			select {
			case <-ctx.Done():
				return
			case dst := <-b.free:
				err := source.Eval(i, dst)
				b.ready <- madeBatch{dst, err} // never blocks: there are no more batches than places
				if err != nil {
					return
				}
			}
		}
	}()
	return b
}

// next is the next batch, in order.
func (b batches) next(ctx context.Context) (*datasets.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case m := <-b.ready:
		return m.batch, m.err
	}
}

// wait returns when the source is no longer in use, which takes the end of ctx or of the batches.
func (b batches) wait() { <-b.done }
