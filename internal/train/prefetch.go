package train

import (
	"fmt"
	"sync"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// feed is what one step reads: the batch of its number and, for quantile models, the levels of its number.
type feed struct {
	batch   datasets.Batch
	extents ops.Extents
	context []float32 // [B, N_c, dx+dy]: x beside y of each function's context points
	levels  []float32 // [B, N, N_τ]; empty for models without levels
	err     error
}

// prefetch makes the feeds of consecutive steps in a goroutine: the next one while the current one is used.
// Two feeds go round, so that nothing is allocated once they have grown to the largest batch.
type prefetch struct {
	source   datasets.Source
	levels   datasets.Levels
	capacity ops.Extents

	free, ready chan *feed
	stop        chan struct{}
	done        sync.WaitGroup
}

// startPrefetch makes the feeds of steps from, from+1, …, to−1. capacity.Levels is 0 for a model without levels; seed
// is train.seed. The caller must call close.
func startPrefetch(source datasets.Source, seed uint64, capacity ops.Extents, from, to int) *prefetch {
	p := &prefetch{
		source:   source,
		levels:   datasets.RandomLevels(seed, random.Levels),
		capacity: capacity,
		free:     make(chan *feed, 2),
		ready:    make(chan *feed, 2),
		stop:     make(chan struct{}),
	}
	p.free <- &feed{}
	p.free <- &feed{}
	p.done.Go(func() { p.produce(from, to) })
	return p
}

func (p *prefetch) produce(from, to int) {
	for step := from; step < to; step++ {
		select {
		case <-p.stop:
			return
		case f := <-p.free:
			f.err = p.fill(step, f)
			p.ready <- f // never blocks: it has room for both
			if f.err != nil {
				return
			}
		}
	}
}

// next waits for the next step's feed. The caller gives it back with release.
func (p *prefetch) next() (*feed, error) {
	f := <-p.ready
	return f, f.err
}

func (p *prefetch) release(f *feed) { p.free <- f }

// close ends the goroutine and waits for it.
func (p *prefetch) close() {
	close(p.stop)
	p.done.Wait()
}

func (p *prefetch) fill(step int, f *feed) error {
	b := &f.batch
	if err := p.source.Train(step, b); err != nil {
		return fmt.Errorf("batch %d: %w", step, err)
	}
	f.extents = ops.Extents{Functions: b.Functions, Context: b.Context, Points: b.Points, Levels: p.capacity.Levels}
	if !f.extents.Fits(p.capacity) {
		return fmt.Errorf("batch %d: its source promised at most %v and made %v", step, p.capacity, f.extents)
	}
	f.context = packContext(f.context, b)
	if n := f.extents.Rows(ops.Row); n > 0 {
		f.levels = resize(f.levels, n)
		p.levels.Fill(uint64(step), f.extents, f.levels)
	}
	return nil
}

// packContext gathers the context points of every function, x beside y.
func packContext(dst []float32, b *datasets.Batch) []float32 {
	width := b.DX + b.DY
	dst = resize(dst, b.Functions*b.Context*width)
	at := dst
	for function := range b.Functions {
		for point := function * b.Points; point < function*b.Points+b.Context; point++ {
			copy(at, b.X[point*b.DX:(point+1)*b.DX])
			copy(at[b.DX:], b.Y[point*b.DY:(point+1)*b.DY])
			at = at[width:]
		}
	}
	return dst
}

func resize(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}
