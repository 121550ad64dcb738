// Package benchmark opens the data of an experiment, whatever they are: own tables or a benchmark of the paper.
//
//	source, err := benchmark.Open(experiment, dataDir)
//	var b datasets.Batch
//	err = source.Train.Make(0, &b) // b.X [B, N, dx], b.Y [B, N, dy]
package benchmark

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/own"
	"github.com/acqnp/acqnp/internal/datasets/paper"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/datasets/simulated"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Open returns the source of the experiment's benchmark. The experiment must come from package
// config, which checks everything that does not need the data. Files are in dataDir, in the folder
// of the benchmark; csv's data.file is first looked for in the working directory, those of tasks there alone. A missing or
// wrong file, or one with too little data for the configuration, is an *invalid.Input.
func Open(e config.Experiment, dataDir string) (*datasets.Source, error) {
	b, ok := catalogue.Find(e.Benchmark)
	if !ok {
		return nil, fmt.Errorf("benchmark: found the unknown benchmark %q", e.Benchmark)
	}
	switch b.Kind {
	case catalogue.Groups:
		return nil, &invalid.Input{Key: "benchmark", Found: b.Name, Expected: "another: the program that trains on invented data sets is research/pretrained"}
	case catalogue.CSV:
		return own.Open(e, dataDir)
	case catalogue.Tasks:
		return simulated.Open(e)
	}
	return paper.Open(e, b, dataDir)
}

// Files returns the paths of the existing files that Open reads for the experiment.
func Files(e config.Experiment, dataDir string) []string {
	b, _ := catalogue.Find(e.Benchmark)
	switch b.Kind {
	case catalogue.CSV:
		paths, _ := rows.Paths(e.Data.File, dataDir)
		return paths
	case catalogue.Tasks:
		return simulated.Files(e)
	}
	return paper.Files(e, b, dataDir)
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
