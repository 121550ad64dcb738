// Package seeds trains one configuration from several seeds at once, on one device.
//
// A small network leaves most of a GPU idle. Each run has a goroutine and a handle of the device,
// which on a GPU is a stream of its own, so their steps overlap. On the CPU, the runs share the
// threads. A run computes the bits that it computes alone. It has its own directory, with its lock,
// checkpoints and metrics, and [train.Run] resumes it. If it fails, the others go on.
//
//	outcomes := seeds.Train(ctx, seeds.Options{Runs: runs, Open: open, OnCPU: true, Threads: 8, Progress: p})
package seeds

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/train"
)

// Most is the largest number of runs that share a machine.
const Most = 64

// Options say what to train and where.
type Options struct {
	Runs     []train.Options // each with a Dir and a Source of its own; Device is not read
	Open     device.Opener
	OnCPU    bool
	Threads  int // of the CPU, for all runs together, at least 1
	Progress progress.Reporter
}

// An Outcome is what train.Run returned for a run.
type Outcome struct {
	train.Result
	Err error
}

// Share returns how many of n runs are trained at a time, and the threads of each. On a GPU these are
// all runs; on the CPU, as many as there are threads.
func Share(n, threads int, onCPU bool) (atOnce, each int) {
	atOnce = n
	if onCPU {
		atOnce = min(n, threads)
	}
	return atOnce, max(1, threads/atOnce)
}

// Train trains all runs and returns their outcomes in order. It shows the sum of their steps, and warns
// of a run that fails as soon as it does. If ctx ends, every run that has begun writes a checkpoint;
// its error and that of runs that have not begun is train.ErrInterrupted.
func Train(ctx context.Context, o Options) []Outcome {
	atOnce, threads := Share(len(o.Runs), o.Threads, o.OnCPU)
	shown := newBoard(o.Progress, len(o.Runs))
	defer shown.end()
	outcomes := make([]Outcome, len(o.Runs))
	free := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, run := range o.Runs {
		all.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			if ctx.Err() != nil {
				outcomes[i].Err = train.ErrInterrupted
				return
			}
			r, err := one(ctx, run, o.Open, threads, &lane{board: shown, run: i})
			outcomes[i] = Outcome{r, err}
			if err != nil && ctx.Err() == nil {
				shown.warn(fmt.Sprintf("%s: %v", run.Dir, err))
			}
		})
	}
	all.Wait()
	return outcomes
}

// one trains a run on a handle of its own.
func one(ctx context.Context, o train.Options, open device.Opener, threads int, p progress.Reporter) (r train.Result, err error) {
	defer caught(&err)
	if o.Device, err = open(threads); err != nil {
		return r, err
	}
	defer func() {
		if closing := o.Device.Close(); err == nil {
			err = closing
		}
	}()
	datasets.SetThreads(o.Source, threads)
	return train.RunShown(ctx, o, threads, p)
}

// caught turns a panic into an error, so that it does not end the other runs.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error: %v", p)
	}
}

// Failure returns the error of the whole: nil if all runs have ended, train.ErrInterrupted if some have
// not, otherwise how many failed. If all failed, it is the error of the first.
func Failure(runs []train.Options, outcomes []Outcome) error {
	failed, first := 0, -1
	for i, o := range outcomes {
		switch {
		case errors.Is(o.Err, train.ErrInterrupted):
			return train.ErrInterrupted
		case o.Err != nil && first < 0:
			first = i
			fallthrough
		case o.Err != nil:
			failed++
		}
	}
	switch failed {
	case 0:
		return nil
	case len(outcomes):
		return outcomes[first].Err
	}
	return fmt.Errorf("%d of %d runs failed; %s: %v", failed, len(outcomes), runs[first].Dir, outcomes[first].Err)
}
