package config_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config"
)

const shipped = "../../configs"

// row is one line of the supplement's tables: learning rate, L2 regulariser, N_τ in training and testing (0: the model
// has no levels), and the hidden widths of encoder, adaptor and decoder as [width × depth].
type row struct {
	rate, decay       float64
	tau, testTau      int
	width             int
	enc, adaptor, dec int
}

// supplement is transcribed from the paper's supplement (architectures and hyper-parameters of CNP, CQNP and ACQNP on
// synthetic data and on speed-flow), independently of the package's own tables.
var supplement = map[string]row{
	"sawtooth/cnp":    {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"rbf/cnp":         {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"matern52/cnp":    {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"double-sine/cnp": {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"circle/cnp":      {5e-4, 1e-5, 0, 0, 128, 3, 0, 3},
	"lissajous/cnp":   {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"speed-flow/cnp":  {1e-4, 1e-5, 0, 0, 64, 2, 0, 2},

	"sawtooth/cqnp":    {5e-4, 1e-5, 50, 100, 128, 3, 0, 3},
	"rbf/cqnp":         {1e-3, 1e-5, 50, 100, 128, 3, 0, 3},
	"matern52/cqnp":    {5e-3, 1e-5, 50, 100, 128, 3, 0, 3},
	"double-sine/cqnp": {1e-3, 1e-5, 50, 100, 128, 3, 0, 3},
	"circle/cqnp":      {1e-3, 0, 50, 100, 128, 3, 0, 3},
	"lissajous/cqnp":   {1e-3, 1e-5, 50, 100, 128, 3, 0, 3},
	"speed-flow/cqnp":  {5e-3, 1e-5, 100, 50, 64, 2, 0, 2},

	"sawtooth/acqnp":    {5e-4, 0, 50, 100, 128, 3, 3, 3},
	"rbf/acqnp":         {1e-3, 0, 50, 100, 128, 3, 5, 3},
	"matern52/acqnp":    {1e-3, 1e-5, 50, 100, 128, 3, 4, 3},
	"double-sine/acqnp": {1e-3, 1e-5, 50, 100, 128, 3, 5, 3},
	"circle/acqnp":      {1e-3, 1e-5, 50, 100, 128, 3, 5, 3},
	"lissajous/acqnp":   {1e-3, 1e-5, 50, 100, 128, 3, 5, 3},
	"speed-flow/acqnp":  {5e-3, 1e-5, 100, 50, 64, 2, 2, 2},
}

// paperExperiment is a run of the paper: the supplement's row, and the data, sizes and protocol of its text.
func paperExperiment(name string) config.Experiment {
	r := supplement[name]
	benchmark, model, _ := strings.Cut(name, "/")
	layers := func(depth int) []int {
		if depth == 0 {
			return nil
		}
		return slices.Repeat([]int{r.width}, depth)
	}
	e := config.Experiment{
		Benchmark: benchmark,
		Model: config.Model{
			Name: model, Representation: r.width,
			Encoder: layers(r.enc), Adaptor: layers(r.adaptor), Decoder: layers(r.dec),
		},
		Data: config.Data{Seed: 43},
		Train: config.Train{
			Steps: 100000, BatchSize: 128, NumTau: r.tau, LearningRate: r.rate, WeightDecay: r.decay,
			Schedule: "constant", LogEvery: 100, CheckpointEvery: 5000, KeepCheckpoints: 2,
		},
		Eval: config.Eval{NumTau: r.testTau, Batches: 5000, BatchSize: 16, NumPoints: 500, MaxContext: 100, Seed: 43},
	}
	if benchmark == "speed-flow" {
		e.Data.Files = []string{"lane2.csv", "lane3.csv"}
		e.Data.TrainFraction, e.Data.Partitions = 0.75, 10000
		e.Data.Context, e.Data.FlowRange = []int{500, 985}, []float64{0, 1}
		e.Train.Steps, e.Train.BatchSize = 10000, 2
		e.Eval = config.Eval{NumTau: r.testTau, Batches: 1, BatchSize: 2, Seed: 43}
		return e
	}
	e.Data.Points, e.Data.MinContext, e.Data.MinTargets = []int{6, 100}, 3, 3
	e.Data.Interval = []float64{-2, 2}
	switch benchmark {
	case "sawtooth":
		zeroMean := true
		e.Data.Harmonics, e.Data.ZeroMean = []int{10, 19}, &zeroMean
	case "rbf", "matern52":
		e.Data.Length, e.Data.Amplitude, e.Data.Noise = 0.25, 0.75, 0.02
		e.Eval.MaxContext = 50
	case "circle", "lissajous":
		e.Data.Interval = []float64{-math.Pi, math.Pi}
	}
	return e
}

func TestShippedConfigsSayWhatThePaperSays(t *testing.T) {
	for name := range supplement {
		e, err := config.Load(filepath.Join(shipped, name+".yaml"), config.Overrides{})
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(paperExperiment(name), e); diff != "" {
			t.Errorf("%s (-paper +config):\n%s", name, diff)
		}
	}
}

func TestDefaultsAreThePaper(t *testing.T) {
	for name := range supplement {
		benchmark, model, _ := strings.Cut(name, "/")
		e, err := config.Parse(name, fmt.Appendf(nil, "benchmark: %s\nmodel: {name: %s}\n", benchmark, model), config.Overrides{})
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(paperExperiment(name), e); diff != "" {
			t.Errorf("%s (-paper +defaults):\n%s", name, diff)
		}
	}
}

// A shipped file leaves nothing to a default: its keys are those of the resolved experiment.
func TestShippedConfigsAreComplete(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shipped, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(supplement) {
		t.Errorf("found %d files below configs, expected %d", len(files), len(supplement))
	}
	for _, file := range append(files, filepath.Join(shipped, "quickstart.yaml")) {
		e, err := config.Load(file, config.Overrides{})
		if err != nil {
			t.Error(err)
			continue
		}
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(keysOf(t, resolved), keysOf(t, written)); diff != "" {
			t.Errorf("%s (-resolved +written):\n%s", file, diff)
		}
	}
}

func keysOf(t *testing.T, content []byte) []string {
	t.Helper()
	var root map[string]any
	if err := yaml.Unmarshal(content, &root); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for k, v := range root {
		section, ok := v.(map[string]any)
		if !ok {
			keys = append(keys, k)
		}
		for name := range section {
			keys = append(keys, k+"."+name)
		}
	}
	slices.Sort(keys)
	return keys
}
