package run

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
)

// DefaultDir returns the run directory of an experiment whose configuration is file:
//
//	runs/<benchmark>/<model>/seed-<seed>         <model>.yaml
//	runs/<benchmark>/<model>-<more>/seed-<seed>  <model>-<more>.yaml
//	runs/<benchmark>/<name>/seed-<seed>          <benchmark>/<name>.yaml
//	runs/<name>/seed-<seed>                      any other <name>.yaml
//
// In the first two, <model> is the experiment's, even if the file is named after another model.
func DefaultDir(file string, e config.Experiment) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	benchmark := ""
	if filepath.Base(filepath.Dir(file)) == e.Benchmark {
		benchmark = e.Benchmark
	}
	for _, model := range models.Names() {
		if more, found := strings.CutPrefix(name, model); found && (more == "" || strings.HasPrefix(more, "-")) {
			benchmark, name = e.Benchmark, e.Model.Name+more
			break
		}
	}
	return filepath.Join("runs", benchmark, name, "seed-"+strconv.FormatUint(e.Train.Seed, 10))
}

// CheckDir returns an *invalid.Input if dir or a directory above it is a file.
func CheckDir(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return &invalid.Input{File: at, Found: "a file", Expected: "a directory for the run"}
		case err == nil || at == filepath.Dir(at):
			return nil
		}
	}
}
