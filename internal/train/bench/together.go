package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/train"
)

// Together compares several runs at once with one alone.
type Together struct {
	Runs     int     `json:"runs"`
	Threads  int     `json:"threads"` // of each run
	RowsPerS float64 `json:"rows_per_s"`
	Gain     float64 `json:"gain"` // over the rate of one run
}

// together times runs of the same steps at once, each on a handle of the device of its own, and returns
// their rate. alone is the rate of one run.
func (o Options) together(ctx context.Context, alone float64) (*Together, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &Together{Runs: o.Runs, Threads: max(1, o.Threads/o.Runs)}
	var warm, all sync.WaitGroup
	warm.Add(o.Runs)
	results := make([]outcome, o.Runs)
	for i := range results {
		all.Go(func() {
			met := sync.OnceFunc(warm.Done)
			defer met() // so that the others do not wait for a run that failed
			results[i] = o.beside(ctx, t.Threads, func() {
				met()
				warm.Wait()
			})
			if results[i].err != nil {
				cancel()
			}
		})
	}
	all.Wait()
	var errs []error
	var rows int
	var longest time.Duration
	for _, r := range results {
		errs = append(errs, r.err)
		rows, longest = rows+r.rows, max(longest, r.took)
	}
	if err := firstCause(errs); err != nil {
		return nil, err
	}
	t.RowsPerS = float64(rows) / max(longest, 1).Seconds()
	t.Gain = t.RowsPerS / alone
	return t, nil
}

// outcome is the work of one run after its warm-up, and the time that it took.
type outcome struct {
	rows int
	took time.Duration
	err  error
}

// beside times one of several runs. It calls meet after the warm-up, where the runs wait for each other.
func (o Options) beside(ctx context.Context, threads int, meet func()) (r outcome) {
	d, err := o.Open(threads)
	if err != nil {
		return outcome{err: err}
	}
	defer func() { r.err = errors.Join(r.err, d.Close()) }()
	source, err := datasets.Open(o.Experiment, o.DataDir)
	if err != nil {
		return outcome{err: err}
	}
	datasets.SetThreads(source, threads)
	timings, err := train.Bench(ctx, train.Options{
		Experiment: o.Experiment, DataDir: o.DataDir, Device: d, Source: source, WarmUp: o.warmUp(),
		OnStep: func(u train.Update) {
			if u.Step == warmup {
				meet()
			}
		},
	}, warmup, o.Steps)
	for _, t := range timings {
		r.rows, r.took = r.rows+t.Rows, r.took+t.Duration
	}
	r.err = err
	return r
}

// firstCause returns the first error that is not the end of the context, which another error causes.
func firstCause(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}
