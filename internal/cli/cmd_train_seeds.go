package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/internal/train/seeds"
)

// seedsSummary is the result of train --seeds: the runs that have ended, in the order of the seeds.
type seedsSummary struct {
	Runs []trainSummary `json:"runs"`
}

// runSeeds trains a run for each of the seeds, and then evaluates one after another.
func runSeeds(ctx context.Context, a *app, o trainOptions) error {
	list := o.seeds.seeds()
	if err := checkRange("seeds given with --seeds", len(list), 1, seeds.Most); err != nil {
		return err
	}
	each := make([]trainOptions, len(list))
	runs := make([]train.Options, len(list))
	for i, seed := range list {
		var err error
		if each[i], runs[i], err = o.seeded(seed); err != nil {
			return err
		}
	}
	p := a.progress()
	outcomes, err := o.together(ctx, runs, p)
	if err != nil {
		return err
	}
	failed := seeds.Failure(runs, outcomes)
	if errors.Is(failed, train.ErrInterrupted) {
		return failed
	}
	var all seedsSummary
	for i, outcome := range outcomes {
		if outcome.Err != nil {
			continue
		}
		s, err := each[i].conclude(ctx, runs[i], outcome.Result, p)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", runs[i].Dir, err))
		}
		all.Runs = append(all.Runs, s)
	}
	return errors.Join(failed, a.result(all, all.print))
}

// together trains runs of one model at once.
func (o *trainOptions) together(ctx context.Context, runs []train.Options, p progress.Reporter) ([]seeds.Outcome, error) {
	dx, dy := runs[0].Source.Dims()
	m, err := models.New(runs[0].Experiment.Model, dx, dy)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if err := train.CheckWeights(r, m); err != nil {
			return nil, err
		}
	}
	work := seeds.Options{Runs: runs, Open: o.another, OnCPU: o.device.Kernels() != "", Threads: o.cores(), Progress: p}
	if err := work.CheckMemory(); err != nil {
		return nil, err
	}
	return seeds.Train(ctx, work), nil
}

// seeded returns the options of the run of a seed. It refuses a directory that the run must not use.
func (o trainOptions) seeded(seed uint64) (trainOptions, train.Options, error) {
	o.seed = strconv.FormatUint(seed, 10)
	if o.runDir != "" {
		o.runDir = filepath.Join(o.runDir, "seed-"+o.seed)
	}
	e, source, err := o.prepare()
	if err == nil {
		err = o.checkNew(o.runDir)
	}
	return o, o.run(e, source), err
}

// checkNew refuses a directory with a run, unless that is to be resumed or removed.
func (o *trainOptions) checkNew(dir string) error {
	if o.resume || o.overwrite {
		return nil
	}
	return run.CheckNoRun(dir)
}

// another opens another handle of the device that check opened.
func (s *settings) another(threads int) (device.Device, error) {
	d, err := device.Request{Choice: s.choice, Precision: s.precision, Threads: threads}.Open()
	if err == nil && place(d) != place(s.device) { // auto fell back to the CPU
		return nil, errors.Join(fmt.Errorf("found the device %v, expected %v as for the other runs", d, s.device), d.Close())
	}
	return d, err
}

// place returns where a device computes: cpu, or a GPU with its number.
func place(d device.Device) string {
	name, _, _ := strings.Cut(d.Name(), " ")
	return name
}

func (s seedsSummary) print(w io.Writer) error {
	for _, r := range s.Runs {
		if err := r.print(w); err != nil {
			return err
		}
	}
	return nil
}
