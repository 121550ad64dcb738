package draft

import (
	"context"
	"sync"

	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/train"
)

// runTrials runs trials, each on one thread. Their outcomes do not depend on how many run at a time.
func (s *search) runTrials(ctx context.Context, jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type done struct {
		job   *job
		trial train.Trial
		err   error
	}
	queue, results := make(chan *job), make(chan done)
	var workers sync.WaitGroup
	for range min(max(s.o.Threads, 1), len(jobs)) {
		workers.Go(func() {
			for j := range queue {
				j.options.Device = device.CPU(1)
				trial, err := train.Try(ctx, j.options)
				results <- done{j, trial, err}
			}
		})
	}
	go func() {
		defer close(queue)
		for _, j := range jobs {
			select {
			case queue <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { workers.Wait(); close(results) }()
	s.o.Progress.Begin("init", "trial", 0, len(jobs))
	defer s.o.Progress.End()
	var failed error
	finished := 0
	for d := range results {
		if err := s.settle(d.job, d.trial, d.err); err != nil && failed == nil {
			failed = err
			cancel()
		}
		finished++
		s.o.Progress.Update(progress.State{Done: finished})
	}
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}
