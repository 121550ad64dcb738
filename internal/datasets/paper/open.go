// Package paper is the twelve benchmarks of the paper and two of transformer neural processes: functions drawn from a
// random process (synthetic.go), images, and speed-flow.
package paper

import (
	"path/filepath"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
)

// Open returns the source of an experiment on benchmark b. Files are in its folder in dataDir. A missing or wrong file,
// or one with too little data for the configuration, is an *invalid.Input.
func Open(e config.Experiment, b catalogue.Benchmark, dataDir string) (*datasets.Source, error) {
	switch b.Kind {
	case catalogue.SpeedFlow:
		return newSpeedFlow(e, b, dataDir)
	case catalogue.Images:
		return newImages(e, b, dataDir)
	}
	return newSynthetic(e), nil
}

// Files returns the paths of the existing files that Open reads.
func Files(e config.Experiment, b catalogue.Benchmark, dataDir string) (paths []string) {
	dir := filepath.Join(dataDir, b.Name)
	switch b.Kind {
	case catalogue.SpeedFlow:
		names, _ := laneFiles(dir, b, e.Data.Files)
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	case catalogue.Images:
		paths, _ = imagePaths(dir, b, e.Data.Files)
	}
	return paths
}
