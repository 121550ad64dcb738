package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/files"
)

// addOverwrite adds the flag without which checkOutputs refuses files that exist.
func (a *app) addOverwrite(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.overwrite, "overwrite", false, "replace output files that exist")
}

// checkOutputs returns an *invalid.Input if an output cannot be written, if it would destroy an input,
// another output or a file of a run, or if it exists and --overwrite is not given. Commands call it
// before any work starts. If an output is standard output, the command's summary goes to standard
// error.
func (a *app) checkOutputs(outputs []output.File, inputs ...string) error {
	for i := range outputs {
		outputs[i].Overwrite = outputs[i].Overwrite || a.overwrite
	}
	if err := output.Check(outputs, inputs...); err != nil {
		return err
	}
	own, ok := a.Out.(*os.File)
	if !ok {
		return nil
	}
	for _, o := range outputs {
		if files.Names(o.Path, own) {
			a.Out = a.Err
		}
	}
	return nil
}
