package datasets

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
)

// SetThreads sets the number of goroutines on which a source makes a batch, if it has several; 0
// means one for each core. The batch does not depend on it.
func SetThreads(source any, n int) {
	if t, ok := source.(interface{ SetThreads(n int) }); ok {
		t.SetThreads(n)
	}
}

// workers divide numbered parts among goroutines. Each has a scratch of its own, a *S, which is kept.
type workers[S any] struct {
	limit   int // the number of goroutines at most; 0 means one for each core
	scratch func() *S
	do      func(s *S, part int) error
	kept    []*S
}

// newWorkers returns workers that run parts by do.
func newWorkers[S any](scratch func() *S, do func(s *S, part int) error) *workers[S] {
	return &workers[S]{scratch: scratch, do: do}
}

// each runs every part in [0, n) and waits for all. A free worker takes the next part. The error is
// that of the first part in order that returned one; later parts may then be left out.
func (w *workers[S]) each(n int) error {
	count := min(cmp.Or(w.limit, runtime.GOMAXPROCS(0)), n)
	for len(w.kept) < count {
		w.kept = append(w.kept, w.scratch())
	}
	var next atomic.Int64
	var running sync.WaitGroup
	failed := make([]error, n)
	for _, s := range w.kept[:count] {
		running.Go(func() {
			for part := int(next.Add(1)) - 1; part < n; part = int(next.Add(1)) - 1 {
				if failed[part] = w.do(s, part); failed[part] != nil {
					next.Store(int64(n))
				}
			}
		})
	}
	running.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}
