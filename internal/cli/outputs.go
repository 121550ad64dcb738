package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/files"
)

// addOverwrite adds the flag without which checkOutputs refuses files that exist.
func (a *app) addOverwrite(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.overwrite, "overwrite", false, "replace output files that exist")
}

// keepApart sends the command's summary to standard error if an output of its flags is standard output.
func (a *app) keepApart(flags *pflag.FlagSet) {
	own, isFile := a.Out.(*os.File)
	for _, name := range []string{"out", "plot"} {
		f := flags.Lookup(name)
		if f == nil || !isFile {
			continue
		}
		if files.Names(f.Value.String(), own) {
			a.Out = a.Err
			return
		}
	}
}

// checkOutputs returns an *invalid.Input if an output cannot be written, if it would destroy an input,
// another output or a file of a run, or if it exists and --overwrite is not given. Commands call it
// before any work starts.
func (a *app) checkOutputs(outputs []output.File, inputs ...string) error {
	for i := range outputs {
		outputs[i].Overwrite = outputs[i].Overwrite || a.overwrite
	}
	return output.Check(outputs, inputs...)
}
