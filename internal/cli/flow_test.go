package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// evaluation is the part of eval.json that the tests read.
type evaluation struct {
	Schema     string `json:"schema"`
	Benchmark  string `json:"benchmark"`
	Model      string `json:"model"`
	Seed       uint64 `json:"seed"`
	NumTau     int    `json:"num_tau"`
	Levels     string `json:"levels"`
	Bootstraps int    `json:"bootstraps"`
	Batches    int    `json:"batches"`
	Context    struct {
		Mean     float64  `json:"mean"`
		StdError *float64 `json:"std_error"`
	} `json:"context_ll"`
	Target struct {
		Mean float64 `json:"mean"`
	} `json:"target_ll"`
	PerBatch   []map[string]float64 `json:"per_batch"`
	Checkpoint struct {
		Path string `json:"path"`
		Step *int   `json:"step"`
	} `json:"checkpoint"`
	Device  string `json:"device"`
	Version string `json:"version"`
}

func readEvaluation(t *testing.T, path string) (e evaluation) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTrainLeavesARunAnEvaluationAndAPlot(t *testing.T) {
	dir := t.TempDir()
	config := write(t, dir, "tiny.yaml", tinyConfig)
	run := filepath.Join(dir, "run")
	o := succeed(t, "train", "--config", config, "--run-dir", run, "--set", "train.steps=200", "--seed", "3", "--threads", "1")
	for _, name := range []string{"config.yaml", "metrics.jsonl", "checkpoints/step-200.safetensors", "fit.png", "eval.json"} {
		if info, err := os.Stat(filepath.Join(run, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, want := range []string{"cpu with 1 thread", "parameters", "step 200/200", "loss"} {
		if !strings.Contains(o.err, want) {
			t.Errorf("standard error lacks %q:\n%s", want, o.err)
		}
	}
	if !strings.Contains(o.out, "context log-likelihood") || !strings.Contains(o.out, "3 batches") {
		t.Errorf("standard output:\n%s", o.out)
	}
	if b, _ := os.ReadFile(filepath.Join(run, "config.yaml")); !strings.Contains(string(b), "seed: 3") {
		t.Error("the run's configuration lacks --seed 3")
	}
	checkRefusal(t, "train again", acqnp("train", "--config", config, "--run-dir", run), 2, run)
	succeed(t, "train", "--config", config, "--run-dir", run, "--overwrite", "--quiet", "--no-eval")
}

func TestTrainingRaisesTheLogLikelihood(t *testing.T) {
	dir := t.TempDir()
	config := write(t, dir, "tiny.yaml", tinyConfig)
	o := succeed(t, "train", "--config", config, "--run-dir", filepath.Join(dir, "run"), "--set", "train.steps=300",
		"--quiet", "--json")
	var s struct {
		Evaluation struct {
			Batches       int
			Before, After struct {
				Context struct{ Mean float64 } `json:"context_ll"`
				Target  struct{ Mean float64 } `json:"target_ll"`
			}
		}
	}
	if err := json.Unmarshal([]byte(o.out), &s); err != nil {
		t.Fatal(err)
	}
	before, after := s.Evaluation.Before, s.Evaluation.After
	// In 300 steps at a high rate, even a model that learns only the spread of y gains several
	// tenths.
	if gain := after.Target.Mean - before.Target.Mean; !(gain > 0.1) {
		t.Errorf("target log-likelihood %g → %g", before.Target.Mean, after.Target.Mean)
	}
	if gain := after.Context.Mean - before.Context.Mean; !(gain > 0.1) {
		t.Errorf("context log-likelihood %g → %g", before.Context.Mean, after.Context.Mean)
	}
}

func TestExportedWeightsEvaluateTheSame(t *testing.T) {
	s, dir := share(t), t.TempDir()
	ofRun, ofWeights := filepath.Join(dir, "run.json"), filepath.Join(dir, "weights.json")
	succeed(t, "eval", "--run", s.run, "--out", ofRun, "--quiet")
	succeed(t, "eval", "--config", s.config, "--weights", s.weights, "--out", ofWeights, "--quiet", "--threads", "2")
	a, b := readEvaluation(t, ofRun), readEvaluation(t, ofWeights)
	if diff := cmp.Diff(a.PerBatch, b.PerBatch); diff != "" {
		t.Error(diff)
	}
	if a.Checkpoint.Step == nil || *a.Checkpoint.Step != 30 || b.Checkpoint.Step != nil {
		t.Errorf("checkpoints %+v and %+v", a.Checkpoint, b.Checkpoint)
	}
	if a.Schema != "acqnp.eval/2" || a.Benchmark != "sawtooth" || a.Model != "acqnp" || a.Seed != 43 || a.NumTau != 5 ||
		a.Levels != "random" || a.Batches != 3 || a.Context.StdError == nil || a.Device != "cpu" || a.Version == "" {
		t.Errorf("%+v", a)
	}
}

func TestEvalWithoutOutWritesIntoTheRun(t *testing.T) {
	dir := t.TempDir()
	config := write(t, dir, "tiny.yaml", tinyConfig)
	run := filepath.Join(dir, "run")
	succeed(t, "train", "--config", config, "--run-dir", run, "--quiet", "--no-eval")
	o := succeed(t, "eval", "--run", run, "--checkpoint", "20", "--batches", "1", "--num-tau", "7", "--levels", "grid", "--seed", "5")
	e := readEvaluation(t, filepath.Join(run, "eval.json"))
	if *e.Checkpoint.Step != 20 || e.Batches != 1 || e.NumTau != 7 || e.Levels != "grid" || e.Seed != 5 || e.Context.StdError != nil {
		t.Errorf("%+v", e)
	}
	if !strings.Contains(o.out, "target log-likelihood") || !strings.Contains(o.err, "eval: batch 1/1") {
		t.Errorf("%q %q", o.out, o.err)
	}
}

func TestGeneratedTasksEvaluateToTheSameFigures(t *testing.T) {
	s, dir := share(t), t.TempDir()
	tasks := filepath.Join(dir, "tasks.safetensors")
	succeed(t, "data", "generate", "--config", s.config, "--out", tasks, "--quiet")
	with, without := filepath.Join(dir, "with.json"), filepath.Join(dir, "without.json")
	succeed(t, "eval", "--run", s.run, "--tasks", tasks, "--out", with, "--quiet")
	succeed(t, "eval", "--run", s.run, "--out", without, "--quiet")
	a, b := readEvaluation(t, with), readEvaluation(t, without)
	if diff := cmp.Diff(a.PerBatch, b.PerBatch); diff != "" || len(a.PerBatch) != 3 {
		t.Error(diff)
	}
	succeed(t, "data", "generate", "--config", s.config, "--out", tasks, "--quiet", "--batches", "2", "--seed", "7")
	succeed(t, "eval", "--run", s.run, "--tasks", tasks, "--out", with, "--quiet")
	if other := readEvaluation(t, with); other.Batches != 2 || cmp.Equal(other.PerBatch[0], a.PerBatch[0]) {
		t.Errorf("%+v", other)
	}
}

func TestJSONOnBothStreams(t *testing.T) {
	s := share(t)
	o := succeed(t, "eval", "--run", s.run, "--out", filepath.Join(t.TempDir(), "eval.json"), "--json")
	var e evaluation
	if err := json.Unmarshal([]byte(o.out), &e); err != nil || e.Batches != 3 {
		t.Errorf("%v: %s", err, o.out)
	}
	bad := acqnp("eval", "--run", filepath.Join(t.TempDir(), "none"), "--json")
	for _, line := range strings.Split(strings.TrimSpace(o.err+bad.err), "\n") {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil || event["event"] == nil {
			t.Errorf("%v: %q", err, line)
		}
	}
	if bad.code != 2 || !strings.Contains(bad.err, `"exit_code":2`) {
		t.Errorf("%+v", bad)
	}
}

// quantileRow is a row of quantiles.csv by column name.
type quantileRow map[string]string

func (r quantileRow) number(t *testing.T, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("%s: %v in %v", column, err, r)
	}
	return v
}

func readRows(t *testing.T, path string) (rows []quantileRow) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		r := quantileRow{}
		for i, name := range all[0] {
			r[name] = fields[i]
		}
		rows = append(rows, r)
	}
	return rows
}

func TestSampleQuantiles(t *testing.T) {
	s, dir := share(t), t.TempDir()
	out, plot := filepath.Join(dir, "quantiles.csv"), filepath.Join(dir, "quantiles.svg")
	succeed(t, "sample-quantiles", "--run", s.run, "--context", s.context, "--grid=-2:2:5", "--num-tau", "6",
		"--quantiles", "0.05,0.5,0.95", "--draws", "3", "--out", out, "--plot", plot)
	kinds, xs := map[string]int{}, map[string]bool{}
	weight, last := map[string]float64{}, math.Inf(-1)
	for _, r := range readRows(t, out) {
		kinds[r["kind"]]++
		xs[r["x"]] = true
		switch r["kind"] {
		case "component":
			weight[r["target"]] += r.number(t, "weight")
			if tau := r.number(t, "tau"); tau <= 0 || tau >= 1 || r.number(t, "sigma") < 0.01 {
				t.Errorf("%v", r)
			}
		case "quantile":
			v := r.number(t, "value")
			if r["level"] != "0.05" && v <= last {
				t.Errorf("quantiles cross: %v", r)
			}
			last = v
		}
	}
	if diff := cmp.Diff(map[string]int{"component": 30, "mean": 5, "quantile": 15, "draw": 15}, kinds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]bool{"-2": true, "-1": true, "0": true, "1": true, "2": true}, xs); diff != "" {
		t.Error(diff)
	}
	for target, w := range weight {
		if math.Abs(w-1) > 1e-6 { // a sum of six numbers of float32 precision, written in full
			t.Errorf("weights of target %s sum to %g", target, w)
		}
	}
	if b, err := os.ReadFile(plot); err != nil || !strings.Contains(string(b), "<svg") {
		t.Errorf("no plot: %v", err)
	}
	again := filepath.Join(dir, "again.csv")
	succeed(t, "sample-quantiles", "--config", s.config, "--weights", s.weights, "--context", s.context, "--grid=-2:2:5",
		"--num-tau", "6", "--quantiles", "0.05,0.5,0.95", "--draws", "3", "--out", again, "--quiet")
	if a, b := readRows(t, out), readRows(t, again); !cmp.Equal(a, b) {
		t.Error("the run and its exported weights predict differently")
	}
}

// Without flags, the levels are those of the run's configuration, 5, on the grid.
func TestSampleLevelsByDefault(t *testing.T) {
	s, out := share(t), filepath.Join(t.TempDir(), "quantiles.csv")
	sample := func(flags ...string) (u []string) {
		succeed(t, append([]string{"sample-quantiles", "--run", s.run, "--context", s.context, "--grid=0:1:1", "--out", out, "--quiet"}, flags...)...)
		for _, r := range readRows(t, out) {
			if r["kind"] == "component" {
				u = append(u, r["u"])
			}
		}
		return u
	}
	if diff := cmp.Diff([]string{"0.001", "0.2505", "0.5", "0.7495", "0.999"}, sample()); diff != "" {
		t.Error(diff)
	}
	if u := sample("--levels", "random", "--num-tau", "3"); len(u) != 3 || u[0] == "0.001" {
		t.Errorf("random levels %v", u)
	}
}

func TestSampleManyFunctions(t *testing.T) {
	s, dir := share(t), t.TempDir()
	context := write(t, dir, "context.csv", "function,x,y\na,0,0\nb,1,1\na,0.5,0.5\nb,-1,1\n")
	out := filepath.Join(dir, "quantiles.csv")
	common := []string{"sample-quantiles", "--run", s.run, "--context", context, "--out", out, "--quiet", "--num-tau", "1"}
	count := func() map[string]int {
		n := map[string]int{}
		for _, r := range readRows(t, out) {
			if r["kind"] == "mean" {
				n[r["function"]+" "+r["x"]]++
			}
		}
		return n
	}
	targets := write(t, dir, "targets.csv", "x,function\n0,a\n1,b\n2,b\n")
	succeed(t, append(common, "--targets", targets)...)
	if diff := cmp.Diff(map[string]int{"a 0": 1, "b 1": 1, "b 2": 1}, count()); diff != "" {
		t.Error(diff)
	}
	targets = write(t, dir, "targets.csv", "x\n0\n1\n")
	succeed(t, append(common, "--targets", targets)...)
	if diff := cmp.Diff(map[string]int{"a 0": 1, "a 1": 1, "b 0": 1, "b 1": 1}, count()); diff != "" {
		t.Error(diff)
	}
	targets = write(t, dir, "targets.csv", "x,function\n0,c\n")
	checkRefusal(t, "unknown function", acqnp(append(common, "--targets", targets)...), 2, `"c"`)
}

// TestSampleWithoutContext: no context and one without rows predict the same for one function without a
// name, or for the functions that the targets name.
func TestSampleWithoutContext(t *testing.T) {
	s, dir := share(t), t.TempDir()
	out, plot := filepath.Join(dir, "quantiles.csv"), filepath.Join(dir, "plot.svg")
	sample := func(args ...string) []quantileRow {
		succeed(t, append([]string{"sample-quantiles", "--run", s.run, "--out", out, "--plot", plot, "--quiet", "--num-tau", "10"}, args...)...)
		return readRows(t, out)
	}
	absent := sample("--grid=-1:1:3")
	if len(absent) != 33 || absent[0]["function"] != "" { // 10 components and a mean at 3 targets
		t.Errorf("%d rows, first %v", len(absent), absent[0])
	}
	empty := write(t, dir, "empty.csv", "function,x,y\n")
	if diff := cmp.Diff(absent, sample("--grid=-1:1:3", "--context", empty)); diff != "" {
		t.Error(diff)
	}
	named := sample("--context", empty, "--targets", write(t, dir, "targets.csv", "function,x\na,-1\nb,1\n"))
	for i, function := range []string{"a", "b"} {
		for k, row := range named[11*i : 11*i+11] {
			like := absent[22*i+k]
			if row["function"] != function || row["mu"] != like["mu"] || row["value"] != like["value"] {
				t.Errorf("row %v, want the values of %v", row, like)
			}
		}
	}
}

func TestTrainFromWeights(t *testing.T) {
	s, run := share(t), filepath.Join(t.TempDir(), "run")
	o := succeed(t, "train", "--config", s.config, "--weights", s.weights, "--run-dir", run, "--set", "train.steps=1",
		"--set", "train.learning_rate=1e-9", "--set", "train.weight_decay=0", "--quiet", "--json")
	var summary struct {
		Evaluation struct {
			Before, After struct {
				Target struct{ Mean float64 } `json:"target_ll"`
			}
		}
	}
	if err := json.Unmarshal([]byte(o.out), &summary); err != nil {
		t.Fatal(err)
	}
	// One step at a tiny rate keeps the log-likelihood of the imported weights, to float32
	// rounding.
	if e := summary.Evaluation; math.Abs(e.Before.Target.Mean-e.After.Target.Mean) > 1e-4 {
		t.Errorf("%+v", e)
	}
}

func TestRealDataInRawUnits(t *testing.T) {
	data, dir := sharedData(t), t.TempDir()
	config := write(t, dir, "lanes.yaml", strings.NewReplacer("sawtooth", "speed-flow", "data: {points: [6, 12]}\n", "",
		"batch_size: 4", "batch_size: 2", "steps: 30", "steps: 60", ", num_points: 20, max_context: 8", "").Replace(tinyConfig))
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "quantiles.csv")
	o := succeed(t, "train", "--config", config, "--run-dir", run, "--data-dir", data, "--quiet")
	if !strings.Contains(o.out, "1 batch") || !strings.Contains(o.out, "fit.png") {
		t.Error(o.out)
	}
	context := write(t, dir, "context.csv", "flow,speed\n500,62\n1000,61\n1500,59\n")
	// Columns and scaling are in the checkpoint and in exported weights, so no data are needed.
	sample := []string{"sample-quantiles", "--data-dir", dir, "--context", context, "--grid", "0:2500:6",
		"--num-tau", "20", "--quantiles", "0.5", "--quiet"}
	succeed(t, append(sample, "--run", run, "--out", out)...)
	weights, again := filepath.Join(dir, "weights.safetensors"), filepath.Join(dir, "again.csv")
	succeed(t, "export", "--data-dir", dir, "--run", run, "--out", weights)
	succeed(t, append(sample, "--config", config, "--weights", weights, "--out", again)...)
	if read(t, out) != read(t, again) {
		t.Error("exported weights predict otherwise than their run")
	}
	for _, r := range readRows(t, out) {
		// After so little training a median is right to some tens of miles an hour. In the model's
		// units it would be below 2.
		if v, err := strconv.ParseFloat(r["value"], 64); r["kind"] == "quantile" && (err != nil || v < 20 || v > 120) {
			t.Errorf("median speed at flow %s: %s", r["flow"], r["value"])
		}
	}
}

// read returns the content of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A run resumes from another working directory, and with the data in another place.
func TestResumeFromAnotherDirectory(t *testing.T) {
	data, dir := sharedData(t), t.TempDir()
	data, err := filepath.Abs(data)
	if err != nil {
		t.Fatal(err)
	}
	config := write(t, dir, "lanes.yaml", strings.NewReplacer("sawtooth", "speed-flow", "data: {points: [6, 12]}\n", "",
		"batch_size: 4", "batch_size: 2", ", num_points: 20, max_context: 8", "").Replace(tinyConfig))
	t.Chdir(dir)
	succeed(t, "train", "--config", "lanes.yaml", "--run-dir", "run", "--data-dir", data, "--set", "train.steps=10", "--quiet", "--no-eval")
	elsewhere := t.TempDir()
	if err := os.Symlink(data, filepath.Join(elsewhere, "data")); err != nil {
		t.Skip("no symbolic links here")
	}
	t.Chdir(elsewhere)
	run := filepath.Join(dir, "run")
	succeed(t, "train", "--config", config, "--run-dir", run, "--resume", "--set", "train.steps=20", "--quiet", "--no-eval")
	succeed(t, "train", "--config", config, "--run-dir", "whole", "--set", "train.steps=20", "--quiet", "--no-eval")
	weights := func(run string) string {
		succeed(t, "export", "--run", run, "--out", "weights.safetensors")
		return read(t, "weights.safetensors")
	}
	if weights(run) != weights("whole") {
		t.Error("another result than that of a run in one piece")
	}
}
