package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/run/version"
)

// newRoot returns the tree of commands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "acqnp",
		Short: "Predict the whole distribution of an outcome for a new group, from a few of its points",
		Long: `acqnp fit learns from a table of groups, and mixes statistical models and a network; acqnp train trains
conditional neural processes (CNP, CANP, BNP, CQNP, ACQNP) with quantile likelihoods. Both predict new
groups with acqnp predict.

` + precedence + `
A flag with a value is given once, unless its help says that it is repeatable.
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
		if err := cmp.Or(checkNotEmpty(cmd.Flags()), checkGiven(cmd), checkRuns(cmd)); err != nil {
			return err
		}
		a.keepApart(cmd.Flags())
		return a.fromEnvironment(cmd.Flags())
	}
	root.SetHelpCommand(newHelp(a))
	addOffers(root, a)
	root.InitDefaultCompletionCmd()
	root.SetFlagErrorFunc(flagError)
	ownWords(root)
	return root
}

// The groups of the program's help.
const (
	ownData       = "Your own data"
	thePaper      = "The paper"
	manyRuns      = "Many runs"
	otherPrograms = "Other programs"
	thisMachine   = "This machine"
)

// An offer is a command of the program. Its file makes it.
type offer struct {
	group string
	rank  int // in the group
	make  func(*app) *cobra.Command
}

var offers []offer

// command offers a command in a group of the help, at a rank.
func command(group string, rank int, make func(*app) *cobra.Command) offer {
	o := offer{group, rank, make}
	offers = append(offers, o)
	return o
}

// addOffers adds all commands to the root, in the order in which the help lists them.
func addOffers(root *cobra.Command, a *app) {
	for _, title := range []string{ownData, thePaper, manyRuns, otherPrograms, thisMachine} {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
		for _, o := range slices.SortedFunc(slices.Values(offers), func(x, y offer) int { return cmp.Compare(x.rank, y.rank) }) {
			if o.group == title {
				c := o.make(a)
				c.GroupID = title
				plainNumbers(c)
				root.AddCommand(c)
			}
		}
	}
	root.SetHelpCommandGroupID(thisMachine)
	root.SetCompletionCommandGroupID(thisMachine)
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
