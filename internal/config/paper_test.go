package config_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
)

// A rate is a learning rate with its L2 regulariser.
type rate struct{ learning, decay float64 }

// supplement holds the numbers of the paper's supplement that differ between benchmarks, transcribed
// independently of the catalogue: the rates of paperModels, and the layers of ACQNP's adaptor.
var supplement = map[string]struct {
	rates   []rate
	adaptor int
}{
	"sawtooth":      {[]rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {5e-4, 1e-5}, {5e-4, 0}}, 3},
	"rbf":           {[]rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 0}}, 5},
	"matern52":      {[]rate{{5e-4, 0}, {1e-4, 0}, {5e-4, 0}, {5e-3, 1e-5}, {1e-3, 1e-5}}, 4},
	"double-sine":   {[]rate{{5e-4, 0}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}, 5},
	"circle":        {[]rate{{5e-4, 1e-5}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 0}, {1e-3, 1e-5}}, 5},
	"lissajous":     {[]rate{{5e-4, 0}, {1e-4, 1e-5}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}, 5},
	"speed-flow":    {[]rate{{1e-4, 1e-5}, {1e-4, 1e-5}, {5e-4, 1e-5}, {5e-3, 1e-5}, {5e-3, 1e-5}}, 2},
	"mnist":         {[]rate{{5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}}, 5},
	"fashion-mnist": {[]rate{{5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}, 5},
	"omniglot":      {[]rate{{5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}, 5},
	"freyface":      {[]rate{{5e-4, 0}, {5e-4, 1e-5}, {5e-4, 0}, {1e-3, 0}, {1e-3, 1e-5}}, 5},
	"svhn":          {[]rate{{5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}, 5},
}

var paperModels = []string{"cnp", "canp", "bnp", "cqnp", "acqnp"}

// paperNames returns the names of the paper's runs: 12 benchmarks × 5 models.
func paperNames() (names []string) {
	for _, benchmark := range slices.Sorted(maps.Keys(supplement)) {
		for _, model := range paperModels {
			names = append(names, benchmark+"/"+model)
		}
	}
	return names
}

// paperExperiment returns a run of the paper: the supplement's rates, and the architectures, data,
// sizes and protocol that are the same for synthetic data, for speed-flow and for images.
func paperExperiment(name string) config.Experiment {
	benchmark, model, _ := strings.Cut(name, "/")
	e := paperData(benchmark)
	r := supplement[benchmark].rates[slices.Index(paperModels, model)]
	e.Train.LearningRate, e.Train.WeightDecay, e.Train.Schedule, e.Train.Loss = r.learning, r.decay, "constant", config.AllPoints
	e.Train.LogEvery, e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 100, 5000, 2
	e.Model.Name, e.Model.SigmaFloor = model, 0.1
	width, depth, bnp := 128, 3, 5
	tau, testTau := 50, 100
	switch {
	case benchmark == "speed-flow":
		width, depth, bnp, tau, testTau = 64, 2, 4, 100, 50
	case e.Train.Epochs > 0: // images
		tau, testTau = 25, 50
	}
	if model == "bnp" {
		e.Model.Width, e.Model.PreDepth, e.Model.PostDepth, e.Model.DecoderDepth = width, bnp, 3, bnp
		e.Model.TrainBootstraps, e.Model.EvalBootstraps = 4, 50
		if benchmark != "speed-flow" {
			e.Train.Schedule = "cosine"
		}
		return e
	}
	layers := func(depth int) []int { return slices.Repeat([]int{width}, depth) }
	e.Model.Representation, e.Model.Encoder, e.Model.Decoder = width, layers(depth), layers(depth)
	switch model {
	case "canp":
		e.Model.KeyEncoder, e.Model.QueryEncoder, e.Model.Heads = layers(1), layers(1), 8
		return e
	case "acqnp":
		e.Model.Adaptor, e.Model.AdaptorForm = layers(supplement[benchmark].adaptor), config.Plain
		fallthrough
	case "cqnp":
		e.Train.Levels, e.Model.ScaleForm, e.Model.SigmaFloor = config.RandomLevels, config.PaperScale, 0.01
		e.Train.NumTau, e.Eval.NumTau = tau, testTau
	}
	e.Model.Aggregation = config.Mean
	return e
}

// paperData returns what the paper's text says about a benchmark, for all models.
func paperData(benchmark string) config.Experiment {
	e := config.Experiment{Benchmark: benchmark, Data: config.Data{Seed: 43}, Eval: config.Eval{Seed: 43}}
	switch benchmark {
	case "speed-flow":
		e.Data.Files = []string{"lane2.csv", "lane3.csv"}
		e.Data.TrainFraction, e.Data.Partitions = 0.75, 10000
		e.Data.Context, e.Data.FlowRange = []int{500, 985}, []float64{0, 1}
		e.Train.Steps, e.Train.BatchSize = 10000, 2
		e.Eval.Batches, e.Eval.BatchSize = 1, 2
	case "mnist", "fashion-mnist", "svhn", "omniglot", "freyface":
		e.Data.MinContext = new(3)
		e.Train.Epochs, e.Train.BatchSize, e.Eval.BatchSize = 100, 16, 16
		paperFiles(&e)
	default:
		paperProcess(&e)
	}
	return e
}

func paperFiles(e *config.Experiment) {
	switch e.Benchmark {
	case "mnist", "fashion-mnist":
		e.Data.Files = []string{"train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"}
	case "svhn":
		e.Data.Files = []string{"train_32x32.mat", "test_32x32.mat"}
	case "omniglot":
		e.Data.Files = []string{"images_background.zip", "images_evaluation.zip"}
		e.Data.Resize, e.Data.Filter = 32, "bilinear"
	case "freyface":
		e.Data.Files = []string{"frey_rawface.mat"}
		e.Data.TrainFraction, e.Data.TestCopies = 0.75, 5
	}
}

func paperProcess(e *config.Experiment) {
	e.Train.Steps, e.Train.BatchSize = 100000, 128
	e.Eval = config.Eval{Batches: 5000, BatchSize: 16, NumPoints: 500, MaxContext: 100, Seed: 43}
	e.Data.Points, e.Data.MinContext, e.Data.MinTargets = []int{6, 100}, new(3), 3
	e.Data.Interval = []float64{-2, 2}
	switch e.Benchmark {
	case "sawtooth":
		zeroMean := true
		e.Data.Harmonics, e.Data.ZeroMean = []int{10, 19}, &zeroMean
	case "rbf", "matern52":
		e.Data.Length, e.Data.Amplitude, e.Data.Noise = 0.25, 0.75, 0.02
		e.Eval.MaxContext = 50
	case "circle", "lissajous":
		e.Data.Interval = []float64{-math.Pi, math.Pi}
	}
}

// The shipped files of the paper's runs are written from these defaults, as another test checks.
func TestDefaultsAreThePaper(t *testing.T) {
	for _, name := range paperNames() {
		benchmark, model, _ := strings.Cut(name, "/")
		e := load(t, fmt.Sprintf("benchmark: %s\nmodel: {name: %s}\n", benchmark, model), config.Overrides{})
		equal(t, name, paperExperiment(name), e)
	}
}
