package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/invalid"
)

// insteadOfFit says what does for a fit what a command does for a trained network.
var insteadOfFit = map[string]string{
	"acqnp eval":          "acqnp score scores a fit, and acqnp fit prints what it expects of new groups",
	"acqnp plot fit":      "acqnp predict --plot draws what a fit predicts",
	"acqnp plot training": "acqnp plot effects draws what the columns of a fit do",
}

// refuseFit returns an *invalid.Input if one of the directories is a fit that the command cannot take.
func refuseFit(cmd *cobra.Command, dirs ...string) error {
	instead, refuses := insteadOfFit[cmd.CommandPath()]
	if i := slices.IndexFunc(dirs, file.Is); refuses && i >= 0 {
		return &invalid.Input{File: dirs[i], Found: "a fit", Expected: "the run of a trained network; " + instead}
	}
	return nil
}

// checkRuns returns refuseFit's error for the runs of --run.
func checkRuns(cmd *cobra.Command) error {
	f := cmd.Flags().Lookup("run")
	if f == nil {
		return nil
	}
	if list, is := f.Value.(pflag.SliceValue); is {
		return refuseFit(cmd, list.GetSlice()...)
	}
	return refuseFit(cmd, f.Value.String())
}
