package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot builds the tree of commands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "acqnp",
		Short: "Train conditional neural processes with quantile likelihoods, and predict with them",
		Long: `acqnp trains conditional neural processes (CNP, CQNP, ACQNP), evaluates them, and writes the quantiles
they predict for points of your own.

Every setting of the environment can be given as a flag, which wins: ACQNP_DATA_DIR, ACQNP_DEVICE, ACQNP_THREADS,
ACQNP_QUIET, ACQNP_JSON.

Exit status: 0 done; 1 failed; 2 wrong usage, configuration or input; 130 stopped by SIGINT or SIGTERM.`,
		Example: `  acqnp train --config configs/quickstart.yaml
  acqnp eval --run runs/quickstart/seed-0 --batches 100
  acqnp sample-quantiles --run runs/quickstart/seed-0 --context context.csv --grid=-2:2:200 --out quantiles.csv`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          runGroup,
	}
	root.SetVersionTemplate("acqnp {{.Version}}\n")
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.PersistentFlags().BoolVar(&a.quiet, "quiet", false, "no progress on standard error")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "results, progress and errors as JSON")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnvironment(cmd.Flags()) }
	root.AddCommand(newTrain(a), newEval(a), newSample(a), newData(a), newExport(a), newDoctor(a))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	giveExamples(root)
	return root
}

// runGroup is reached where no command of a group was named, or none that there is.
func runGroup(cmd *cobra.Command, args []string) error {
	cmd.SuggestionsMinimumDistance = 2 // letters that may be wrong
	if len(args) == 0 {
		return cmd.Help()
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

// giveExamples fills in the examples of the commands that cobra brings along.
func giveExamples(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Example = "  acqnp help train"
		case "completion":
			c.Example = "  acqnp completion bash > /etc/bash_completion.d/acqnp"
			for _, shell := range c.Commands() {
				shell.Example = "  acqnp completion " + shell.Name()
			}
		}
	}
}
