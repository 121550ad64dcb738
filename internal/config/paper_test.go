package config_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
)

const shipped = "../../configs"

// row is one line of the supplement's tables: learning rate, L2 regulariser, N_τ in training and
// testing (0 if the model has no levels), and the hidden widths of encoder, adaptor and decoder as
// [width × depth]. CANP's key and query MLPs have one hidden layer of the same width in every
// table.
type row struct {
	rate, decay       float64
	tau, testTau      int
	width             int
	enc, adaptor, dec int
}

// supplement holds the numbers of the paper's supplement, transcribed independently of the
// catalogue: architectures and hyper-parameters of CNP, CANP, CQNP and ACQNP on synthetic data,
// speed-flow and images.
var supplement = map[string]row{
	"sawtooth/cnp":      {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"rbf/cnp":           {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"matern52/cnp":      {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"double-sine/cnp":   {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"circle/cnp":        {5e-4, 1e-5, 0, 0, 128, 3, 0, 3},
	"lissajous/cnp":     {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"speed-flow/cnp":    {1e-4, 1e-5, 0, 0, 64, 2, 0, 2},
	"mnist/cnp":         {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"fashion-mnist/cnp": {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"omniglot/cnp":      {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"freyface/cnp":      {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"svhn/cnp":          {5e-4, 0, 0, 0, 128, 3, 0, 3},

	"sawtooth/canp":      {1e-4, 0, 0, 0, 128, 3, 0, 3},
	"rbf/canp":           {1e-4, 0, 0, 0, 128, 3, 0, 3},
	"matern52/canp":      {1e-4, 0, 0, 0, 128, 3, 0, 3},
	"double-sine/canp":   {1e-4, 1e-5, 0, 0, 128, 3, 0, 3},
	"circle/canp":        {1e-4, 1e-5, 0, 0, 128, 3, 0, 3},
	"lissajous/canp":     {1e-4, 1e-5, 0, 0, 128, 3, 0, 3},
	"speed-flow/canp":    {1e-4, 1e-5, 0, 0, 64, 2, 0, 2},
	"mnist/canp":         {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"fashion-mnist/canp": {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"omniglot/canp":      {5e-4, 0, 0, 0, 128, 3, 0, 3},
	"freyface/canp":      {5e-4, 1e-5, 0, 0, 128, 3, 0, 3},
	"svhn/canp":          {5e-4, 0, 0, 0, 128, 3, 0, 3},

	"sawtooth/cqnp":      {5e-4, 1e-5, 50, 100, 128, 3, 0, 3},
	"rbf/cqnp":           {1e-3, 1e-5, 50, 100, 128, 3, 0, 3},
	"matern52/cqnp":      {5e-3, 1e-5, 50, 100, 128, 3, 0, 3},
	"double-sine/cqnp":   {1e-3, 1e-5, 50, 100, 128, 3, 0, 3},
	"circle/cqnp":        {1e-3, 0, 50, 100, 128, 3, 0, 3},
	"lissajous/cqnp":     {1e-3, 1e-5, 50, 100, 128, 3, 0, 3},
	"speed-flow/cqnp":    {5e-3, 1e-5, 100, 50, 64, 2, 0, 2},
	"mnist/cqnp":         {5e-4, 0, 25, 50, 128, 3, 0, 3},
	"fashion-mnist/cqnp": {1e-3, 1e-5, 25, 50, 128, 3, 0, 3},
	"omniglot/cqnp":      {1e-3, 1e-5, 25, 50, 128, 3, 0, 3},
	"freyface/cqnp":      {1e-3, 0, 25, 50, 128, 3, 0, 3},
	"svhn/cqnp":          {1e-3, 1e-5, 25, 50, 128, 3, 0, 3},

	"sawtooth/acqnp":      {5e-4, 0, 50, 100, 128, 3, 3, 3},
	"rbf/acqnp":           {1e-3, 0, 50, 100, 128, 3, 5, 3},
	"matern52/acqnp":      {1e-3, 1e-5, 50, 100, 128, 3, 4, 3},
	"double-sine/acqnp":   {1e-3, 1e-5, 50, 100, 128, 3, 5, 3},
	"circle/acqnp":        {1e-3, 1e-5, 50, 100, 128, 3, 5, 3},
	"lissajous/acqnp":     {1e-3, 1e-5, 50, 100, 128, 3, 5, 3},
	"speed-flow/acqnp":    {5e-3, 1e-5, 100, 50, 64, 2, 2, 2},
	"mnist/acqnp":         {1e-3, 1e-5, 25, 50, 128, 3, 5, 3},
	"fashion-mnist/acqnp": {1e-3, 1e-5, 25, 50, 128, 3, 5, 3},
	"omniglot/acqnp":      {1e-3, 1e-5, 25, 50, 128, 3, 5, 3},
	"freyface/acqnp":      {1e-3, 1e-5, 25, 50, 128, 3, 5, 3},
	"svhn/acqnp":          {1e-3, 1e-5, 25, 50, 128, 3, 5, 3},
}

// bnpRow is one line of the supplement's tables of BNP: learning rate, L2 regulariser, scheduler,
// d_h and the depths.
type bnpRow struct {
	rate, decay           float64
	schedule              string
	width, pre, post, dec int
}

// bnpSupplement is the same transcription for BNP, whose tables have other columns.
var bnpSupplement = map[string]bnpRow{
	"sawtooth/bnp":      {5e-4, 0, "cosine", 128, 5, 3, 5},
	"rbf/bnp":           {5e-4, 0, "cosine", 128, 5, 3, 5},
	"matern52/bnp":      {5e-4, 0, "cosine", 128, 5, 3, 5},
	"double-sine/bnp":   {5e-4, 0, "cosine", 128, 5, 3, 5},
	"circle/bnp":        {5e-4, 0, "cosine", 128, 5, 3, 5},
	"lissajous/bnp":     {5e-4, 0, "cosine", 128, 5, 3, 5},
	"speed-flow/bnp":    {5e-4, 1e-5, "constant", 64, 4, 3, 4},
	"mnist/bnp":         {5e-4, 0, "cosine", 128, 5, 3, 5},
	"fashion-mnist/bnp": {5e-4, 0, "cosine", 128, 5, 3, 5},
	"omniglot/bnp":      {5e-4, 0, "cosine", 128, 5, 3, 5},
	"freyface/bnp":      {5e-4, 0, "cosine", 128, 5, 3, 5},
	"svhn/bnp":          {5e-4, 0, "cosine", 128, 5, 3, 5},
}

// paperNames returns the names of the paper's runs: 12 benchmarks × 5 models.
func paperNames() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(supplement)), maps.Keys(bnpSupplement))
	slices.Sort(names)
	return names
}

// paperExperiment returns a run of the paper: the supplement's row, and the data, sizes and
// protocol that the text describes.
func paperExperiment(name string) config.Experiment {
	benchmark, model, _ := strings.Cut(name, "/")
	e := paperData(benchmark)
	e.Model.Name, e.Train.Loss = model, config.AllPoints
	if model == "cnp" || model == "cqnp" || model == "acqnp" {
		e.Model.Aggregation = config.Mean
	}
	if model == "acqnp" {
		e.Model.AdaptorForm = config.Plain
	}
	if model == "cqnp" || model == "acqnp" {
		e.Train.Levels, e.Model.ScaleForm = config.RandomLevels, config.PaperScale
	}
	e.Model.SigmaFloor = map[string]float64{"cnp": 0.1, "canp": 0.1, "bnp": 0.1, "cqnp": 0.01, "acqnp": 0.01}[model]
	e.Train.LogEvery, e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 100, 5000, 2
	if r, ok := bnpSupplement[name]; ok {
		e.Model.Width, e.Model.PreDepth, e.Model.PostDepth, e.Model.DecoderDepth = r.width, r.pre, r.post, r.dec
		e.Model.TrainBootstraps, e.Model.EvalBootstraps = 4, 50
		e.Train.LearningRate, e.Train.WeightDecay, e.Train.Schedule = r.rate, r.decay, r.schedule
		return e
	}
	r := supplement[name]
	layers := func(depth int) []int {
		if depth == 0 {
			return nil
		}
		return slices.Repeat([]int{r.width}, depth)
	}
	e.Model.Representation, e.Model.Encoder, e.Model.Adaptor, e.Model.Decoder = r.width, layers(r.enc), layers(r.adaptor), layers(r.dec)
	if model == "canp" {
		e.Model.KeyEncoder, e.Model.QueryEncoder, e.Model.Heads = layers(1), layers(1), 8
	}
	e.Train.LearningRate, e.Train.WeightDecay, e.Train.Schedule = r.rate, r.decay, "constant"
	e.Train.NumTau, e.Eval.NumTau = r.tau, r.testTau
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

// The files of the paper's benchmarks and models are the paper's 60 runs.
func TestShippedConfigsSayWhatThePaperSays(t *testing.T) {
	var found []string
	for _, file := range shippedFiles(t) {
		folder, model := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".yaml")
		if b, _ := catalogue.Find(folder); b.Table != "" && slices.Contains(config.Models(), model) {
			found = append(found, folder+"/"+model)
		}
	}
	slices.Sort(found)
	names := paperNames()
	if diff := cmp.Diff(names, found); len(names) != 12*5 || diff != "" {
		t.Errorf("%d runs of the paper (-paper +files):\n%s", len(names), diff)
	}
	for _, name := range names {
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
	for _, name := range paperNames() {
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

// shippedFiles returns the paths configs/<benchmark>/<name>.yaml.
func shippedFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shipped, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
