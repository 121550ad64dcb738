package datasets

import (
	"path/filepath"

	"github.com/acqnp/acqnp/internal/benchmark"
	"github.com/acqnp/acqnp/internal/config"
)

// Files returns the files that Open reads for the experiment, as far as they are there.
func Files(e config.Experiment, dataDir string) []string {
	b, _ := benchmark.Find(e.Benchmark)
	dir := filepath.Join(dataDir, b.Name)
	var paths []string
	switch b.Kind {
	case benchmark.SpeedFlow:
		names, _ := laneFiles(dir, b, e.Data.Files)
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	case benchmark.Images:
		paths, _ = imagePaths(dir, b, e.Data.Files)
	case benchmark.CSV:
		paths, _ = csvPaths(e.Data.File, dataDir)
	}
	return paths
}
