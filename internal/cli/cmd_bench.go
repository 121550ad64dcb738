package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run/version"
	"github.com/acqnp/acqnp/internal/train/bench"
)

type benchOptions struct {
	settings
	config string
	set    []string
	points int // 0 if the benchmark draws their number
	steps  int
}

var _ = command(thisMachine, 2, newBench)

func newBench(a *app) *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench --config FILE",
		Short: "Measure how fast a model trains",
		Long: `Time whole training steps, from making the batch to Adam. Nothing is written.

A row is one quantile level of one point of one group; for bnp, one bootstrap of a point; for cnp
and canp, a point. FLOPs are those of the model's matrix products, forward and backward, two for each
multiply-add, each product counted once. On a CPU, the peak is the rate of float32 multiply-adds in
registers on as many threads, measured before and after the steps. AMX kernels and bf16 may exceed
it. Memory is the maximum resident memory of the process.

A GPU computes for half a second before steps are timed. It is waited for before the first and after
the last timed step, not between them.`,
		Example: `  acqnp bench --config configs/lissajous/acqnp.yaml --points 53
  acqnp bench --config configs/lissajous/acqnp.yaml --device cpu --precision bf16
  acqnp bench --config configs/mnist/canp.yaml --data-dir data --steps 5 --threads 2 --json`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runBench(cmd.Context(), a, o) }),
	}
	o.addFlags(a, cmd)
	f := cmd.Flags()
	f.StringVarP(&o.config, "config", "c", "", "configuration `FILE` (YAML)")
	f.StringArrayVar(&o.set, "set", nil, "`KEY=VALUE` that overrides the configuration's, repeatable: train.batch_size=32")
	f.IntVar(&o.points, "points", 0, "`NUMBER` of points of each group, half of them context; 0 for the benchmark's")
	f.IntVar(&o.steps, "steps", 20, "`NUMBER` of training steps to time, after a few to warm up")
	must(cmd.MarkFlagRequired("config"))
	return cmd
}

func runBench(ctx context.Context, a *app, o benchOptions) error {
	if err := firstError(o.openDevice, o.checkBench); err != nil {
		return err
	}
	e, err := bench.Experiment(o.config, config.Overrides{Set: o.set, Env: os.Environ}, o.points)
	if err != nil {
		return err
	}
	source, err := benchmark.Open(e, o.dataDir)
	if err != nil {
		return err
	}
	defer source.End()
	source.SetThreads(o.threads)
	p := a.progress()
	p.Note(fmt.Sprintf("timing %s on %s on %s", e.Named(), e.Benchmark, o.device),
		progress.Field{Name: "device", Value: o.device.Name()}, progress.Field{Name: "threads", Value: o.cores()})
	r, err := bench.Measure(ctx, bench.Options{Experiment: e, Source: source, DataDir: o.dataDir, Device: o.device,
		Threads: o.cores(), Points: o.points, Steps: o.steps, Version: version.String(), Progress: p})
	if err != nil {
		return err
	}
	return a.result(r, r.Print)
}

// checkBench checks the flags for the device.
func (o *benchOptions) checkBench() error {
	if o.points != 0 {
		if err := checkRange("--points", o.points, bench.LeastPoints, bench.MostPoints); err != nil {
			return err
		}
	}
	return checkRange("--steps", o.steps, 1, 1_000_000)
}
