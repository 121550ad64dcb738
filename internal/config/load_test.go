package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/test/must"
)

// write writes a configuration to a file for this test.
func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func environment(entries ...string) func() []string {
	return func() []string { return append([]string{"HOME=/root", "PATH=/bin"}, entries...) }
}

func load(t *testing.T, content string, o config.Overrides) config.Experiment {
	t.Helper()
	return must.Get(config.Load(write(t, content), o))(t)
}

// equal compares what was found with what is expected.
func equal(t *testing.T, what string, expected, found any) {
	t.Helper()
	must.Same(t, expected, found, what)
}

func TestPrecedence(t *testing.T) {
	const file = plain + "train: {steps: 2, batch_size: 2, num_tau: 2, log_every: 2}\n"
	e := load(t, file, config.Overrides{
		Env:   environment("ACQNP_TRAIN_BATCH_SIZE=3", "ACQNP_TRAIN_NUM_TAU=3", "ACQNP_TRAIN_SEED=3"),
		Set:   []string{"train.num_tau=4", "train.seed=4", "train.num_tau=5"},
		Flags: []config.Flag{{Name: "--seed", Key: "train.seed", Value: "6"}},
	})
	found := []int{e.Train.KeepCheckpoints, e.Train.Steps, e.Train.BatchSize, e.Train.NumTau, int(e.Train.Seed)}
	// default, file, environment over file, the later --set over environment, flag over --set
	equal(t, "precedence", []int{2, 2, 3, 5, 6}, found)
}

// The benchmark and the model choose the defaults, wherever they are set.
func TestDefaultsFollowOverrides(t *testing.T) {
	e := load(t, "benchmark: circle\nmodel: {name: cnp}\n", config.Overrides{
		Env: environment("ACQNP_BENCHMARK=matern52"), Set: []string{"model.name=acqnp"},
	})
	equal(t, "experiment", paperExperiment("matern52/acqnp"), e)
}

func TestEveryTypeFromOverrides(t *testing.T) {
	expected := paperExperiment("sawtooth/acqnp")
	expected.Model.Encoder = []int{8, 9}
	expected.Data.Interval = []float64{-1, 0.5}
	*expected.Data.ZeroMean = false
	expected.Train.Steps = 20000
	expected.Train.LearningRate = 2e-3
	expected.Train.Schedule = "cosine"
	expected.Eval.Seed = 1<<64 - 1

	const file = "benchmark: sawtooth\nmodel: {name: acqnp}\n"
	set := load(t, file, config.Overrides{Set: []string{
		"model.encoder=[8, 9]", "data.interval=[-1, 0.5]", "data.zero_mean=false", "train.steps=2e4",
		"train={learning_rate: 2e-3, schedule: cosine}", "eval.seed=18446744073709551615",
	}})
	equal(t, "--set", expected, set)
	env := load(t, file, config.Overrides{Env: environment(
		"ACQNP_MODEL_ENCODER=[8, 9]", "ACQNP_DATA_INTERVAL=[-1, 0.5]", "ACQNP_DATA_ZERO_MEAN=false",
		"ACQNP_TRAIN_STEPS=2e4", "ACQNP_TRAIN_LEARNING_RATE=2e-3", "ACQNP_TRAIN_SCHEDULE=cosine",
		"ACQNP_EVAL_SEED=18446744073709551615",
	)})
	equal(t, "environment", expected, env)
	files := load(t, "benchmark: speed-flow\nmodel: {name: cnp}\n", config.Overrides{
		Env: environment("ACQNP_DATA_FILES=[hdrcde.rda]"), Set: []string{"data.flow_range=[-1, 1]"},
	})
	if diff := cmp.Diff([]string{"hdrcde.rda"}, files.Data.Files); diff != "" || files.Data.FlowRange[0] != -1 {
		t.Errorf("found files %v and flow range %v", files.Data.Files, files.Data.FlowRange)
	}
}

// Variables for other settings of the program, of other programs, or without a value set no key.
func TestOtherVariables(t *testing.T) {
	load(t, plain, config.Overrides{Env: environment(
		"ACQNP_DATA_DIR=/data", "ACQNP_DEVICE=cpu", "ACQNP_THREADS=2", "ACQNP_RUN_DIR=x", "ACQNP_TRAIN_STEPS=",
		"acqnp_train_steps=no", "NOTHING",
	)})
	// Without Overrides.Env the environment is not read.
	t.Setenv("ACQNP_TRAIN_STEPS", "7")
	e, err := config.Parse("run", []byte(plain), config.Overrides{})
	if err != nil || e.Train.Steps != 100000 {
		t.Errorf("found %d steps and error %v, expected 100000 and none", e.Train.Steps, err)
	}
}

func TestOverrideRefusals(t *testing.T) {
	for _, c := range []struct {
		name      string
		set, env  string
		file, key string
		says      string
	}{
		{"no equals sign", "train.steps", "", "--set", "", "KEY=VALUE"},
		{"empty", "", "", "--set", "", "KEY=VALUE"},
		{"no key", "=3", "", "--set ", "", "unknown key"},
		{"unknown key", "train.stepz=3", "", "--set train.stepz", "", "expected train.steps"},
		{"unknown section", "trian.steps=3", "", "--set trian.steps", "", "expected train.steps"},
		{"key of a section", "steps=3", "", "--set steps", "", "expected train.steps"},
		{"case", "train.Steps=3", "", "--set train.Steps", "", "expected train.steps"},
		{"no value", "train.steps=", "", "--set train.steps", "train.steps", "nothing"},
		{"wrong type", "train.steps=2.5", "", "--set train.steps", "train.steps", "found 2.5"},
		{"impossible", "train.steps=0", "", "--set train.steps", "train.steps", "found 0"},
		{"NaN", "train.learning_rate=.nan", "", "--set train.learning_rate", "train.learning_rate", ".nan"},
		{"no YAML", "data.points=[1", "", "--set data.points", "", "not YAML"},
		{"below a key", "train={stepz: 1}", "", "--set train", "train.stepz", "train.steps"},
		{"a section", "train=3", "", "--set train", "train", "a mapping"},
		{"not used", "data.harmonics=[1, 2]", "", "--set data.harmonics", "data.harmonics", "only sawtooth can use it"},
		{"together", "data.min_context=60", "", "--set data.min_context", "data.min_context", "as few as 6"},

		{"environment: wrong type", "", "ACQNP_TRAIN_STEPS=x", "environment ACQNP_TRAIN_STEPS", "train.steps", `"x"`},
		{"environment: impossible", "", "ACQNP_TRAIN_STEPS=-1", "environment ACQNP_TRAIN_STEPS", "train.steps", "-1"},
		{"environment: not used", "", "ACQNP_DATA_NOISE=1", "environment ACQNP_DATA_NOISE", "data.noise", "matern52"},
		{"environment: no YAML", "", "ACQNP_DATA_POINTS=[1", "environment ACQNP_DATA_POINTS", "", "not YAML"},
		{"environment: unknown", "", "ACQNP_TRAIN_STEP=1", "environment ACQNP_TRAIN_STEP", "", "ACQNP_TRAIN_STEPS"},
		{"environment: misspelt", "", "ACQNP_TRIAN_STEPS=1", "environment ACQNP_TRIAN_STEPS", "", "ACQNP_TRAIN_STEPS"},
		{"environment: a section", "", "ACQNP_TRAIN={}", "environment ACQNP_TRAIN", "", "no key"},
		{"environment: together", "", "ACQNP_EVAL_NUM_POINTS=9", "environment ACQNP_EVAL_NUM_POINTS", "eval.num_points", "max_context 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := config.Overrides{Set: []string{c.set}}
			if c.env != "" {
				o = config.Overrides{Env: environment(c.env)}
			}
			_, err := config.Load(write(t, plain+"data:\n  points: [6, 100]\n"), o)
			expectRefusal(t, err, c.file, 0, c.key, c.says)
		})
	}
	_, err := config.Load(write(t, plain), config.Overrides{Flags: []config.Flag{{Name: "--seed", Key: "train.seed", Value: "-3"}}})
	expectRefusal(t, err, "--seed", 0, "train.seed", "found -3")
}

func TestAnchorsAndNumbers(t *testing.T) {
	e := load(t, "benchmark: lissajous\nmodel: {name: acqnp, encoder: &w [8, 8], decoder: *w}\n"+
		"train: {steps: 1e5, seed: &s 0x10, learning_rate: 1, weight_decay: 1E-5}\neval: {seed: *s, batches: 2.0}\n",
		config.Overrides{})
	expected := paperExperiment("lissajous/acqnp")
	expected.Model.Encoder, expected.Model.Decoder = []int{8, 8}, []int{8, 8}
	expected.Train.Seed, expected.Eval.Seed = 16, 16
	expected.Train.LearningRate = 1
	expected.Eval.Batches = 2
	equal(t, "experiment", expected, e)
}

func TestRoundTrip(t *testing.T) {
	contents := []string{
		"benchmark: sawtooth\nmodel: {name: acqnp}\ndata: {zero_mean: false}\n",
		"benchmark: rbf\nmodel: {name: cqnp}\ntrain: {seed: 18446744073709551615, learning_rate: 1.2345678901234567e-5}\n",
		"benchmark: speed-flow\nmodel: {name: cnp}\ndata: {files: [\"a: b #.rda\"], flow_range: [-1, 1]}\n",
		"benchmark: mnist\nmodel: {name: bnp, eval_bootstraps: 5}\ndata: {train_limit: 30, test_limit: 0}\ntrain: {steps: 3}\neval: {batches: 2}\n",
		"benchmark: omniglot\nmodel: {name: canp, heads: 4}\ndata: {resize: 28, filter: box}\ntrain: {epochs: 3}\n",
		minimalCSV,
		minimalCSV + "  x: [y, \"a: b\"]\n  y: [n, \"1\"]\n  group: \"true\"\n  points: [6, 9]\n  context: [1, 5]\n  split: point\n  scale: none\n",
		"benchmark: circle\nmodel: {name: cnp}\ntrain: {keep_checkpoints: 0, weight_decay: 1e-30}\ndata: {interval: [-1e-7, 1e6]}\n",
	}
	for _, name := range paperNames() {
		benchmark, model, _ := strings.Cut(name, "/")
		contents = append(contents, "benchmark: "+benchmark+"\nmodel: {name: "+model+"}\n")
	}
	for _, content := range contents {
		e := load(t, content, config.Overrides{})
		equal(t, content, e, roundTrip(t, e))
	}
}

func roundTrip(t *testing.T, e config.Experiment) config.Experiment {
	t.Helper()
	return must.Get(config.Parse("round trip", must.Get(e.YAML())(t), config.Overrides{}))(t)
}

func TestDifferences(t *testing.T) {
	a := load(t, plain, config.Overrides{})
	b := load(t, plain, config.Overrides{Set: []string{
		"train.steps=7", "train.log_every=1", "model.encoder=[8]", "train.learning_rate=0.5", "data.interval=[-1, 2]",
	}})
	if d := config.Differences(a, a); len(d) != 0 {
		t.Errorf("found %q between equals", d)
	}
	expected := []string{
		"model.encoder: [128, 128, 128] and [8]", "data.interval: [-2, 2] and [-1, 2]", "train.steps: 100000 and 7",
		"train.learning_rate: 0.001 and 0.5", "train.log_every: 100 and 1",
	}
	equal(t, "differences", expected, config.Differences(a, b))
	offset := load(t, saw, config.Overrides{Set: []string{"data.zero_mean=false"}})
	own := func(set ...string) config.Experiment { return load(t, minimalCSV, config.Overrides{Set: set}) }
	equal(t, "columns", []string{`data.group: nothing and "nothing"`, `data.x: [a, b] and ["a, b"]`},
		config.Differences(own("data.x=[a, b]"), own(`data.x=["a, b"]`, "data.group=nothing")))
	equal(t, "a boolean", []string{"data.zero_mean: true and false"}, config.Differences(load(t, saw, config.Overrides{}), offset))
}

func TestResumeDifferences(t *testing.T) {
	const images = "benchmark: mnist\nmodel: {name: bnp}\ntrain: {batch_size: 8}\n"
	for _, c := range []struct {
		file, before, now string
		want              []string
	}{
		{plain, "", "train.steps=7 train.log_every=1 train.checkpoint_every=1 train.keep_checkpoints=0", nil},
		{plain, "train.schedule=cosine", "train.schedule=cosine train.steps=7", []string{"train.steps: 100000 and 7"}},
		{plain, "", "train.seed=1 eval.seed=2 train.steps=7", []string{"train.seed: 0 and 1", "eval.seed: 43 and 2"}},
		{images, "", "train.epochs=7", []string{"train.epochs: 100 and 7"}}, // bnp's rate is not constant
		{images, "train.schedule=constant", "train.schedule=constant train.steps=7", nil},
	} {
		before := load(t, c.file, config.Overrides{Set: strings.Fields(c.before)})
		now := load(t, c.file, config.Overrides{Set: strings.Fields(c.now)})
		equal(t, c.now, c.want, config.ResumeDifferences(before, now))
	}
}

const minimalCSV = "benchmark: csv\nmodel: {name: cqnp}\ndata:\n  file: my data.csv\n" // next line: 5

// csv needs only the name of its file. What depends on the files stays unset.
func TestCSVDefaults(t *testing.T) {
	expected := config.Data{Seed: 43, File: "my data.csv", XColumns: []string{"x"}, YColumns: []string{"y"},
		SplitBy: "group", TrainFraction: 0.75, ValidFraction: 0.1, Scale: "standard", Missing: "error"}
	for _, model := range []string{"cnp", "canp", "bnp", "cqnp", "acqnp"} {
		e := load(t, minimalCSV, config.Overrides{Set: []string{"model.name=" + model}})
		equal(t, model, expected, e.Data)
		if e.Train.Steps == 0 || e.Train.BatchSize == 0 || e.Train.LearningRate == 0 || e.Eval.BatchSize == 0 {
			t.Errorf("%s: found training %+v and evaluation %+v with nothing set", model, e.Train, e.Eval)
		}
		quantile := model == "cqnp" || model == "acqnp"
		if (e.Train.NumTau != 0) != quantile || (e.Eval.NumTau != 0) != quantile || (e.Model.TrainBootstraps != 0) != (model == "bnp") {
			t.Errorf("%s: found %d and %d levels, %d bootstraps", model, e.Train.NumTau, e.Eval.NumTau, e.Model.TrainBootstraps)
		}
	}
}

// Defaults follow the benchmark, the model and its aggregation. Unset values are nothing or 0.
func TestDefaultsFollowTheChoice(t *testing.T) {
	const rbf, groups, own = "benchmark: rbf\n", "benchmark: groups\n", "data: {file: a.csv}\n"
	for _, c := range []struct{ benchmark, models, more, want string }{
		{rbf, "cnp cqnp acqnp", "aggregation: mean", "train.loss=all model.heads=0 model.layers=0 model.feedforward=0 model.key_encoder=nothing"},
		{rbf, "cnp cqnp acqnp", "aggregation: attention",
			"train.loss=targets model.heads=8 model.layers=0 model.feedforward=0 model.key_encoder=[128] model.query_encoder=[128]"},
		{rbf, "cnp cqnp acqnp", "aggregation: transformer",
			"train.loss=targets model.heads=4 model.layers=6 model.feedforward=128 model.key_encoder=nothing model.query_encoder=nothing"},
		{rbf, "acqnp", "", "model.adaptor_form=plain model.scale_form=paper"},
		{rbf, "cqnp", "", "model.adaptor_form=nothing model.scale_form=paper"},
		{own, "acqnp", "", "benchmark=csv model.adaptor_form=residual model.scale_form=natural"},
		{own, "cqnp", "", "model.adaptor_form=nothing model.scale_form=natural"},
		{groups, "cnp cqnp acqnp", "", "model.aggregation=groups train.loss=targets model.layers=6 model.heads=4"},
		{groups, "cnp", "", "model.scale_form=nothing model.adaptor_form=nothing"},
		{groups, "cqnp", "", "model.scale_form=natural model.adaptor_form=nothing"},
		{groups, "acqnp", "", "model.scale_form=natural model.adaptor_form=residual"},
	} {
		for model := range strings.FieldsSeq(c.models) {
			e := load(t, c.benchmark+"model: {name: "+model+", "+c.more+"}\n", config.Overrides{})
			for pair := range strings.FieldsSeq(c.want) {
				key, want, _ := strings.Cut(pair, "=")
				if got := e.Value(key); got != want {
					t.Errorf("%s on %s%s: %s is %s, want %s", model, c.benchmark, c.more, key, got, want)
				}
			}
		}
	}
}

// The length of a run is in steps or in epochs, as the highest layer says.
func TestStepsAndEpochs(t *testing.T) {
	const mnist = "benchmark: mnist\nmodel: {name: cnp}\n"
	for _, c := range []struct {
		name, file    string
		env           []string
		set           []string
		steps, epochs int
	}{
		{name: "default", file: mnist, epochs: 100},
		{name: "steps in the file", file: mnist + "train: {steps: 7}\n", steps: 7},
		{name: "steps over epochs", file: mnist + "train: {epochs: 3}\n", set: []string{"train.steps=7"}, steps: 7},
		{name: "epochs over steps", file: mnist + "train: {steps: 7}\n", set: []string{"train.epochs=3"}, epochs: 3},
		{name: "environment over file", file: mnist + "train: {epochs: 3}\n", env: []string{"ACQNP_TRAIN_STEPS=7"}, steps: 7},
		{name: "flags over environment", file: mnist, env: []string{"ACQNP_TRAIN_STEPS=7"}, set: []string{"train={epochs: 3}"}, epochs: 3},
		{name: "back again", file: mnist + "train: {epochs: 3}\n", env: []string{"ACQNP_TRAIN_STEPS=7"}, set: []string{"train.epochs=4"}, epochs: 4},
	} {
		e := load(t, c.file, config.Overrides{Env: environment(c.env...), Set: c.set})
		if e.Train.Steps != c.steps || e.Train.Epochs != c.epochs {
			t.Errorf("%s: found %d steps and %d epochs, expected %d and %d", c.name, e.Train.Steps, e.Train.Epochs, c.steps, c.epochs)
		}
	}
	_, err := config.Load(write(t, mnist), config.Overrides{Set: []string{"train.epochs=3", "train.steps=7"}})
	expectRefusal(t, err, "--set train.steps", 0, "train.steps", "together with train.epochs")
}

// A configuration with data.file and without a benchmark is one of csv.
func TestBenchmarkOfOwnFiles(t *testing.T) {
	const own = "model: {name: cnp}\ntrain: {steps: 5}\n"
	want := load(t, "benchmark: csv\ndata: {file: a.csv}\n"+own, config.Overrides{})
	for text, o := range map[string]config.Overrides{
		"data: {file: a.csv}\n" + own: {}, own: {Set: []string{"data.file=a.csv"}}, "data: {}\n" + own: {Env: environment("ACQNP_DATA_FILE=a.csv")},
	} {
		equal(t, text, want, load(t, text, o))
	}
	for _, o := range []config.Overrides{{}, {Set: []string{"benchmark=circle", "data.file=a.csv"}}} {
		if must.Err(config.Parse("own.yaml", []byte(own), o)) == nil {
			t.Errorf("%v: no benchmark, or a file for circle, is taken", o.Set)
		}
	}
}
