package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// The files of a run directory that other packages name.
const (
	ConfigFile = "config.yaml"
	EvalFile   = "eval.json"
	FitFile    = "fit.png"
	splitFile  = "split.csv" // of your own data: what each group, or each row, is for

	CalibrationFile = "calibration.json" // see package conformal
)

const (
	metricsFile    = "metrics.jsonl"
	checkpointsDir = "checkpoints"
	lockFile       = ".lock"
	evalLockFile   = ".lock-eval"
	sweepLockFile  = ".lock-sweep"
)

// ownFiles lists the files of a run that predictions read, and those that only training writes, besides the
// checkpoints.
var ownFiles = []string{ConfigFile, splitFile, metricsFile, lockFile, evalLockFile, sweepLockFile}

// Files lists the files of a run directory that only training writes, whether or not they exist,
// claims, and every file in its directory of checkpoints.
func Files(dir string) []string {
	var files []string
	for _, name := range ownFiles {
		files = append(files, filepath.Join(dir, name))
	}
	claims, _ := os.ReadDir(dir)
	for _, e := range claims {
		if isClaim(e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	entries, _ := os.ReadDir(filepath.Join(dir, checkpointsDir))
	for _, e := range entries {
		files = append(files, filepath.Join(dir, checkpointsDir, e.Name()))
	}
	return files
}

// Owner returns the run directory that a path lies in, and the path's name there. ok is false if
// the directory holds no run or if the name is not that of a run's file. Owner follows no links.
func Owner(path string) (dir, name string, ok bool) {
	dir, name = filepath.Split(path)
	dir = filepath.Clean(dir)
	known := slices.Contains(ownFiles, name) || isClaim(name) || name == failureFile || name == EvalFile || name == FitFile || name == CalibrationFile
	if filepath.Base(dir) == checkpointsDir {
		dir, name, known = filepath.Dir(dir), filepath.Join(checkpointsDir, name), true
	}
	return dir, name, known && holdsRun(dir)
}

// holdsRun reports whether dir has checkpoints and a file of training.
func holdsRun(dir string) bool {
	if info, err := os.Stat(filepath.Join(dir, checkpointsDir)); err != nil || !info.IsDir() {
		return false
	}
	return slices.ContainsFunc(ownFiles, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// checkpointPath returns where a run keeps the checkpoint of a step.
func checkpointPath(dir string, step int) string {
	return filepath.Join(dir, checkpointsDir, fmt.Sprintf("step-%d.safetensors", step))
}

// bestPath returns where a run keeps the checkpoint with the best validation.
func bestPath(dir string) string { return filepath.Join(dir, checkpointsDir, "best.safetensors") }

// hasBest reports whether the run has a checkpoint with the best validation.
func hasBest(dir string) bool {
	_, err := os.Lstat(bestPath(dir))
	return err == nil
}

// PreferredPath returns the path of the checkpoint that Preferred names, "" if there is none. It reads
// no file.
func PreferredPath(dir string) string {
	if hasBest(dir) {
		return bestPath(dir)
	}
	steps, err := checkpointSteps(dir)
	if err != nil || len(steps) == 0 {
		return ""
	}
	return checkpointPath(dir, steps[len(steps)-1])
}

// checkpointPaths lists the run's checkpoint files, whether or not they are good: the best, then
// those of steps, ascending.
func checkpointPaths(dir string) ([]string, error) {
	steps, err := checkpointSteps(dir)
	var paths []string
	if hasBest(dir) {
		paths = append(paths, bestPath(dir))
	}
	for _, step := range steps {
		paths = append(paths, checkpointPath(dir, step))
	}
	return paths, err
}

// checkpointSteps lists the steps of the run's checkpoint files, ascending, whether or not the
// files are good. It ignores files of other names.
func checkpointSteps(dir string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, checkpointsDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var steps []int
	for _, e := range entries {
		name, isStep := strings.CutPrefix(e.Name(), "step-")
		digits, isTensors := strings.CutSuffix(name, ".safetensors")
		step, err := strconv.Atoi(digits)
		if isStep && isTensors && err == nil && step >= 0 && strconv.Itoa(step) == digits {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, nil
}

// HasCheckpoint reports whether a directory holds a file with the name of a checkpoint.
func HasCheckpoint(dir string) bool {
	steps, err := checkpointSteps(dir)
	return err == nil && len(steps) > 0
}

// Begun reports whether a directory holds the configuration of a run.
func Begun(dir string) bool {
	return fileThere(filepath.Join(dir, ConfigFile))
}

// makeDir makes a directory and its missing parents. It syncs the parent of each, because a crash
// can lose a synced file with the unsynced name of its directory.
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
	return files.SyncDir(parent)
}

// checkObstacles returns an *invalid.Input if a directory or a device has the name of a checkpoint,
// because training could not replace it.
func checkObstacles(dir string) error {
	paths, err := checkpointPaths(dir)
	if err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || info.Mode().IsRegular() {
			continue // a link without a target is skipped when read and replaced when written
		}
		found := "a device or another special file"
		if info.IsDir() {
			found = "a directory"
		}
		return &invalid.Input{File: path, Found: found, Expected: "a checkpoint, or nothing of this name: move it away"}
	}
	return nil
}

// CheckNoRun returns an *invalid.Input if dir holds a run.
func CheckNoRun(dir string) error {
	files, err := written(dir)
	if err == nil && len(files) > 0 {
		err = &invalid.Input{File: dir, Found: "a run (" + filepath.Base(files[0]) + ")",
			Expected: "a directory without one, --resume to continue it or --overwrite to start again"}
	}
	return err
}

// written lists the existing files that training wrote: checkpoints, metrics, configuration.
func written(dir string) ([]string, error) {
	files, err := checkpointPaths(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{metricsFile, ConfigFile} {
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

// removeRun removes a run's files and nothing else. Its evaluation, its plot, its calibration and its
// failure go too, since a reader would take them for the new run's. The configuration goes last, so
// that a directory still counts as a run if the removal is interrupted.
func removeRun(dir string) error {
	files, err := written(dir)
	if err != nil {
		return err
	}
	var all []string
	for _, name := range []string{EvalFile, FitFile, CalibrationFile, splitFile, failureFile} {
		all = append(all, filepath.Join(dir, name))
	}
	for _, file := range append(all, files...) {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeTemporary removes the temporary files of a killed training. The lock keeps other trainings
// out of the directory. An evaluation may be under way, so its temporary files stay.
func removeTemporary(dir string) error {
	return errors.Join(removePrefixed(filepath.Join(dir, checkpointsDir), files.TempPrefix),
		removePrefixed(dir, files.TempPrefix+ConfigFile), removePrefixed(dir, files.TempPrefix+splitFile),
		removePrefixed(dir, files.TempPrefix+metricsFile),
		removePrefixed(dir, files.TempPrefix+clockFile))
}

func removePrefixed(dir, prefix string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			if gone := os.Remove(filepath.Join(dir, e.Name())); !errors.Is(gone, os.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}
