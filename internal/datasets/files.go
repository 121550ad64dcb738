package datasets

import (
	"path/filepath"

	"github.com/acqnp/acqnp/internal/config"
)

// Files returns the files that Open reads for the experiment, as far as they are there.
func Files(e config.Experiment, dataDir string) []string {
	dir := filepath.Join(dataDir, e.Benchmark)
	if e.Benchmark == "speed-flow" {
		names, _ := laneFiles(dir, e.Data.Files)
		var paths []string
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
		return paths
	}
	var paths []string
	if _, ok := imageBenchmarks[e.Benchmark]; ok {
		paths, _ = imagePaths(dir, e)
	} else if e.Benchmark == "csv" {
		paths, _ = csvPaths(e.Data.File, dataDir)
	}
	return paths
}
