package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
)

type ablateDepthOptions struct {
	ablateFlags
	config string
	depths []int
}

func newAblateDepth(a *app) *cobra.Command {
	var o ablateDepthOptions
	cmd := &cobra.Command{
		Use:   "adaptor-depth --config FILE --out DIR",
		Short: "Train ψ with 1 to 5 hidden layers",
		Long: `Train ACQNP with a ψ of 1 to 5 hidden layers, as wide as the configuration's, and evaluate each, as the paper's figure 4
right. Every depth and seed has a run of its own in --out. Interrupted, the same command goes on with the training.`,
		Example: `  acqnp ablate adaptor-depth --config configs/lissajous/acqnp.yaml --out ablation
  acqnp ablate adaptor-depth --config configs/lissajous/acqnp.yaml --depths 1,3,5 --seeds 0,1,2 --steps 5000 --out ablation`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runAblateDepth(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd)
	cmd.Flags().StringVar(&o.config, "config", "", "configuration `FILE` of an ACQNP")
	cmd.Flags().IntSliceVar(&o.depths, "depths", []int{1, 2, 3, 4, 5}, "`NUMBERS` of hidden layers of ψ")
	must(cmd.MarkFlagRequired("config"))
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	return cmd
}

// maxDepth is far beyond what the paper tries.
const maxDepth = 20

func runAblateDepth(ctx context.Context, a *app, o *ablateDepthOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := distinct("--depths", o.depths); err != nil {
		return err
	}
	for _, depth := range o.depths {
		if err := checkRange("--depths", depth, 1, maxDepth); err != nil {
			return err
		}
	}
	var trials []trial
	for _, depth := range o.depths {
		for _, seed := range o.seeds {
			t, err := o.trial(depth, seed)
			if err != nil {
				return err
			}
			trials = append(trials, t)
		}
	}
	return o.run(ctx, a, trials, ablation{title: "depth of ψ on " + trials[0].e.Benchmark,
		variable: "hidden layers of ψ", column: "depth", name: "adaptor-depth"})
}

// trial is one depth and seed.
func (o *ablateDepthOptions) trial(depth, seed int) (trial, error) {
	e, err := o.experiment(o.config, seed)
	if err != nil {
		return trial{}, err
	}
	if name := e.Model.Name; name != "acqnp" {
		return trial{}, &input.Error{File: o.config, Key: "model.name", Found: name, Expected: "acqnp, which has a ψ"}
	}
	widths := make([]string, depth)
	for i := range widths {
		widths[i] = strconv.Itoa(e.Model.Adaptor[0])
	}
	e, err = o.experiment(o.config, seed, config.Flag{Name: "--depths", Key: "model.adaptor", Value: "[" + strings.Join(widths, ", ") + "]"})
	return trial{e: e, train: true, dir: filepath.Join(o.out, fmt.Sprintf("depth-%d", depth), fmt.Sprintf("seed-%d", seed)),
		values: []int{depth},
		evaluate: func(int) (int, string, string) {
			return e.Eval.NumTau, predict.RandomLevels, fmt.Sprintf("depth %d", depth)
		}}, err
}
