package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
)

// write writes a configuration to a file for this test.
func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func environment(entries ...string) func() []string {
	return func() []string { return append([]string{"HOME=/root", "PATH=/bin"}, entries...) }
}

func load(t *testing.T, content string, o config.Overrides) config.Experiment {
	t.Helper()
	e, err := config.Load(write(t, content), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
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
	if diff := cmp.Diff([]int{2, 2, 3, 5, 6}, found); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
}

// The benchmark and the model choose the defaults, wherever they are set.
func TestDefaultsFollowOverrides(t *testing.T) {
	e := load(t, "benchmark: circle\nmodel: {name: cnp}\n", config.Overrides{
		Env: environment("ACQNP_BENCHMARK=matern52"), Set: []string{"model.name=acqnp"},
	})
	if diff := cmp.Diff(paperExperiment("matern52/acqnp"), e); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
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
	if diff := cmp.Diff(expected, set); diff != "" {
		t.Errorf("--set (-expected +found):\n%s", diff)
	}
	env := load(t, file, config.Overrides{Env: environment(
		"ACQNP_MODEL_ENCODER=[8, 9]", "ACQNP_DATA_INTERVAL=[-1, 0.5]", "ACQNP_DATA_ZERO_MEAN=false",
		"ACQNP_TRAIN_STEPS=2e4", "ACQNP_TRAIN_LEARNING_RATE=2e-3", "ACQNP_TRAIN_SCHEDULE=cosine",
		"ACQNP_EVAL_SEED=18446744073709551615",
	)})
	if diff := cmp.Diff(expected, env); diff != "" {
		t.Errorf("environment (-expected +found):\n%s", diff)
	}
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
	if diff := cmp.Diff(expected, e); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
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
		again := roundTrip(t, e)
		if diff := cmp.Diff(e, again); diff != "" {
			t.Errorf("%s(-first +second):\n%s", content, diff)
		}
	}
}

func roundTrip(t *testing.T, e config.Experiment) config.Experiment {
	t.Helper()
	out, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := config.Parse("round trip", out, config.Overrides{})
	if err != nil {
		t.Fatalf("%v in:\n%s", err, out)
	}
	return again
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
	if diff := cmp.Diff(expected, config.Differences(a, b)); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
	saw := load(t, "benchmark: sawtooth\nmodel: {name: cnp}\n", config.Overrides{})
	cmpSaw := load(t, "benchmark: sawtooth\nmodel: {name: cnp}\ndata: {zero_mean: false}\n", config.Overrides{})
	if diff := cmp.Diff([]string{"data.zero_mean: true and false"}, config.Differences(saw, cmpSaw)); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
}

func TestResumeDifferences(t *testing.T) {
	with := func(set ...string) config.Experiment { return load(t, plain, config.Overrides{Set: set}) }
	free := with("train.steps=7", "train.log_every=1", "train.checkpoint_every=1", "train.keep_checkpoints=0")
	if d := config.ResumeDifferences(with(), free); len(d) != 0 {
		t.Errorf("found %q, expected that steps, logging and checkpointing may change", d)
	}
	cosine := config.ResumeDifferences(with("train.schedule=cosine"), with("train.schedule=cosine", "train.steps=7"))
	if diff := cmp.Diff([]string{"train.steps: 100000 and 7"}, cosine); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
	mnist := func(set ...string) config.Experiment {
		return load(t, "benchmark: mnist\nmodel: {name: bnp}\n", config.Overrides{Set: append(set, "train.batch_size=8")})
	}
	if diff := cmp.Diff([]string{"train.epochs: 100 and 7"}, config.ResumeDifferences(mnist(), mnist("train.epochs=7"))); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
	constant := mnist("train.schedule=constant")
	if d := config.ResumeDifferences(constant, mnist("train.schedule=constant", "train.steps=7")); len(d) != 0 {
		t.Errorf("found %q, expected that the length may change at a constant rate", d)
	}
	seeds := config.ResumeDifferences(with(), with("train.seed=1", "eval.seed=2", "train.steps=7"))
	if diff := cmp.Diff([]string{"train.seed: 0 and 1", "eval.seed: 43 and 2"}, seeds); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
}

const minimalCSV = "benchmark: csv\nmodel: {name: cqnp}\ndata:\n  file: my data.csv\n" // next line: 5

// csv needs only the name of its file. What depends on the files stays unset.
func TestCSVDefaults(t *testing.T) {
	expected := config.Data{Seed: 43, File: "my data.csv", XColumns: []string{"x"}, YColumns: []string{"y"},
		SplitBy: "function", TrainFraction: 0.75, ValidFraction: 0.1, Sizes: config.AllSizes, Scale: "standard", Missing: "error"}
	for _, model := range []string{"cnp", "canp", "bnp", "cqnp", "acqnp"} {
		e := load(t, minimalCSV, config.Overrides{Set: []string{"model.name=" + model}})
		if diff := cmp.Diff(expected, e.Data); diff != "" {
			t.Errorf("%s (-expected +found):\n%s", model, diff)
		}
		if e.Train.Steps == 0 || e.Train.BatchSize == 0 || e.Train.LearningRate == 0 || e.Eval.BatchSize == 0 {
			t.Errorf("%s: found training %+v and evaluation %+v with nothing set", model, e.Train, e.Eval)
		}
		quantile := model == "cqnp" || model == "acqnp"
		if (e.Train.NumTau != 0) != quantile || (e.Eval.NumTau != 0) != quantile || (e.Model.TrainBootstraps != 0) != (model == "bnp") {
			t.Errorf("%s: found %d and %d levels, %d bootstraps", model, e.Train.NumTau, e.Eval.NumTau, e.Model.TrainBootstraps)
		}
	}
}

// The defaults of loss and heads depend on the aggregation, that of the adaptor's form on the
// benchmark.
func TestDefaultsOfAggregationsAndForms(t *testing.T) {
	for _, c := range []struct {
		aggregation, loss            string
		heads, layers, keys, forward int
	}{
		{config.Mean, config.AllPoints, 0, 0, 0, 0},
		{config.Attention, config.Targets, 8, 0, 1, 0},
		{config.Transformer, config.Targets, 4, 6, 0, 128},
	} {
		for _, model := range []string{"cnp", "cqnp", "acqnp"} {
			e := load(t, "benchmark: rbf\nmodel: {name: "+model+"}\n", config.Overrides{Set: []string{"model.aggregation=" + c.aggregation}})
			m := e.Model
			if e.Train.Loss != c.loss || m.Heads != c.heads || m.Layers != c.layers || m.Feedforward != c.forward ||
				len(m.KeyEncoder) != c.keys || len(m.QueryEncoder) != c.keys {
				t.Errorf("%s by %s: found loss %s and %+v", model, c.aggregation, e.Train.Loss, m)
			}
		}
	}
	for file, form := range map[string][2]string{"benchmark: rbf\nmodel: {name: acqnp}\n": {config.Plain, config.PaperScale}, minimalCSV: {config.Residual, config.NaturalScale}} {
		for model, adaptor := range map[string]string{"acqnp": form[0], "cqnp": ""} {
			m := load(t, file, config.Overrides{Set: []string{"model.name=" + model}}).Model
			if m.AdaptorForm != adaptor || m.ScaleForm != form[1] {
				t.Errorf("%q, %s: found %q and %s, expected %q and %s", file, model, m.AdaptorForm, m.ScaleForm, adaptor, form[1])
			}
		}
	}
}

// The benchmark and a model are enough for a network that reads groups.
func TestDefaultsOfGroups(t *testing.T) {
	for _, model := range []string{"cnp", "cqnp", "acqnp"} {
		e := load(t, "benchmark: groups\nmodel: {name: "+model+"}\n", config.Overrides{})
		if e.Model.Aggregation != config.Groups || e.Train.Loss != config.Targets || e.Model.Layers == 0 || e.Model.Heads != 4 {
			t.Errorf("%s: found aggregation %q, loss %q, %d layers, %d heads", model, e.Model.Aggregation, e.Train.Loss, e.Model.Layers, e.Model.Heads)
		}
		if natural := e.Model.ScaleForm == config.NaturalScale; natural == (model == "cnp") {
			t.Errorf("%s: found scale %q", model, e.Model.ScaleForm)
		}
		if residual := e.Model.AdaptorForm == config.Residual; residual != (model == "acqnp") {
			t.Errorf("%s: found adaptor %q", model, e.Model.AdaptorForm)
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
