// Command coverage measures what calibrated intervals hold, through the whole path of a user. It simulates
// data sets of 15 to 60 groups. On each it runs init --hold-back, train, score --calibrate and predict
// --use-calibration; or with --fit, on 3 to 2,000 groups, fit and predict. It then counts the outcomes of new groups
// inside the intervals and the highest-density regions of 50% and 90%, for fit also by the number of known points.
// With --zeros, a third of the outcomes is exactly 0.
//
//	go build ./cmd/acqnp
//	go run -C research ./coverage --program ../acqnp --out ../bin/coverage.csv
//
// It prints a table and exits with 1 if a calibrated share is off by more than chance. The CSV file has
// a row for each data set; sets that it has already are not run again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
)

// options are the flags.
type options struct {
	program, out, dir string
	sets              int
	fit, instant      bool
	zeros             bool
	jobs, newGroups   int
	groups            int // of each data set; 0 for what it draws
}

func main() {
	var o options
	flag.StringVar(&o.program, "program", "../acqnp", "the program")
	flag.StringVar(&o.out, "out", "coverage.csv", "CSV file for the shares of each data set")
	flag.StringVar(&o.dir, "dir", "", "directory for the data sets and runs; a temporary one by default")
	flag.IntVar(&o.sets, "sets", 200, "number of data sets")
	flag.BoolVar(&o.fit, "fit", false, "fit, instead of init, train and score")
	flag.BoolVar(&o.instant, "instant", false, "with --fit, fit --instant")
	flag.BoolVar(&o.zeros, "zeros", false, "with --fit, outcomes of 0 or more: what would be less is 0")
	flag.IntVar(&o.jobs, "jobs", 2, "data sets at a time, each on one thread")
	flag.IntVar(&o.groups, "groups", 0, "groups of each data set; 15 to 60 by default, with --fit 3 to 2,000")
	flag.IntVar(&o.newGroups, "new", 40, "new groups of each data set")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run runs all data sets, some at a time, and prints the table. It reports whether all shares are what
// they should be.
func run(ctx context.Context, o options) (bool, error) {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "coverage-")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	results, err := readResults(o.out)
	if err != nil {
		return false, err
	}
	queue := make(chan int)
	var workers sync.WaitGroup
	var mutex sync.Mutex
	var failed error
	for range max(o.jobs, 1) {
		workers.Go(func() {
			for i := range queue {
				r, err := measure(ctx, o, i)
				mutex.Lock()
				if err == nil {
					results[i] = r
					err = writeResults(o.out, results)
				}
				if failed == nil {
					failed = err
				}
				mutex.Unlock()
			}
		})
	}
	for i := range o.sets {
		mutex.Lock()
		_, done := results[i]
		stop := failed != nil || ctx.Err() != nil
		mutex.Unlock()
		if stop {
			break
		}
		if !done {
			queue <- i
		}
	}
	close(queue)
	workers.Wait()
	if failed != nil {
		return false, failed
	}
	return summarise(os.Stdout, results, o.fit), ctx.Err()
}
