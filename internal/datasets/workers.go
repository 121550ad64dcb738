package datasets

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Threaded is a source that makes a batch on several goroutines. The batch does not depend on their
// number.
type Threaded interface {
	// SetThreads sets their number; 0 means one for each core.
	SetThreads(n int)
}

// SetThreads sets the number of goroutines on which a source makes a batch, if it has several; 0
// means one for each core.
func SetThreads(source any, n int) {
	if t, ok := source.(Threaded); ok {
		t.SetThreads(n)
	}
}

// workers divide numbered tasks among goroutines. Each has a scratch of its own, a *S.
type workers[S any] struct {
	limit   int // the number of goroutines at most; 0 means one for each core
	scratch func() *S
	kept    []*S
}

func newWorkers[S any](scratch func() *S) workers[S] { return workers[S]{scratch: scratch} }

// each runs do for every task in [0, n) and waits for all. A free worker takes the next task. The
// error is that of the first task in order that returned one; later tasks may then be left out.
func (w *workers[S]) each(n int, do func(s *S, task int) error) error {
	limit := w.limit
	if limit == 0 {
		limit = runtime.GOMAXPROCS(0)
	}
	count := min(limit, n)
	for len(w.kept) < count {
		w.kept = append(w.kept, w.scratch())
	}
	var next atomic.Int64
	var mu sync.Mutex
	var failed error
	first := n // the task that failed
	drain := func(s *S) {
		for task := int(next.Add(1)) - 1; task < n; task = int(next.Add(1)) - 1 {
			if err := do(s, task); err != nil {
				next.Store(int64(n))
				mu.Lock()
				if task < first {
					first, failed = task, err
				}
				mu.Unlock()
			}
		}
	}
	var helpers sync.WaitGroup
	for _, s := range w.kept[min(1, count):count] {
		helpers.Go(func() { drain(s) })
	}
	if count > 0 {
		drain(w.kept[0])
	}
	helpers.Wait()
	return failed
}
