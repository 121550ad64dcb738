package run

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
)

// A Writer writes the directory of a run in training. It holds the directory until Close. If another
// process has taken over the directory nevertheless, its methods write nothing and return an error with
// ErrBusy.
type Writer struct {
	dir      string
	warn     func(string)
	hold     *hold
	log      *os.File // metrics.jsonl; nil before OpenLog
	unusable []string // checkpoints that Restore found damaged or foreign
}

// Create makes the directory of a fresh run and locks it. If the directory holds a run, Create
// removes that run's files if overwrite is set, and returns an *invalid.Input otherwise.
func Create(dir string, overwrite bool) (*Writer, error) {
	if overwrite {
		return open(dir, nothing, removeRun, nil)
	}
	// Again with the lock: another process may have started a run in between.
	return open(dir, CheckNoRun, CheckNoRun, nil)
}

func nothing(string) error { return nil }

// Resume locks the directory of a run to continue. It makes the directory if it is absent. The
// Writer calls warn, if not nil, with a line about each checkpoint or log line that it skips.
func Resume(dir string, warn func(string)) (*Writer, error) { return open(dir, nothing, nothing, warn) }

// open makes a directory if it is absent, and takes it. It calls refuse before, because the lock leaves
// a file in the directory, and prepare after. Then it makes the directory of checkpoints and removes temporary
// files of killed trainings.
func open(dir string, refuse, prepare func(dir string) error, warn func(string)) (*Writer, error) {
	if err := CheckDir(dir); err != nil {
		return nil, err
	}
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	if err := checkObstacles(dir); err != nil {
		return nil, err
	}
	if err := refuse(dir); err != nil {
		return nil, err
	}
	h, err := take(dir, training, warn)
	if err != nil {
		return nil, err
	}
	if err = prepare(dir); err == nil {
		err = makeDir(filepath.Join(dir, checkpointsDir))
	}
	if err == nil {
		err = removeTemporary(dir)
	}
	if err != nil {
		return nil, errors.Join(err, h.release())
	}
	return &Writer{dir: dir, warn: warn, hold: h}, nil
}

// Restore returns the newest good checkpoint, or nil if training has not written one yet. It
// returns an *invalid.Input if the run's configuration or units differ from e and units, or if none
// of its checkpoints is good. The number of steps or epochs may differ: the caller knows the schedule.
func (w *Writer) Restore(e config.Experiment, m *models.Model, units Units) (*Checkpoint, error) {
	if err := checkContinues(w.dir, e, true); err != nil {
		return nil, err
	}
	steps, err := checkpointSteps(w.dir)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	c, skipped, err := newest(w.dir, m, w.warn, func(c Checkpoint) error { return checkConfig(c.Path, c.Config, e, true) })
	if err != nil {
		return nil, err
	}
	if err := CheckData(w.dir, *c.Units, units); err != nil {
		return nil, err
	}
	w.unusable = skipped
	// a training killed just after it saved c has left one checkpoint too many
	if err := w.retain(c.Step, e.Train.KeepCheckpoints); err != nil {
		return nil, err
	}
	return &c, nil
}

// CheckContinues returns an *invalid.Input that names the keys in which the configuration of the run in
// dir, if there is one, differs from e so that e cannot continue it.
func CheckContinues(dir string, e config.Experiment) error { return checkContinues(dir, e, false) }

func checkContinues(dir string, e config.Experiment, anyLength bool) error {
	file := filepath.Join(dir, ConfigFile)
	old, err := files.Read(file, "the configuration of a run", 1<<20)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return checkConfig(file, string(old), e, anyLength)
}

// checkConfig compares began, the YAML text in file that a run began with, with the configuration
// that is to continue it. It returns an *invalid.Input that lists the keys that differ and must not. With
// anyLength, steps and epochs may differ under any schedule.
func checkConfig(file, began string, now config.Experiment, anyLength bool) error {
	before, err := config.Parse(file, []byte(began), config.Overrides{})
	if err != nil {
		return err
	}
	// The data may have moved.
	now.Data.File, now.Data.Tasks, now.Data.EvalTasks = before.Data.File, before.Data.Tasks, before.Data.EvalTasks
	if anyLength {
		now.Train.Steps, now.Train.Epochs = before.Train.Steps, before.Train.Epochs
	}
	differences := config.ResumeDifferences(before, now)
	if len(differences) == 0 {
		return nil
	}
	return &invalid.Input{File: file, Found: "a run with another configuration (" + strings.Join(differences, "; ") + ")",
		Expected: "the same one to resume it, or --overwrite to start again"}
}

// WriteConfig writes the resolved configuration, a YAML text.
func (w *Writer) WriteConfig(text string) error {
	return w.hold.guard(func() error { return files.WriteBytes(filepath.Join(w.dir, ConfigFile), []byte(text)) })
}

// WriteSplit writes what the groups of your own data are for, as write does. It does nothing if write is nil.
func (w *Writer) WriteSplit(write func(io.Writer) error) error {
	if write == nil {
		return nil
	}
	return w.hold.guard(func() error { return files.Write(filepath.Join(w.dir, splitFile), write) })
}

// Save writes the checkpoint of c.Step and sets c.Path. Then it removes the oldest checkpoints, so
// that t.KeepCheckpoints remain besides this one.
func (w *Writer) Save(c *Checkpoint, m *models.Model, t config.Train) error {
	c.Path = checkpointPath(w.dir, c.Step)
	return w.hold.guard(func() error {
		if err := w.write(c, m, t.Seed); err != nil {
			return err
		}
		w.unusable = slices.DeleteFunc(w.unusable, func(path string) bool { return path == c.Path })
		return w.retain(c.Step, t.KeepCheckpoints)
	})
}

// SaveBest writes the checkpoint with the best validation and sets c.Path.
func (w *Writer) SaveBest(c *Checkpoint, m *models.Model, t config.Train) error {
	c.Path = bestPath(w.dir)
	return w.hold.guard(func() error { return w.write(c, m, t.Seed) })
}

// write writes a checkpoint. It syncs the log first, so that no checkpoint is ahead of the log, even
// after a crash.
func (w *Writer) write(c *Checkpoint, m *models.Model, seed uint64) error {
	if w.log != nil {
		if err := w.log.Sync(); err != nil {
			return err
		}
	}
	return c.write(m, seed)
}

// BestPath returns the path of the checkpoint with the best validation.
func (w *Writer) BestPath() string { return bestPath(w.dir) }

// retain removes the oldest checkpoints up to the step just written, so that keep remain besides
// it. It neither counts nor removes unusable files: they may belong to somebody, and they must not
// displace good ones.
func (w *Writer) retain(step, keep int) error {
	steps, err := checkpointSteps(w.dir)
	if err != nil {
		return err
	}
	steps = slices.DeleteFunc(steps, func(s int) bool {
		return s > step || slices.Contains(w.unusable, checkpointPath(w.dir, s))
	})
	for len(steps) > keep+1 {
		if err := files.Remove(checkpointPath(w.dir, steps[0])); err != nil {
			return err
		}
		steps = steps[1:]
	}
	return nil
}

// Close closes the log and releases the directory.
func (w *Writer) Close() error {
	var err error
	if w.log != nil {
		err = w.log.Close()
	}
	return errors.Join(err, w.hold.release())
}
