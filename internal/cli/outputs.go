package cli

import (
	"os"

	"github.com/acqnp/acqnp/internal/output"
)

// checkOutputs refuses, before any work starts, outputs that cannot be written or would destroy one
// of the inputs, each other or a file of a run. If an output is standard output, the command's
// summary goes to standard error.
func (a *app) checkOutputs(outputs []output.File, inputs ...string) error {
	if err := output.Check(outputs, inputs...); err != nil {
		return err
	}
	own, ok := a.Out.(*os.File)
	if !ok {
		return nil
	}
	standard, err := own.Stat()
	if err != nil {
		return nil
	}
	for _, o := range outputs {
		if info, err := os.Stat(o.Path); err == nil && os.SameFile(info, standard) {
			a.Out = a.Err
		}
	}
	return nil
}
