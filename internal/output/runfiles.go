package output

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/atomicfile"
)

// The files of a run that a command may replace.
const (
	EvalFile = "eval.json"
	FitFile  = "fit.png"
)

const checkpointsDir = "checkpoints"

// training lists the files that only training writes, besides the checkpoints.
var training = []string{"config.yaml", "metrics.jsonl", ".lock"}

// RunFiles returns the files in the run directory dir that training wrote.
func RunFiles(dir string) []string {
	var files []string
	for _, name := range training {
		files = append(files, filepath.Join(dir, name))
	}
	entries, _ := os.ReadDir(filepath.Join(dir, checkpointsDir))
	for _, e := range entries {
		files = append(files, filepath.Join(dir, checkpointsDir, e.Name()))
	}
	return files
}

// checkRun refuses an output that is a file of any run, whether or not the command reads that run.
func (o File) checkRun() error {
	target, err := atomicfile.Target(o.Path)
	if err != nil {
		return err
	}
	dir, name := filepath.Split(target)
	dir = filepath.Clean(dir)
	run := dir
	if filepath.Base(dir) == checkpointsDir {
		run = filepath.Dir(dir)
	}
	part := run != dir || slices.Contains(training, name) || (name == EvalFile || name == FitFile) && name != o.Part
	if part && isRun(run) {
		return o.refuse(o.Path+", which belongs to the run "+run, "a file outside of the run, or one of another name")
	}
	return nil
}

// isRun reports whether dir holds a run.
func isRun(dir string) bool {
	if info, err := os.Stat(filepath.Join(dir, checkpointsDir)); err != nil || !info.IsDir() {
		return false
	}
	return slices.ContainsFunc(training, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}
