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

// DefaultDir returns runs/<benchmark>/<model>/seed-<seed> for a configuration file that is named
// after a model, such as configs/<benchmark>/<model>.yaml, and runs/<name>/seed-<seed> for any
// other <name>.yaml.
func DefaultDir(file string, e config.Experiment) string {
	seed := "seed-" + strconv.FormatUint(e.Train.Seed, 10)
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if slices.Contains(models.Names(), name) {
		return filepath.Join("runs", e.Benchmark, e.Model.Name, seed)
	}
	return filepath.Join("runs", name, seed)
}

// CheckDir returns an *input.Error if dir or a directory above it is a file.
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
