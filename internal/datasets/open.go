package datasets

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Invent makes the source of the benchmark groups. It is nil but in the program of research/pretrained.
var Invent func(config.Experiment) Source

// Open returns the source of the experiment's benchmark. The experiment must come from package
// config, which checks everything that does not need the data. Files are in dataDir, in the folder
// of the benchmark; csv's data.file is first looked for in the working directory. A missing or
// wrong file, or one with too little data for the configuration, is an *invalid.Input.
func Open(e config.Experiment, dataDir string) (Source, error) {
	b, ok := catalogue.Find(e.Benchmark)
	if !ok {
		return nil, fmt.Errorf("datasets: found the unknown benchmark %q", e.Benchmark)
	}
	switch b.Kind {
	case catalogue.SpeedFlow:
		return newSpeedFlow(e, b, dataDir)
	case catalogue.Images:
		return newImages(e, b, dataDir)
	case catalogue.Groups:
		if Invent == nil {
			return nil, &invalid.Input{Key: "benchmark", Found: b.Name, Expected: "another: the program that trains on invented data sets is research/pretrained"}
		}
		return Invent(e), nil
	case catalogue.CSV:
		return newOwnSource(e, dataDir)
	}
	return newSynthetic(e), nil
}

// refuse returns an error about a value of the configuration that the data do not allow.
func refuse(key string, found any, expected string, values ...any) error {
	return &invalid.Input{Key: key, Found: fmt.Sprint(found), Expected: fmt.Sprintf(expected, values...)}
}
