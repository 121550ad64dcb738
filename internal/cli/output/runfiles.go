package output

import (
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/run"
)

// checkRun refuses an output that is a file of any run, whether or not the command reads that run.
func (o File) checkRun() error {
	target, err := files.Target(o.Path)
	if err != nil {
		return err
	}
	if dir, name, ok := run.Owner(target); ok && name != o.Part {
		return o.refuse(o.Path+", which belongs to the run "+dir, "a file outside the run, or another name")
	}
	return nil
}
