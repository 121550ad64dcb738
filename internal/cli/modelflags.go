package cli

import (
	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// modelFlags name a trained model: a run, or a configuration and a weights file.
type modelFlags struct{ predict.Stored }

// addFlags adds the flags.
func (f *modelFlags) addFlags(cmd *cobra.Command) {
	f.addRun(cmd)
	cmd.Flags().StringVarP(&f.Config, "config", "c", "", "configuration `FILE` of the model in --weights")
	cmd.Flags().StringVar(&f.Weights, "weights", "", "safetensors `FILE` with the weights under PyTorch's names")
	cmd.MarkFlagsOneRequired("run", "config")
	cmd.MarkFlagsMutuallyExclusive("run", "config")
	cmd.MarkFlagsMutuallyExclusive("checkpoint", "config")
	cmd.MarkFlagsRequiredTogether("config", "weights")
}

func (f *modelFlags) addRun(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Run, "run", "", "run `DIR`")
	cmd.Flags().StringVar(&f.Checkpoint, "checkpoint", run.Preferred, "`STEP` of the checkpoint to use, best or latest (default best, where there is one)")
}

// runArgument takes the directory of a run as an argument, as --run does.
func runArgument(cmd *cobra.Command, args []string) error {
	if err := cobra.MaximumNArgs(1)(cmd, args); err != nil || len(args) == 0 {
		return err
	}
	if cmd.Flags().Changed("run") {
		return &invalid.Input{File: "--run", Found: "it and the argument " + args[0], Expected: "one of them"}
	}
	return cmd.Flags().Set("run", args[0])
}
