package datasets

import (
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
)

// Open is the source of the experiment's benchmark. Data sets that come as files are looked for below dataDir, in a
// folder that has the benchmark's name; for csv, data.file is looked for in the working directory first. Values that
// cannot be and files that do not hold what they should are an *input.Error.
func Open(e config.Experiment, dataDir string) (Source, error) {
	if e.Benchmark == "speed-flow" {
		return newSpeedFlow(e, dataDir)
	}
	if newProcess, ok := processes[e.Benchmark]; ok {
		return newSynthetic(e, newProcess)
	}
	if _, ok := imageBenchmarks[e.Benchmark]; ok {
		return newImages(e, dataDir)
	}
	if e.Benchmark == "csv" {
		return newCSVSource(e, dataDir)
	}
	return nil, &input.Error{
		Key:      "benchmark",
		Found:    strconv.Quote(e.Benchmark),
		Expected: "sawtooth, rbf, matern52, double-sine, circle, lissajous, speed-flow, mnist, fashion-mnist, svhn, omniglot, freyface or csv",
	}
}
