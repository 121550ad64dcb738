package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// table is a CSV file: its header and, for each line, the values by column.
func table(t *testing.T, path string) (header []string, rows []map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%s: %d lines, %v", path, len(lines), err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return lines[0], rows
}

func checkFigures(t *testing.T, dir, name string) {
	t.Helper()
	for _, extension := range []string{".png", ".svg", ".pdf"} {
		if img := decode(t, filepath.Join(dir, name+extension)); img != nil && colourful(img) < 0.001 {
			t.Errorf("%s is nearly blank", name)
		}
	}
}

func value(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAblateNumTau(t *testing.T) {
	dir := t.TempDir()
	a, b, c := figureRun(t, "double-sine", "acqnp"), filepath.Join(dir, "again"), figureRun(t, "double-sine", "cqnp")
	// A second seed of the first model.
	succeed(t, "train", "--config", filepath.Join(a, "config.yaml"), "--seed", "1", "--run-dir", b, "--quiet", "--no-eval")
	out := filepath.Join(dir, "new", "out")
	o := succeed(t, "ablate", "num-quantiles", "--run", a, "--run", b, "--run", c, "--batches", "2", "--out", out)
	checkFigures(t, out, "num-tau")
	if !strings.Contains(o.err, "will take about") {
		t.Errorf("standard error does not say what it will cost: %s", o.err)
	}
	if before, _, _ := strings.Cut(o.err, "evaluate 3 levels"); !strings.Contains(before, "30 evaluation batches") {
		t.Errorf("not said before it starts: %s", o.err)
	}

	header, rows := table(t, filepath.Join(out, "num-tau-runs.csv"))
	want := strings.Split("run,benchmark,model,seed,steps,num_tau,levels,batches,context_ll,context_std_error,target_ll,target_std_error,variant", ",")
	if diff := cmp.Diff(want, header); diff != "" {
		t.Error(diff)
	}
	if len(rows) != 15 {
		t.Fatalf("%d rows for three runs and five numbers of levels", len(rows))
	}
	targets := map[string]float64{}
	for i, r := range rows {
		if wanted := strconv.Itoa(3 + 2*(i%5)); r["num_tau"] != wanted || r["levels"] != "grid" || r["batches"] != "2" || r["steps"] != "6" {
			t.Errorf("row %d: %v", i, r)
		}
		targets[r["model"]+r["seed"]+r["num_tau"]] = value(t, r["target_ll"])
	}
	// The same log-likelihoods as those of eval.
	eval := filepath.Join(dir, "eval.json")
	succeed(t, "eval", "--run", c, "--num-quantiles", "7", "--level-spacing", "grid", "--batches", "2", "--out", eval, "--quiet")
	if e := readEvaluation(t, eval); e.Target.Mean != targets["cqnp07"] {
		t.Errorf("%g, eval finds %g", targets["cqnp07"], e.Target.Mean)
	}

	_, points := table(t, filepath.Join(out, "num-tau.csv"))
	if len(points) != 10 {
		t.Fatalf("%d points for two models and five numbers of levels", len(points))
	}
	for _, q := range points {
		if q["model"] == "cqnp" {
			if q["runs"] != "1" || q["target_sd"] != "" || q["context_sd"] != "" {
				t.Errorf("one run has a deviation: %v", q)
			}
			continue
		}
		x, y := targets["acqnp0"+q["num_tau"]], targets["acqnp1"+q["num_tau"]]
		// The deviation of two numbers is their distance over √2. The tolerance is float64
		// rounding.
		if q["runs"] != "2" || math.Abs(value(t, q["target_ll"])-(x+y)/2) > 1e-12 ||
			math.Abs(value(t, q["target_sd"])-math.Abs(x-y)/math.Sqrt2) > 1e-12 {
			t.Errorf("%v of %g and %g", q, x, y)
		}
	}
}

func TestAblateNumTauTrains(t *testing.T) {
	s, out := share(t), filepath.Join(t.TempDir(), "out")
	o := succeed(t, "ablate", "num-quantiles", "--config", s.config, "--seeds", "0,3", "--set", "train.steps=4", "--batches", "1", "--out", out, "--quiet", "--json")
	var summary struct {
		Points []struct {
			Model       string
			Value, Runs int
			Target      struct {
				Mean float64
				SD   *float64
			} `json:"target_ll"`
		}
	}
	if err := json.Unmarshal([]byte(o.out), &summary); err != nil {
		t.Fatal(err)
	}
	if p := summary.Points; len(p) != 5 || p[4].Value != 11 || p[4].Runs != 2 || p[4].Target.SD == nil || p[4].Target.Mean == 0 {
		t.Errorf("%+v", p)
	}
	if o.err != "" {
		t.Errorf("--quiet: %s", o.err)
	}
	for _, seed := range []string{"seed-0", "seed-3"} {
		if _, err := os.Stat(filepath.Join(out, "runs", "sawtooth", "acqnp", seed, "checkpoints", "step-4.safetensors")); err != nil {
			t.Error(err)
		}
	}
}

func TestAblateAdaptorDepth(t *testing.T) {
	s, out := share(t), filepath.Join(t.TempDir(), "out")
	args := []string{"ablate", "adaptor-depth", "--config", s.config, "--set", "train.steps=5", "--batches", "2", "--out", out}
	o := succeed(t, args...)
	checkFigures(t, out, "adaptor-depth")
	if !strings.Contains(o.err, "25 training steps") {
		t.Errorf("the work is not counted: %s", o.err)
	}
	_, rows := table(t, filepath.Join(out, "adaptor-depth.csv"))
	if len(rows) != 5 || rows[0]["depth"] != "1" || rows[4]["depth"] != "5" || rows[0]["target_ll"] == rows[1]["target_ll"] {
		t.Errorf("%v", rows)
	}
	for depth, want := range map[string]string{"depth-1": "adaptor: [8]\n", "depth-3": "adaptor: [8, 8, 8]\n"} {
		if c := read(t, filepath.Join(out, depth, "seed-0", "config.yaml")); !strings.Contains(c, want) {
			t.Errorf("%s has another ψ:\n%s", depth, c)
		}
	}
	// Again: nothing is left to train, and the figures are the same.
	before := read(t, filepath.Join(out, "adaptor-depth.csv"))
	if o := succeed(t, args...); !strings.Contains(o.err, " 0 training steps") {
		t.Errorf("complete runs are trained again: %s", o.err)
	}
	if after := read(t, filepath.Join(out, "adaptor-depth.csv")); after != before {
		t.Errorf("%s\nis now\n%s", before, after)
	}
}

func TestAnInterruptedAblationGoesOn(t *testing.T) {
	s, out := share(t), filepath.Join(t.TempDir(), "out")
	args := []string{"ablate", "adaptor-depth", "--config", s.config, "--batches", "1", "--out", out}
	cmd, errs := program(t, append(args, "--set", "train.steps=100000000")...)
	waitFor(t, filepath.Join(out, "depth-1", "seed-0", "metrics.jsonl"))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Fatalf("%v\n%s", err, errs)
	}
	if !strings.Contains(errs.String(), "the same command continues") {
		t.Errorf("said %s", errs)
	}
	left, _ := filepath.Glob(filepath.Join(out, "*", "*", "checkpoints", "step-*.safetensors"))
	if len(left) == 0 {
		t.Fatal("no checkpoint to go on from")
	}
	if found, _ := filepath.Glob(filepath.Join(out, "*.*")); len(found) > 0 {
		t.Errorf("an interrupted ablation has left %v", found)
	}
	last := 0
	for _, path := range left { // their names sort by digits, not by steps
		var step int
		if _, err := fmt.Sscanf(filepath.Base(path), "step-%d.safetensors", &step); err != nil {
			t.Fatal(err)
		}
		last = max(last, step)
	}
	succeed(t, append(args, "--set", "train.steps="+strconv.Itoa(last), "--quiet")...) // which the run has done already
}

func TestWrongAblationsAreRefused(t *testing.T) {
	s, dir := share(t), t.TempDir()
	gaussian, levels := figureRun(t, "double-sine", "cnp"), figureRun(t, "double-sine", "acqnp")
	cnp := otherModel(t, dir, tinyModels["cnp"])
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"acqnp or cqnp", []string{"num-quantiles", "--run", gaussian}},
		{"same run twice", []string{"num-quantiles", "--run", levels, "--run", levels + string(filepath.Separator)}},
		{"acqnp or cqnp", []string{"num-quantiles", "--config", cnp}},
		{"same run twice", []string{"num-quantiles", "--config", s.config, "--config", s.config}},
		{"found --run and --set, expected only one of them", []string{"num-quantiles", "--run", levels, "--set", "train.steps=3"}},
		{"acqnp, which has", []string{"adaptor-depth", "--config", cnp}},
		{"deleted: ψ has the paper's 1 to 5 hidden layers", []string{"adaptor-depth", "--config", s.config, "--depths", "2"}},
		{"--seeds", []string{"adaptor-depth", "--config", s.config, "--seeds", "-1"}},
		{"train.steps", []string{"adaptor-depth", "--config", s.config, "--set", "train.steps=0"}},
		{"--batches", []string{"adaptor-depth", "--config", s.config, "--batches", "0"}},
		{"missing.yaml", []string{"adaptor-depth", "--config", filepath.Join(dir, "missing.yaml")}},
		{"train.stops", []string{"adaptor-depth", "--config", s.config, "--set", "train.stops=3"}},
	} {
		args := append([]string{"ablate"}, append(c.args, "--out", out)...)
		checkRefusal(t, strings.Join(c.args, " "), acqnp(args...), 2, c.want)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.CopyFS(empty, os.DirFS(levels)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(empty, "checkpoints")); err != nil {
		t.Fatal(err)
	}
	checkRefusal(t, "no checkpoint", acqnp("ablate", "num-quantiles", "--run", levels, "--run", empty, "--out", out), 2, "no usable checkpoint")
	if _, err := os.Stat(out); err == nil {
		t.Error("something was left behind")
	}
	file := write(t, dir, "file", "")
	checkRefusal(t, "out is a file", acqnp("ablate", "num-quantiles", "--run", levels, "--out", file), 2, "--out")
}
