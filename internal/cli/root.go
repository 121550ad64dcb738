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
quantiles for your own points. acqnp fit mixes them with statistical models.

` + precedence + `
"acqnp help environment" lists the variables, "acqnp help configuration" the keys.

Exit status: 0 done; 1 failed; 2 wrong usage, configuration or input; 130 stopped by SIGINT, SIGTERM
or SIGHUP; 134 memory ran out; 141 nobody reads standard output any more.`,
		Example: `  acqnp fit prices.csv 'price ~ age | product'
  acqnp predict prices.fit --context context.csv --grid=0.2:6:100 > predictions.csv
  acqnp train --config configs/quickstart.yaml
  acqnp eval --run runs/quickstart/seed-0 --batches 100
  acqnp predict --run runs/quickstart/seed-0 --context context.csv --grid=-2:2:200 --out predictions.csv`,
		Version:       version.String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          runGroup,
	}
	cobra.EnableCommandSorting = false
	root.SetVersionTemplate("acqnp {{.Version}}\n")
	root.SetHelpTemplate("{{.Short}}.\n{{with .Long}}\n{{. | trimTrailingWhitespaces}}\n{{end}}\n{{.UsageString}}")
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "show warnings and errors, but no progress")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print results, progress and errors as JSON, one object a line")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkNotEmpty(cmd.Flags()); err != nil {
			return err
		}
		a.keepApart(cmd.Flags())
		return a.fromEnvironment(cmd.Flags())
	}
	root.SetHelpCommand(newHelp(a))
	addGroups(root, []group{
		{"Your own data", []*cobra.Command{newFit(a), newPredict(a), newScore(a), newInit(a), newTrain(a)}},
		{"The paper", []*cobra.Command{newData(a), newEval(a), newPlot(a)}},
		{"Many runs", []*cobra.Command{newSweep(a), newReport(a)}},
		{"Other programs", []*cobra.Command{newServe(a), newExport(a), newSample(a)}},
		{"This machine", []*cobra.Command{newDoctor(a), newBench(a)}},
	})
	return root
}

// A group is a part of the commands in the help of the program.
type group struct {
	title    string
	commands []*cobra.Command
}

// addGroups adds the groups of commands to the root, in the order in which the help lists them.
func addGroups(root *cobra.Command, groups []group) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	last := groups[len(groups)-1].title
	root.SetHelpCommandGroupID(last)
	root.SetCompletionCommandGroupID(last)
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
