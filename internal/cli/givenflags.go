package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Annotations by which cobra knows what flags need and exclude. It checks them later, in words about groups of flags.
const (
	required  = cobra.BashCompOneRequiredFlag
	oneOf     = "cobra_annotation_one_required"
	together  = "cobra_annotation_required_if_others_set"
	exclusive = "cobra_annotation_mutually_exclusive"
)

// checkGiven returns an error if flags that a command needs are missing, or if some exclude others.
func checkGiven(cmd *cobra.Command) error {
	flags := cmd.Flags()
	given := func(name string) bool { return flags.Changed(name) }
	for _, group := range groupsOf(flags, together) {
		if some := slices.IndexFunc(group, given); some >= 0 {
			if missing := slices.DeleteFunc(slices.Clone(group), given); len(missing) > 0 {
				return fmt.Errorf("found --%s alone, expected %s beside it", group[some], named(cmd, missing, " and "))
			}
		}
	}
	var missing []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[required] != nil && !f.Changed {
			missing = append(missing, f.Name)
		}
	})
	for _, group := range groupsOf(flags, oneOf) {
		if len(missing) == 0 && !slices.ContainsFunc(group, given) {
			if group[0] == "run" && argumentOf(cmd) == "RUN" {
				group = group[:1] // the usual way; the help has the others
			}
			return fmt.Errorf("expected %s%s", named(cmd, group, " or "), asIn(cmd))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("expected %s%s", named(cmd, missing, " and "), asIn(cmd))
	}
	for _, group := range groupsOf(flags, exclusive) {
		if both := slices.DeleteFunc(slices.Clone(group), func(name string) bool { return !given(name) }); len(both) > 1 {
			return fmt.Errorf("found --%s and --%s, expected one of them", both[0], both[1])
		}
	}
	return nil
}

// groupsOf returns the groups of flags with an annotation, each once, that of --run first.
func groupsOf(flags *pflag.FlagSet, annotation string) (groups [][]string) {
	seen := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) {
		for _, text := range f.Annotations[annotation] {
			if !seen[text] {
				seen[text] = true
				groups = append(groups, strings.Fields(text))
			}
		}
	})
	ofRun := func(group []string) bool { return group[0] == "run" }
	if i := slices.IndexFunc(groups, ofRun); i > 0 {
		groups[0], groups[i] = groups[i], groups[0]
	}
	return groups
}

// named returns flags with their values: "--csv FILE and --x COLUMNS". A run that may be an argument is first, as RUN.
func named(cmd *cobra.Command, names []string, between string) string {
	var all []string
	for _, name := range names {
		value, _ := pflag.UnquoteUsage(cmd.Flags().Lookup(name))
		if name == "run" && argumentOf(cmd) == "RUN" {
			all = slices.Insert(all, 0, "RUN")
		} else {
			all = append(all, strings.TrimSpace("--"+name+" "+value))
		}
	}
	return invalid.Listed(all, between)
}
