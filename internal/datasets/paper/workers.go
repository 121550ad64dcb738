package paper

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// workers divide numbered parts among goroutines. Each has a scratch of its own, a *S. A call of each
// allocates nothing but new scratches.
type workers[S any] struct {
	limit   int // the number of goroutines at most; 0 means one for each core
	scratch func() *S
	do      func(s *S, part int) error
	kept    []worker[S]

	// of the current call of each
	parts   int
	next    atomic.Int64
	helpers sync.WaitGroup
	mu      sync.Mutex
	first   int // the first part in order that failed
	err     error
}

type worker[S any] struct {
	scratch *S
	help    func() // runs parts on a goroutine of its own
}

// newWorkers returns workers that run parts by do.
func newWorkers[S any](scratch func() *S, do func(s *S, part int) error) *workers[S] {
	return &workers[S]{scratch: scratch, do: do}
}

// each runs every part in [0, n) and waits for all. A free worker takes the next part. The error is
// that of the first part in order that returned one; later parts may then be left out.
func (w *workers[S]) each(n int) error {
	limit := w.limit
	if limit == 0 {
		limit = runtime.GOMAXPROCS(0)
	}
	count := min(limit, n)
	for len(w.kept) < count {
		s := w.scratch()
		w.kept = append(w.kept, worker[S]{s, func() {
			w.drain(s)
			w.helpers.Done()
		}})
	}
	w.parts, w.first, w.err = n, n, nil
	w.next.Store(0)
	w.helpers.Add(max(0, count-1))
	for i := 1; i < count; i++ {
		go w.kept[i].help()
	}
	if count > 0 {
		w.drain(w.kept[0].scratch)
	}
	w.helpers.Wait()
	return w.err
}

// drain runs parts until there is none left.
func (w *workers[S]) drain(s *S) {
	for part := int(w.next.Add(1)) - 1; part < w.parts; part = int(w.next.Add(1)) - 1 {
		if err := w.do(s, part); err != nil {
			w.next.Store(int64(w.parts))
			w.mu.Lock()
			if part < w.first {
				w.first, w.err = part, err
			}
			w.mu.Unlock()
		}
	}
}
