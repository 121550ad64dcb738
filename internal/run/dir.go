package run

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
)

// DefaultDir returns runs/<benchmark>/<model>/seed-<seed> for configs/<benchmark>/<model>.yaml,
// and runs/<name>/seed-<seed> for a configuration whose name is not that of a model.
func DefaultDir(file string, e config.Experiment) string {
	seed := "seed-" + strconv.FormatUint(e.Train.Seed, 10)
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if slices.Contains(models.Names(), name) {
		return filepath.Join("runs", e.Benchmark, e.Model.Name, seed)
	}
	return filepath.Join("runs", name, seed)
}

// CheckDir refuses a directory that cannot be made because a file is in its place.
func CheckDir(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return &input.Error{File: "--run-dir", Found: "the file " + at, Expected: "a directory for the run"}
		case err == nil || at == filepath.Dir(at):
			return nil
		}
	}
}
