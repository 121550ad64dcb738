package train

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
)

// What a run keeps in its directory.
const (
	configFile     = "config.yaml"
	metricsFile    = "metrics.jsonl"
	checkpointsDir = "checkpoints"
	evalFile       = "eval.json"
	fitFile        = "fit.png"
	lockFile       = ".lock"
)

// openRunDir makes the directory where it is absent, locks it and decides what it is for: with resume the run in it
// goes on, with overwrite it is removed, else a directory that holds a run is refused.
func openRunDir(dir string, resume, overwrite bool) (unlock func(), err error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &input.Error{File: dir, Found: "a file", Expected: "a directory for the run"}
	}
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	if err := checkObstacles(dir); err != nil {
		return nil, err
	}
	if !resume && !overwrite { // refuse without leaving a lock file behind
		if err := refuseRun(dir); err != nil {
			return nil, err
		}
	}
	if unlock, err = lock(dir); err != nil {
		return nil, err
	}
	if err := prepare(dir, resume, overwrite); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// prepare makes a locked directory ready for the run.
func prepare(dir string, resume, overwrite bool) (err error) {
	switch {
	case overwrite:
		err = removeRun(dir)
	case !resume:
		err = refuseRun(dir) // again: the other process may just have started one
	}
	if err != nil {
		return err
	}
	if err := makeDir(filepath.Join(dir, checkpointsDir)); err != nil {
		return err
	}
	return removeTemporary(dir)
}

// checkObstacles refuses a directory or a device with the name of a checkpoint: training could not write it.
func checkObstacles(dir string) error {
	steps, err := checkpointSteps(dir)
	if err != nil {
		return err
	}
	for _, step := range steps {
		path := checkpointPath(dir, step)
		info, err := os.Stat(path)
		if err != nil || info.Mode().IsRegular() {
			continue // a link without a target is skipped when read and replaced when written
		}
		found := "no regular file"
		if info.IsDir() {
			found = "a directory"
		}
		return &input.Error{File: path, Found: found, Expected: "a checkpoint or nothing under this name: move it away"}
	}
	return nil
}

// makeDir makes a directory and those above it where they are absent, so that they outlive a crash: what is synced
// inside a directory is lost with the directory's own name.
func makeDir(dir string) error {
	switch _, err := os.Stat(dir); {
	case err == nil:
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	parent := filepath.Dir(dir)
	if err := makeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return atomicfile.SyncDir(parent)
}

// refuseRun is an *input.Error where dir holds a run.
func refuseRun(dir string) error {
	files, err := runFiles(dir)
	if err == nil && len(files) > 0 {
		err = &input.Error{File: dir, Found: "a run (" + filepath.Base(files[0]) + ")",
			Expected: "a directory without one, or --resume or --overwrite"}
	}
	return err
}

// runFiles lists the files that training wrote: checkpoints, metrics, configuration.
func runFiles(dir string) ([]string, error) {
	steps, err := checkpointSteps(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, step := range steps {
		files = append(files, checkpointPath(dir, step))
	}
	for _, name := range []string{metricsFile, configFile} {
		_, err := os.Lstat(filepath.Join(dir, name))
		switch {
		case err == nil:
			files = append(files, filepath.Join(dir, name))
		case !errors.Is(err, os.ErrNotExist):
			return nil, err
		}
	}
	return files, nil
}

// removeRun removes a run's own files and nothing else, among them its evaluation and its plot, which would be taken
// for the new run's. The configuration goes last, so that what a killed removal leaves is still known as a run.
func removeRun(dir string) error {
	files, err := runFiles(dir)
	if err != nil {
		return err
	}
	for _, file := range append([]string{filepath.Join(dir, evalFile), filepath.Join(dir, fitFile)}, files...) {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeTemporary removes what a program killed while it wrote a run's files has left. Under the lock no other training
// writes there; an evaluation may, so its temporary files stay.
func removeTemporary(dir string) error {
	return errors.Join(removePrefixed(filepath.Join(dir, checkpointsDir), atomicfile.TempPrefix),
		removePrefixed(dir, atomicfile.TempPrefix+configFile), removePrefixed(dir, atomicfile.TempPrefix+metricsFile))
}

func removePrefixed(dir, prefix string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// checkConfig compares the configuration that a run began with, a YAML text from file, with the one that is to continue
// it. That they differ in what must not change is an *input.Error that names the keys.
func checkConfig(file, began string, now config.Experiment) error {
	before, err := config.Parse(file, []byte(began), config.Overrides{})
	if err != nil {
		return err
	}
	now.Data.File = before.Data.File // where the data are may change, as with --data-dir
	differences := config.ResumeDifferences(before, now)
	if len(differences) == 0 {
		return nil
	}
	return &input.Error{File: file, Found: "a run with another configuration (" + strings.Join(differences, "; ") + ")",
		Expected: "the same to resume it"}
}
