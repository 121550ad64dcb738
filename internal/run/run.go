package run

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
)

// A Run reads a run directory.
type Run struct {
	Dir        string
	Experiment config.Experiment // of config.yaml, with the flags that Open was given
}

// Open reads the configuration of the run in dir. Flags change it and are checked as the keys that
// they stand for. The environment does not change it. A directory without config.yaml is an
// *input.Error, and so is a configuration whose model or data are not those of the newest
// checkpoint.
func Open(dir string, flags ...config.Flag) (*Run, error) {
	file := filepath.Join(dir, ConfigFile)
	if _, err := os.Stat(file); err != nil {
		return nil, &input.Error{File: dir, Found: "no " + ConfigFile, Expected: "a run directory"}
	}
	e, err := config.Load(file, config.Overrides{Flags: flags})
	if err != nil {
		return nil, err
	}
	if err := checkTrained(dir, file, e); err != nil {
		return nil, err
	}
	return &Run{Dir: dir, Experiment: e}, nil
}

// Newest is what Load takes for the newest good checkpoint.
const Newest = "latest"

// Load reads a checkpoint of the run: Newest, or the one of a step, a number in digits. It calls
// warn, if that is not nil, with a line about each newer checkpoint that cannot be used.
func (r *Run) Load(which string, m *models.Model, warn func(string)) (Checkpoint, error) {
	if which == Newest {
		c, _, err := newest(r.Dir, m, warn, func(Checkpoint) error { return nil })
		return c, err
	}
	step, err := strconv.Atoi(which)
	if err != nil || step < 0 {
		return Checkpoint{}, &input.Error{File: "--checkpoint", Found: strconv.Quote(which), Expected: Newest + " or a step"}
	}
	return byStep(r.Dir, step, m)
}

// Units returns the units in the newest checkpoint that has them; nil if none does. Whether that
// checkpoint is good, Load finds out.
func (r *Run) Units() *Units {
	steps, err := checkpointSteps(r.Dir)
	if err != nil {
		return nil
	}
	for _, step := range slices.Backward(steps) {
		if u, err := ReadUnits(checkpointPath(r.Dir, step)); err == nil && u != nil {
			return u
		}
	}
	return nil
}
