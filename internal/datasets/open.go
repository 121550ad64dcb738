package datasets

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/benchmark"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
)

// Open returns the source of the experiment's benchmark. The experiment must come from package config, which checks all
// that can be known without the data. Files are looked for in the folder of the benchmark's name below dataDir; for csv,
// data.file is looked for in the working directory first. Files that do not hold what they should, or not enough of it
// for the configuration, are an *input.Error.
func Open(e config.Experiment, dataDir string) (Source, error) {
	b, ok := benchmark.Find(e.Benchmark)
	if !ok {
		return nil, fmt.Errorf("datasets: there is no benchmark %q", e.Benchmark)
	}
	switch b.Kind {
	case benchmark.SpeedFlow:
		return newSpeedFlow(e, b, dataDir)
	case benchmark.Images:
		return newImages(e, b, dataDir)
	case benchmark.CSV:
		return newCSVSource(e, dataDir)
	}
	return newSynthetic(e), nil
}

// refuse returns an error about the value of a configuration key that the data do not allow.
func refuse(key string, found any, expected string, values ...any) error {
	return &input.Error{Key: key, Found: fmt.Sprint(found), Expected: fmt.Sprintf(expected, values...)}
}
