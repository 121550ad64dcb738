package cli

import (
	"os"

	"github.com/acqnp/acqnp/internal/output"
)

// checkOutputs returns an *input.Error if an output cannot be written, or if it would destroy an
// input, another output or a file of a run. Commands call it before any work starts. If an output
// is standard output, the command's summary goes to standard error.
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
