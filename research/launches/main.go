// Command launches says how long each kernel launch of a training step on a GPU takes, by events before and after
// it, one after another, below what acqnp bench says of whole steps. In a step launches start sooner and may
// overlap. It is built with the CUDA engine: make gpu-check packs it.
//
//	launches --config configs/lissajous/acqnp.yaml --points 53 --precision fp16
//
// Build it from a checkout of an earlier commit, with this folder copied into it, to time that one's kernels.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run/version"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/internal/train/bench"
)

const (
	repeats = 20                     // of each launch
	rise    = 500 * time.Millisecond // of steps before, so that the clock rises
)

// options are the flags.
type options struct {
	config    string
	set       []string
	points    int
	steps     int
	precision string
	dataDir   string
}

func main() {
	var o options
	flag.StringVar(&o.config, "config", "", "configuration (YAML)")
	flag.Func("set", "KEY=VALUE that overrides the configuration's, repeatable", func(s string) error {
		o.set = append(o.set, s)
		return nil
	})
	flag.IntVar(&o.points, "points", 0, "points of each function, half of them context; 0 for the benchmark's")
	flag.IntVar(&o.steps, "steps", 20, "whole steps to time")
	flag.StringVar(&o.precision, "precision", device.AutoPrecision, "auto, fp32 or fp16")
	flag.StringVar(&o.dataDir, "data-dir", "data", "directory of the data sets")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "launches:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, o options, w io.Writer) error {
	e, err := bench.Experiment(o.config, config.Overrides{Set: o.set, Env: os.Environ}, o.points)
	if err != nil {
		return err
	}
	d, err := device.Request{Choice: "cuda", Precision: o.precision, Version: version.String()}.Open()
	if err != nil {
		return err
	}
	defer d.Close()
	source, err := benchmark.Open(e, o.dataDir)
	if err != nil {
		return err
	}
	r, err := bench.Measure(ctx, bench.Options{Experiment: e, Source: source, DataDir: o.dataDir, Device: d, Threads: 1, Points: o.points,
		Steps: o.steps, Version: version.String(), Progress: progress.New(os.Stderr, progress.Auto)})
	if err != nil {
		return err
	}
	if err := r.Print(w); err != nil {
		return err
	}
	t := &timer{Device: d}
	begin := func(train.Update) { t.armed = true }
	if _, err := train.Bench(ctx, train.Options{Experiment: e, Source: source, DataDir: o.dataDir, Device: t, WarmUp: rise, OnStep: begin}, 1, 1); err != nil {
		return err
	}
	return show(w, d.Name(), t.launches)
}

// A timer is a GPU whose trainers time the launches of a step, once armed, instead of making it.
type timer struct {
	device.Device
	armed    bool
	launches []cuda.LaunchTime
}

func (t *timer) Trainer(g *ops.Graph, o device.Training) (engine.Trainer, error) {
	made, err := t.Device.Trainer(g, o)
	return timed{made, t}, err
}

type timed struct {
	engine.Trainer
	timer *timer
}

func (t timed) Step(e ops.Extents, batch int, rate float64) (err error) {
	if !t.timer.armed {
		return t.Trainer.Step(e, batch, rate)
	}
	of, ok := t.Trainer.(*cuda.Trainer)
	if !ok {
		return errors.New("the device has no launches of kernels")
	}
	t.timer.launches, err = of.TimeLaunches(e, batch, rate, repeats)
	return err
}

// show writes the launches as a table.
func show(w io.Writer, device string, launches []cuda.LaunchTime) error {
	fmt.Fprintf(w, "\nLaunches of a step, timed one by one by events (median and least of %d):\n", repeats)
	if strings.Contains(device, "(simt,") {
		fmt.Fprintln(w, "This GPU is emulated: the times mean nothing.")
	}
	row := func(kernel string, blocks any, median, least float64) {
		fmt.Fprintf(w, "%-28s %8v %12.1f %12.1f\n", kernel, blocks, median, least)
	}
	fmt.Fprintf(w, "%-28s %8s %12s %12s\n", "kernel", "blocks", "median, µs", "least, µs")
	var median, least float64
	early := 0
	for _, l := range launches {
		if l.Early {
			early++
		}
		m, s := l.Median.Seconds()*1e6, l.Least.Seconds()*1e6
		row(l.Kernel, l.Blocks, m, s)
		median, least = median+m, least+s
	}
	row(fmt.Sprintf("all %d, one after another", len(launches)), "", median, least)
	if early == 0 {
		_, err := fmt.Fprintln(w, "In a step each starts when those before it have ended; an earlier start needs compute capability 9.0 and a driver of CUDA 12.3.")
		return err
	}
	_, err := fmt.Fprintf(w, "In a step %d of them start before the one before them has ended, and wait for it.\n", early)
	return err
}
