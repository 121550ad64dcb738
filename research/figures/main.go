// Command figures draws the paper's figures from trained runs, as PNG, SVG or PDF.
//
//	go run -C research ./figures components --groups 2 --out FILE RUN...    # figure 1: levels, bootstraps and means
//	go run -C research ./figures levels --out FILE RUN...                      # figure 2: where the levels lie
//	go run -C research ./figures speed-flow --out FILE RUN...                  # figure 3: quantiles on two lanes
//	go run -C research ./figures completion --groups 3 --out FILE RUN...    # images from some of their pixels
//
// Runs are drawn side by side, or below each other. Paths are relative to research.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

// options are the flags.
type options struct {
	out    string
	sets   string // directory of the data sets
	seed   string // of the groups and of levels; "" for the runs' own
	groups int
}

// A kind is a figure: the runs that it takes, and how it is drawn.
type kind struct {
	takes func(figures.Run) error
	draw  func(ctx context.Context, runs []figures.Run, groups int) (figures.Figure, error)
}

var kinds = map[string]kind{
	"components": {oneDimensional, componentSheet},
	"levels":     {withLevels, levelSheet},
	"speed-flow": {ofLanes, laneSheet},
	"completion": {ofImages, newCompletion},
}

func main() {
	if err := write(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(2)
	}
}

func write(ctx context.Context, args []string) error {
	var o options
	f := flag.NewFlagSet("figures", flag.ContinueOnError)
	f.StringVar(&o.out, "out", "", "file of the figure: .png, .svg or .pdf")
	f.StringVar(&o.sets, "data-dir", "../data", "directory of the data sets")
	f.StringVar(&o.seed, "seed", "", "seed of the groups and of the levels; by default the runs' own")
	f.IntVar(&o.groups, "groups", 1, "number of groups, a row each")
	if len(args) == 0 || kinds[args[0]].draw == nil {
		return fmt.Errorf("found %q, expected components, levels, speed-flow or completion, flags, and runs", args)
	}
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	if _, err := figures.PlotFormat(o.out); err != nil {
		return err
	}
	if f.NArg() == 0 || o.groups < 1 {
		return fmt.Errorf("found %d runs and %d groups, expected one or more", f.NArg(), o.groups)
	}
	var runs []figures.Run
	for _, dir := range f.Args() {
		r, err := open(o, dir)
		if err == nil {
			err = kinds[args[0]].takes(r)
		}
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	figures.LabelRuns(runs)
	figure, err := kinds[args[0]].draw(ctx, runs, o.groups)
	if err != nil {
		return err
	}
	var w warning.Record
	err = figure.Save(o.out, &w)
	for _, line := range w.Lines() {
		fmt.Fprintln(os.Stderr, "warning:", line)
	}
	return err
}

// open opens a trained run with its data.
func open(o options, dir string) (figures.Run, error) {
	flags := func(config.Experiment) (set []config.Flag) {
		if o.seed != "" {
			set = append(set, config.Flag{Name: "--seed", Key: "eval.seed", Value: o.seed})
		}
		return set
	}
	stored := predict.Stored{Run: dir, Checkpoint: run.Preferred}
	e, err := stored.Experiment(flags)
	if err != nil {
		return figures.Run{}, err
	}
	return figures.OpenRun(stored, e, o.sets, device.CPU(0), func(line string) { fmt.Fprintln(os.Stderr, "warning:", line) })
}

func oneDimensional(r figures.Run) error {
	if dx, _ := r.Source.Dims(); dx != 1 {
		return refuse(r, strconv.Itoa(dx)+" columns of x", "one")
	}
	return nil
}

func withLevels(r figures.Run) error {
	if m := r.Experiment.Model; !m.HasLevels() {
		return refuse(r, m.Name, "acqnp, cqnp or model.head quantile-mixture, which have quantile levels")
	}
	return oneDimensional(r)
}

func ofLanes(r figures.Run) error {
	if r.Experiment.Benchmark != "speed-flow" {
		return refuse(r, r.Experiment.Benchmark, "speed-flow")
	}
	return nil
}

func ofImages(r figures.Run) error {
	if r.Source.Image.Height == 0 {
		return refuse(r, r.Experiment.Benchmark, "a benchmark of images")
	}
	return nil
}

func refuse(r figures.Run, found, expected string) error {
	return fmt.Errorf("%s: found %s, expected %s", strings.TrimSuffix(r.Dir, "/"), found, expected)
}
