package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/sweep/ablate"
)

type ablateDepthOptions struct {
	ablateFlags
	config string
}

func newAblateDepth(a *app) *cobra.Command {
	var o ablateDepthOptions
	cmd := &cobra.Command{
		Use:   "adaptor-depth --config FILE --out DIR",
		Short: "Train ψ with 1 to 5 hidden layers",
		Long: `Train ACQNP with 1 to 5 hidden layers in ψ, as wide as the configuration's, and evaluate each, as in
the right half of the paper's figure 4. Every depth and seed has its own run in --out. After an
interruption, the same command continues the training.`,
		Example: `  acqnp ablate adaptor-depth --config configs/lissajous/acqnp.yaml --out ablation
  acqnp ablate adaptor-depth --config configs/lissajous/acqnp.yaml --seeds 0..2 --set train.steps=5000 --out ablation`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runAblateDepth(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd)
	cmd.Flags().StringVarP(&o.config, "config", "c", "", "configuration `FILE` of an ACQNP")
	must(cmd.MarkFlagRequired("config"))
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	return cmd
}

func runAblateDepth(ctx context.Context, a *app, o *ablateDepthOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	trials, err := o.protocol().Depths(o.config)
	if err != nil {
		return err
	}
	return o.run(ctx, a, trials, []string{o.config}, ablate.Subject{Name: "adaptor-depth", Title: "depth of ψ on " + trials[0].Experiment.Benchmark,
		Variable: "hidden layers of ψ", Column: "depth"})
}
