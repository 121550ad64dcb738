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
		Long: `acqnp trains conditional neural processes (CNP, CANP, BNP, CQNP, ACQNP), evaluates them, and writes the quantiles
they predict for points of your own.

The environment can set what flags set, which win: ACQNP_DATA_DIR, ACQNP_DEVICE, ACQNP_PRECISION,
ACQNP_THREADS, ACQNP_QUIET, ACQNP_JSON; and every key of a configuration: ACQNP_TRAIN_STEPS is train.steps.

Exit status: 0 done; 1 failed; 2 wrong usage, configuration or input; 130 stopped by SIGINT, SIGTERM or SIGHUP.`,
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
	root.PersistentFlags().BoolVar(&a.quiet, "quiet", false, "no progress on standard error, warnings and errors alone")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "results, progress and errors as JSON")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := refuseEmpty(cmd.Flags()); err != nil {
			return err
		}
		return fromEnvironment(cmd.Flags())
	}
	root.AddCommand(newTrain(a), newEval(a), newSample(a), newData(a), newExport(a), newPlot(a), newAblate(a), newReport(a), newBench(a), newDoctor(a))
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	fitIn(root)
	return root
}

// newHelp is cobra's help command, but for a wrong name, which is wrong usage here.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: "  acqnp help train\n  acqnp help data generate",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(topic, rest[0])
			}
			return topic.Help()
		},
	}
}

// runGroup is reached where no command of a group was named, or none that there is.
func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(group *cobra.Command, name string) error {
	text := fmt.Sprintf("unknown command %q", name)
	group.SuggestionsMinimumDistance = 2 // letters that may be wrong
	if near := group.SuggestionsFor(name); len(near) > 0 {
		text += ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

// fitIn gives the completion command that cobra brings along what ours have: examples, and an error for a wrong name.
func fitIn(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Example = "  acqnp completion bash > /etc/bash_completion.d/acqnp"
			c.Args, c.RunE = cobra.ArbitraryArgs, runGroup
			for _, shell := range c.Commands() {
				shell.Example = "  acqnp completion " + shell.Name()
			}
		}
	}
}
