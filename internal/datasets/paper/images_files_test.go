package paper_test

import (
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
)

// imageDir returns a directory with small files of all five benchmarks: 37 training images and 20
// test images each, and 37 frames of freyface that are not split yet.
func imageDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range datatest.Images(37, 20) {
		datatest.Put(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	return dir
}

var imageNames = catalogue.Names(func(b catalogue.Benchmark) bool { return b.Kind == catalogue.Images })

// imageExperiment returns an experiment with the paper's values.
func imageExperiment(name string) config.Experiment {
	b, _ := catalogue.Find(name)
	e := config.Experiment{
		Benchmark: name,
		Data:      config.Data{Seed: 43, MinContext: new(3), Files: b.FileNames()},
		Train:     config.Train{Epochs: 100, BatchSize: 16, Seed: 7},
		Eval:      config.Eval{BatchSize: 16, Seed: 43},
	}
	switch name {
	case "omniglot":
		e.Data.Resize, e.Data.Filter = 32, "bilinear"
	case "freyface":
		e.Data.TrainFraction, e.Data.TestCopies = 0.75, 5
	}
	return e
}
