package run

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
)

// A Run reads a run directory.
type Run struct {
	Dir        string
	Experiment config.Experiment // config.yaml, changed by the flags that Open was given
	Kernels    []string          // of the CPU: those that wrote the newest checkpoint, or "" if not known, and those of steps before a resume
}

// Open reads the configuration of the run in dir. The flags set keys of it; the environment does
// not. Open returns an *invalid.Input if the directory has no config.yaml, or if the configuration's
// model or data are not those of the newest checkpoint.
func Open(dir string, flags ...config.Flag) (*Run, error) {
	file := filepath.Join(dir, ConfigFile)
	if !Begun(dir) {
		return nil, noRun(dir)
	}
	e, err := config.Load(file, config.Overrides{Flags: flags})
	if err != nil {
		return nil, err
	}
	kernels, err := checkTrained(dir, file, e)
	if err != nil {
		return nil, err
	}
	return &Run{Dir: dir, Experiment: e, Kernels: kernels}, nil
}

// noRun returns what is wrong with a directory that has no configuration.
func noRun(dir string) *invalid.Input {
	info, err := os.Stat(dir)
	if err != nil {
		return &invalid.Input{File: dir, Found: "no such directory", Expected: "one that acqnp train or acqnp fit has written"}
	}
	if !info.IsDir() {
		return &invalid.Input{File: dir, Found: "a file", Expected: "a directory that acqnp train or acqnp fit has written"}
	}
	inner, _ := filepath.Glob(filepath.Join(dir, "*", ConfigFile)) // an error means none
	if len(inner) == 0 {
		return &invalid.Input{File: dir, Found: "no " + ConfigFile, Expected: "the directory of a run, or of a fit"}
	}
	return &invalid.Input{File: dir, Found: "a directory of runs", Expected: "one of them, such as " + filepath.Dir(inner[0])}
}

// Arguments of Load.
const (
	Newest    = "latest" // the newest good checkpoint
	Best      = "best"   // the checkpoint with the best validation
	Preferred = ""       // Best in a run that has it, Newest in any other
)

// Load reads a checkpoint of the run. which is Newest, Best, Preferred, or a step in digits. Load
// calls warn, if not nil, with a line about each newer checkpoint that cannot be used.
func (r *Run) Load(which string, m *models.Model, warn func(string)) (Checkpoint, error) {
	switch {
	case which == Best && !hasBest(r.Dir):
		return Checkpoint{}, &invalid.Input{File: bestPath(r.Dir), Found: "no such file",
			Expected: "the checkpoint of a run with train.validate_every, or --checkpoint " + Newest}
	case which == Best, which == Preferred && hasBest(r.Dir):
		return ReadCheckpoint(bestPath(r.Dir), m)
	case which == Newest, which == Preferred:
		c, _, err := newest(r.Dir, m, warn, func(Checkpoint) error { return nil })
		return c, err
	}
	step, err := strconv.Atoi(which)
	if err != nil || step < 0 {
		return Checkpoint{}, &invalid.Input{File: "--checkpoint", Found: strconv.Quote(which),
			Expected: Best + ", " + Newest + " or a step"}
	}
	return byStep(r.Dir, step, m)
}

// Units returns the units in the newest checkpoint whose units can be read, or nil without one. It does not
// check the rest of that checkpoint, as Load does.
func (r *Run) Units() *Units {
	paths, err := checkpointPaths(r.Dir)
	if err != nil {
		return nil
	}
	for _, path := range slices.Backward(paths) {
		if u, err := ReadUnits(path); err == nil && u != nil {
			return u
		}
	}
	return nil
}
