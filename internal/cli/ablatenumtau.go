package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
)

type ablateNumTauOptions struct {
	ablateFlags
	configs, runs []string
}

// testedLevels are the paper's numbers of quantile levels at test time.
var testedLevels = []int{3, 5, 7, 9, 11}

func newAblateNumTau(a *app) *cobra.Command {
	var o ablateNumTauOptions
	cmd := &cobra.Command{
		Use:   "num-tau (--run DIR… | --config FILE…) --out DIR",
		Short: "Evaluate with few quantile levels",
		Long: `Evaluate ACQNP and CQNP with 3, 5, 7, 9 and 11 quantile levels, evenly spaced, as the paper's figure 4 left. Runs are
taken as they are; configurations are trained first, once for each seed, in --out. Interrupted, the same command goes on
with the training.`,
		Example: `  acqnp ablate num-tau --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out ablation
  acqnp ablate num-tau --config configs/lissajous/acqnp.yaml --config configs/lissajous/cqnp.yaml --full --out ablation`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runAblateNumTau(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd)
	cmd.Flags().StringArrayVar(&o.configs, "config", nil, "configuration `FILE` to train, repeatable")
	cmd.Flags().StringArrayVar(&o.runs, "run", nil, "run `DIR`, repeatable")
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
	must(cmd.MarkFlagDirname("run"))
	cmd.MarkFlagsOneRequired("run", "config")
	cmd.MarkFlagsMutuallyExclusive("run", "config")
	for _, flag := range []string{"seeds", "steps", "set"} { // runs have been trained already
		cmd.MarkFlagsMutuallyExclusive("run", flag)
	}
	return cmd
}

func runAblateNumTau(ctx context.Context, a *app, o *ablateNumTauOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	trials, err := o.trials()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range trials {
		t := &trials[i]
		if name := t.e.Model.Name; name != "acqnp" && name != "cqnp" {
			return &input.Error{File: t.dir, Key: "model.name", Found: name, Expected: "acqnp or cqnp, which have quantile levels"}
		}
		if path := filepath.Clean(t.dir); seen[path] {
			return &input.Error{File: t.dir, Found: "the same run twice", Expected: "different runs"}
		} else {
			seen[path] = true
		}
		t.values = testedLevels
		t.evaluate = func(value int) (int, string, string) {
			return value, predict.GridLevels, fmt.Sprintf("%d levels", value)
		}
	}
	return o.run(ctx, a, trials, ablation{title: "number of quantile levels at test time",
		variable: "quantile levels", column: "num_tau", name: "num-tau"})
}

func (o *ablateNumTauOptions) trials() ([]trial, error) {
	var trials []trial
	for _, dir := range o.runs {
		chosen := modelFlags{run: dir}
		e, err := chosen.experiment()
		if err == nil {
			e, err = chosen.experiment(o.batchOverride(e)...)
		}
		if err != nil {
			return nil, err
		}
		trials = append(trials, trial{e: e, dir: dir})
	}
	for _, file := range o.configs {
		for _, seed := range o.seeds {
			e, err := o.experiment(file, seed)
			if err != nil {
				return nil, err
			}
			trials = append(trials, trial{e: e, train: true, dir: o.runDir(e)})
		}
	}
	return trials, nil
}

// runDir is where a run is trained.
func (o *ablateFlags) runDir(e config.Experiment) string {
	return filepath.Join(o.out, "runs", e.Benchmark, e.Model.Name, "seed-"+strconv.FormatUint(e.Train.Seed, 10))
}
