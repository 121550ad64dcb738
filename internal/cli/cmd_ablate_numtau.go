package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/sweep/ablate"
)

type ablateNumTauOptions struct {
	ablateFlags
	configs, runs []string
}

func newAblateNumTau(a *app) *cobra.Command {
	var o ablateNumTauOptions
	cmd := &cobra.Command{
		Use:     "num-quantiles (--run DIR… | --config FILE…) --out DIR",
		Aliases: []string{"num-tau"}, // its former name
		Short:   "Evaluate with few quantile levels",
		Long: `Evaluate ACQNP and CQNP with 3, 5, 7, 9 and 11 evenly spaced quantile levels, as in the left half of
the paper's figure 4. Runs are evaluated as they are. Configurations are first trained in --out, once
for each seed. After an interruption, the same command continues the training.`,
		Example: `  acqnp ablate num-quantiles --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out ablation
  acqnp ablate num-quantiles --config configs/lissajous/acqnp.yaml --config configs/lissajous/cqnp.yaml --seeds 0..5 --out ablation`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runAblateNumTau(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd)
	cmd.Flags().StringArrayVarP(&o.configs, "config", "c", nil, "configuration `FILE` to train, repeatable")
	cmd.Flags().StringArrayVar(&o.runs, "run", nil, "run `DIR`, repeatable")
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	must(cmd.MarkFlagDirname("run"))
	cmd.MarkFlagsOneRequired("run", "config")
	cmd.MarkFlagsMutuallyExclusive("run", "config")
	for _, flag := range []string{"seeds", "set"} { // runs have been trained already
		cmd.MarkFlagsMutuallyExclusive("run", flag)
	}
	return cmd
}

func runAblateNumTau(ctx context.Context, a *app, o *ablateNumTauOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	trials, err := o.protocol().NumTau(o.configs, o.runs)
	if err != nil {
		return err
	}
	return o.run(ctx, a, trials, o.configs, ablate.Subject{Name: "num-tau", Title: "number of quantile levels at test time",
		Variable: "quantile levels", Column: "num_tau"})
}
