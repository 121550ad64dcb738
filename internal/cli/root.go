package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/run/version"
)

// newRoot returns the tree of commands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "acqnp",
		Short: "Train conditional neural processes with quantile likelihoods, and predict with them",
		Long: `acqnp trains conditional neural processes (CNP, CANP, BNP, CQNP, ACQNP), evaluates them, and predicts
quantiles for your own points.

Environment variables set flags: ACQNP_DATA_DIR, ACQNP_DEVICE, ACQNP_PRECISION, ACQNP_THREADS,
ACQNP_QUIET and ACQNP_JSON. They also set keys of a configuration: ACQNP_TRAIN_STEPS sets
train.steps. A flag overrides its variable. "acqnp help configuration" explains the keys.

Exit status: 0 done; 1 failed; 2 wrong usage, configuration or input; 130 stopped by SIGINT, SIGTERM
or SIGHUP; 141 nobody reads standard output any more.`,
		Example: `  acqnp train --config configs/quickstart.yaml
  acqnp eval --run runs/quickstart/seed-0 --batches 100
  acqnp predict --run runs/quickstart/seed-0 --context context.csv --grid=-2:2:200 --out predictions.csv`,
		Version:       version.String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          runGroup,
	}
	root.SetVersionTemplate("acqnp {{.Version}}\n")
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.PersistentFlags().BoolVar(&a.quiet, "quiet", false, "show warnings and errors, but no progress")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print results, progress and errors as JSON, one object a line")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkNotEmpty(cmd.Flags()); err != nil {
			return err
		}
		if err := a.fromEnvironment(cmd.Flags()); err != nil {
			return err
		}
		if name := cmd.CalledAs(); cmd.HasAlias(name) {
			a.renamed(name, cmd.Name())
		}
		a.warnOfFormer()
		return nil
	}
	root.AddCommand(newFit(a), newInit(a), newTrain(a), newSweep(a), newEval(a), newPredict(a), newServe(a), newScore(a), newSample(a), newData(a), newExport(a), newPlot(a), newAblate(a), newReport(a), newBench(a), newDoctor(a))
	root.SetHelpCommand(newHelp(a))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	fitIn(root)
	a.acceptFormer(root)
	return root
}

// newHelp returns the help command. Unlike cobra's, it returns an error for an unknown command.
func newHelp(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: "  acqnp help train\n  acqnp help data generate\n  acqnp help configuration",
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
	cmd.AddCommand(newHelpConfiguration(a))
	return cmd
}

// runGroup shows the help of a group of commands. If there are args, it returns the error for a
// command that the group does not have.
func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(group *cobra.Command, name string) error {
	text := fmt.Sprintf("unknown command %q", name)
	group.SuggestionsMinimumDistance = 2 // at most two wrong letters
	if near := group.SuggestionsFor(name); len(near) > 0 {
		text += ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

// fitIn gives cobra's completion command examples and an error for an unknown shell.
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
