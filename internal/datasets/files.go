package datasets

import (
	"os"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/rows"
)

// Files returns the paths of the existing files that Open reads for the experiment.
func Files(e config.Experiment, dataDir string) []string {
	b, _ := catalogue.Find(e.Benchmark)
	dir := filepath.Join(dataDir, b.Name)
	var paths []string
	switch b.Kind {
	case catalogue.SpeedFlow:
		names, _ := laneFiles(dir, b, e.Data.Files)
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	case catalogue.Images:
		paths, _ = imagePaths(dir, b, e.Data.Files)
	case catalogue.CSV:
		paths, _ = rows.Paths(e.Data.File, dataDir)
	}
	return paths
}

// AbsoluteFile returns the absolute path of an existing file or directory, so that a run's
// data.file means the same from any working directory. It returns other names unchanged; Open looks
// for them in the data directory.
func AbsoluteFile(file string) (string, error) {
	if _, err := os.Stat(file); file == "" || err != nil {
		return file, nil
	}
	return filepath.Abs(file)
}
