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
//	runs/<name>/seed-<seed>                      any other <name>.yaml
//
// In the first two, <model> is the experiment's, even if the file is named after another model.
func DefaultDir(file string, e config.Experiment) string {
	seed := "seed-" + strconv.FormatUint(e.Train.Seed, 10)
	if name, ok := ModelFile(file, e.Model.Name); ok {
		return filepath.Join("runs", e.Benchmark, name, seed)
	}
	return filepath.Join("runs", baseName(file), seed)
}

// ModelFile reports whether a configuration file is named <any model>.yaml or <any
// model>-<more>.yaml. If it is, the name is model or model-<more>.
func ModelFile(file, model string) (name string, ok bool) {
	base := baseName(file)
	for _, other := range models.Names() {
		if more, found := strings.CutPrefix(base, other); found && (more == "" || strings.HasPrefix(more, "-")) {
			return model + more, true
		}
	}
	return "", false
}

// baseName returns the name of a file without its folder and its ending.
func baseName(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

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
