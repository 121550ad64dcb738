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
	Experiment config.Experiment // config.yaml, changed by the flags that Open was given
}

// Open reads the configuration of the run in dir. The flags set keys of it; the environment does
// not. Open returns an *input.Error if the directory has no config.yaml, or if the configuration's
// model or data are not those of the newest checkpoint.
func Open(dir string, flags ...config.Flag) (*Run, error) {
	file := filepath.Join(dir, ConfigFile)
	if _, err := os.Stat(file); err != nil {
		return nil, &input.Error{File: dir, Found: "no " + ConfigFile, Expected: "a run directory"}
	}
	e, err := config.Load(file, config.Overrides{Flags: flags, Recorded: true})
	if err != nil {
		return nil, err
	}
	if err := checkTrained(dir, file, e); err != nil {
		return nil, err
	}
	return &Run{Dir: dir, Experiment: e}, nil
}

// Began returns the configuration that the run in dir began with. ok is false if there is no run or
// its configuration cannot be read.
func Began(dir string) (e config.Experiment, ok bool) {
	file := filepath.Join(dir, ConfigFile)
	content, err := input.ReadFile(file, "the configuration of a run", 1<<20)
	if err == nil {
		e, err = config.Parse(file, content, config.Overrides{Recorded: true})
	}
	if err != nil {
		e, _, ok = trainedConfig(dir)
		return e, ok
	}
	return e, true
}

// Newest is the argument of Load that selects the newest good checkpoint.
const Newest = "latest"

// Load reads a checkpoint of the run. which is Newest, or a step in digits. Load calls warn, if not
// nil, with a line about each newer checkpoint that cannot be used.
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

// Units returns the units in the newest checkpoint that has them, or nil if none does. It does not
// check the rest of that checkpoint, as Load does.
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
