package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/benchmark"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/train"
)

type benchOptions struct {
	settings
	config string
	set    []string
	points int // 0: as the benchmark draws them
	steps  int
}

func newBench(a *app) *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench --config FILE",
		Short: "Measure how fast a model trains",
		Long: `Measure training steps of a configuration: all of a step counts, from making its batch to Adam. Nothing is written.

Rows are functions × points × quantile levels (bootstraps for bnp, no factor for cnp and canp). FLOPs are counted from
the model: two for each multiply-add of its products, forward and backward, without what is computed twice. The
peak is what multiply-adds of float32 in registers alone reach on as many threads, measured before and after the steps
(on the CPU alone); kernels that multiply by matrix tiles (amx) may pass it. Memory is the most that the process had
resident.`,
		Example: `  acqnp bench --config configs/lissajous/acqnp.yaml --points 53
  acqnp bench --config configs/mnist/canp.yaml --data-dir data --steps 5 --threads 2 --json`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runBench(cmd.Context(), a, o) }),
	}
	o.addFlags(a, cmd)
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "configuration `FILE` (YAML)")
	f.StringArrayVar(&o.set, "set", nil, "`KEY=VALUE` in place of the configuration's, repeatable: train.batch_size=32")
	f.IntVar(&o.points, "points", 0, "`NUMBER` of points of every function, half of them context; 0: as the benchmark draws them")
	f.IntVar(&o.steps, "steps", 20, "`NUMBER` of steps to time, after a few that do not count")
	must(cmd.MarkFlagRequired("config"))
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	return cmd
}

func runBench(ctx context.Context, a *app, o benchOptions) error {
	const warmup = 3
	if err := o.checkBench(); err != nil {
		return err
	}
	e, err := o.experiment()
	if err != nil {
		return err
	}
	source, err := datasets.Open(e, o.dataDir)
	if err != nil {
		return err
	}
	p := a.progress()
	p.Note(fmt.Sprintf("timing %s on %s on %s", e.Model.Name, e.Benchmark, o.device),
		progress.Field{Name: "device", Value: o.device.Name()}, progress.Field{Name: "threads", Value: o.cores()})
	before := o.peak()
	timings, err := o.time(ctx, e, source, warmup, p)
	if err != nil {
		return err
	}
	r := summarise(timings, max(before, o.peak()))
	r.Benchmark, r.Model, r.Device, r.Threads = e.Benchmark, e.Model.Name, o.device.Name(), o.cores()
	r.Points, r.Steps, r.Version = o.points, o.steps, version()
	r.Kernels = o.device.Kernels()
	return a.result(r, r.print)
}

// peak is that of the processor, where it is what computes; 0: unknown.
func (o *benchOptions) peak() float64 {
	if o.device.Name() != "cpu" {
		return 0
	}
	return device.FMAPeak(o.cores())
}

func (o *benchOptions) checkBench() error {
	if err := o.check(); err != nil {
		return err
	}
	if o.points != 0 {
		if err := checkRange("--points", o.points, leastPoints, mostPoints); err != nil {
			return err
		}
	}
	return checkRange("--steps", o.steps, 1, 1_000_000)
}

// The bounds of --points.
const (
	leastPoints = 4 // three points of context and a target
	mostPoints  = config.MaxPoints
)

// experiment is the configuration with what the environment and the flags change.
func (o *benchOptions) experiment() (config.Experiment, error) {
	over := config.Overrides{Set: o.set, Env: os.Environ}
	e, err := config.Load(o.config, over)
	if err != nil || o.points == 0 {
		return e, err
	}
	if over.Flags, err = fixedPoints(e, o.points); err != nil {
		return e, err
	}
	return config.Load(o.config, over)
}

// fixedPoints are the keys that give every training batch n points of each function, max(3, n/2) of them context.
func fixedPoints(e config.Experiment, n int) ([]config.Flag, error) {
	context := max(3, n/2)
	flag := func(key string, value ...int) config.Flag {
		text := strconv.Itoa(value[0])
		if len(value) == 2 {
			text = fmt.Sprintf("[%d, %d]", value[0], value[1])
		}
		return config.Flag{Name: "--points", Key: key, Value: text}
	}
	b, _ := benchmark.Find(e.Benchmark)
	switch {
	case b.Kind == benchmark.CSV:
		return []config.Flag{flag("data.points", n, n), flag("data.context", context, context)}, nil
	case len(e.Data.Points) == 0:
		return nil, &input.Error{File: "--points", Found: strconv.Itoa(n),
			Expected: "no such flag: " + e.Benchmark + " has functions of a fixed number of points"}
	}
	evalContext := max(e.Eval.MaxContext, context) // an evaluation, which there is none of here, must have room for the context
	return []config.Flag{
		flag("data.points", n, n), flag("data.min_context", context), flag("data.min_targets", n-context),
		flag("eval.max_context", evalContext), flag("eval.num_points", max(e.Eval.NumPoints, evalContext+1)),
	}, nil
}

// time makes the steps and shows how far they are.
func (o *benchOptions) time(ctx context.Context, e config.Experiment, source datasets.Source, warmup int, p progress.Reporter) ([]train.Timing, error) {
	p.Begin("bench", "step", 0, warmup+o.steps)
	defer p.End()
	return train.Bench(ctx, train.Options{
		Experiment: e, DataDir: o.dataDir, Device: o.device, Source: source,
		OnStep: func(u train.Update) { p.Update(progress.State{Done: u.Step, RowsPerSecond: u.RowsPerSecond}) },
	}, warmup, o.steps)
}
