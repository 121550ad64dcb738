package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/progress"
)

type generateOptions struct {
	settings
	config  string
	out     string
	batches int // 0: the configuration's
	seed    uint64
	given   func(flag string) bool
}

func newDataGenerate(a *app) *cobra.Command {
	var o generateOptions
	cmd := &cobra.Command{
		Use:   "generate --config FILE --out FILE",
		Short: "Write the evaluation batches of a configuration as a tasks file",
		Long: `Write the evaluation batches of a configuration as a tasks file (safetensors), which acqnp eval --tasks reads: the
same batches that acqnp eval makes itself without one.`,
		Example: `  acqnp data generate --config configs/lissajous/acqnp.yaml --out tasks.safetensors
  acqnp data generate --config configs/rbf/cnp.yaml --out tasks.safetensors --batches 100 --seed 1`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error {
			o.given = cmd.Flags().Changed
			return runDataGenerate(cmd.Context(), a, o)
		}),
	}
	o.addDataDir(cmd)
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "configuration `FILE` (YAML)")
	f.StringVar(&o.out, "out", "", "tasks `FILE` to write")
	f.IntVar(&o.batches, "batches", 0, "how many batches (default the configuration's)")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the batches (default the configuration's eval.seed)")
	must(cmd.MarkFlagRequired("config"))
	must(cmd.MarkFlagRequired("out"))
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	must(cmd.MarkFlagFilename("out", "safetensors"))
	return cmd
}

// overrides are the flags as keys of the configuration.
func (o *generateOptions) overrides() []config.Flag {
	var flags []config.Flag
	if o.given("batches") {
		flags = append(flags, config.Flag{Name: "--batches", Key: "eval.batches", Value: strconv.Itoa(o.batches)})
	}
	if o.given("seed") {
		flags = append(flags, config.Flag{Name: "--seed", Key: "eval.seed", Value: strconv.FormatUint(o.seed, 10)})
	}
	return flags
}

// generateSummary is the result of data generate.
type generateSummary struct {
	Out       string `json:"out"`
	Benchmark string `json:"benchmark"`
	Batches   int    `json:"batches"`
	Seed      uint64 `json:"seed"`
}

func runDataGenerate(ctx context.Context, a *app, o generateOptions) error {
	if err := checkOutput("--out", o.out); err != nil {
		return err
	}
	e, err := config.Load(o.config, config.Overrides{Flags: o.overrides(), Env: os.Environ})
	if err != nil {
		return err
	}
	source, err := datasets.Open(e, o.dataDir)
	if err != nil {
		return err
	}
	n := source.EvalBatches()
	p := a.progress()
	p.Begin("generate", "batch", 0, n)
	err = datasets.WriteTasks(ctx, o.out, source, n, func(done int) { p.Update(progress.State{Done: done}) })
	p.End()
	if err != nil {
		return err
	}
	s := generateSummary{Out: o.out, Benchmark: e.Benchmark, Batches: n, Seed: e.Eval.Seed}
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s of %s, seed %d\n", s.Out, plural(n, "batch", "batches"), s.Benchmark, s.Seed)
		return err
	})
}
