package cli

import (
	"cmp"
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
)

type generateOptions struct {
	settings
	config string
	out    string
	batchFlags
	seed uint64
}

func newDataGenerate(a *app) *cobra.Command {
	var o generateOptions
	cmd := &cobra.Command{
		Use:   "generate --config FILE --out FILE",
		Short: "Write the evaluation batches of a configuration as a tasks file",
		Long: `Write the evaluation batches of a configuration to a tasks file (safetensors), which acqnp eval
--tasks reads. Without a tasks file, acqnp eval makes the same batches itself.`,
		Example: `  acqnp data generate --config configs/lissajous/acqnp.yaml --out tasks.safetensors
  acqnp data generate --config configs/rbf/cnp.yaml --out tasks.safetensors --batches 100 --seed 1`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runDataGenerate(cmd.Context(), a, o) }),
	}
	o.addDataDir(cmd)
	o.batchFlags.addFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.config, "config", "c", "", "configuration `FILE` (YAML)")
	f.StringVarP(&o.out, "out", "o", "", "`FILE` for the tasks (safetensors)")
	f.Uint64Var(&o.seed, "seed", 0, "`SEED` of what the command draws: the batches (default the configuration's eval.seed)")
	a.addOverwrite(cmd)
	must(cmd.MarkFlagRequired("config"))
	must(cmd.MarkFlagRequired("out"))
	return cmd
}

// generateSummary is the result of data generate.
type generateSummary struct {
	Out       string `json:"out"`
	Benchmark string `json:"benchmark"`
	Batches   int    `json:"batches"`
	Seed      uint64 `json:"seed"`
}

func runDataGenerate(ctx context.Context, a *app, o generateOptions) error {
	if err := cmp.Or(o.checkBatches(), device.CheckCPUKernels()); err != nil {
		return err
	}
	flags := o.overrides()
	if o.given("seed") {
		flags = append(flags, seedFlag(o.seed))
	}
	e, err := config.Load(o.config, config.Overrides{Flags: flags, Env: os.Environ})
	if err != nil {
		return err
	}
	inputs := append(benchmark.Files(e, o.dataDir), o.config)
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}, inputs...); err != nil {
		return err
	}
	source, err := benchmark.Open(e, o.dataDir)
	if err != nil {
		return err
	}
	defer source.End()
	n := source.Eval.Count
	p := a.progress()
	p.Begin("generate", "batch", 0, n)
	err = datasets.WriteTasks(ctx, o.out, e.Benchmark, source, n, func(done int) { p.Update(progress.State{Done: done}) })
	p.End()
	if err != nil {
		return err
	}
	s := generateSummary{Out: o.out, Benchmark: e.Benchmark, Batches: n, Seed: e.Eval.Seed}
	return a.line(s, "%s: %s of %s, seed %d", s.Out, invalid.Plural(n, "batch", "batches"), s.Benchmark, s.Seed)
}
