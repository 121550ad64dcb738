package cpu

import (
	"sync"
	"sync/atomic"
)

// pool runs numbered tasks on a fixed number of workers. The caller is worker 0. A free worker
// takes the next task.
type pool struct {
	workers int
	start   []chan struct{}
	done    sync.WaitGroup
	next    atomic.Int64
	tasks   int64
	run     func(worker, task int)
	closed  bool
}

func newPool(workers int) *pool {
	p := &pool{workers: workers}
	for w := 1; w < workers; w++ {
		start := make(chan struct{})
		p.start = append(p.start, start)
		go func() {
			for range start {
				p.drain(w)
				p.done.Done()
			}
		}()
	}
	return p
}

// each runs f for every task in [0, n) and waits for all.
func (p *pool) each(n int, f func(worker, task int)) {
	p.run, p.tasks = f, int64(n)
	p.next.Store(0)
	helpers := min(p.workers, n) - 1
	p.done.Add(max(0, helpers))
	for w := range max(0, helpers) {
		p.start[w] <- struct{}{}
	}
	p.drain(0)
	p.done.Wait()
}

func (p *pool) drain(worker int) {
	for {
		task := p.next.Add(1) - 1
		if task >= p.tasks {
			return
		}
		p.run(worker, int(task))
	}
}

func (p *pool) close() {
	if p.closed {
		return
	}
	p.closed = true
	for _, c := range p.start {
		close(c)
	}
}
