package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var commands = [][]string{
	{}, {"train"}, {"eval"}, {"predict"}, {"score"}, {"sample-quantiles"}, {"data"}, {"data", "list"}, {"data", "check"}, {"data", "generate"},
	{"export"}, {"bench"}, {"plot"}, {"plot", "fit"}, {"plot", "levels"}, {"plot", "speed-flow"}, {"plot", "completion"},
	{"plot", "training"}, {"ablate"}, {"ablate", "num-quantiles"}, {"ablate", "adaptor-depth"},
	{"sweep"}, {"sweep", "submit"}, {"doctor"}, {"help"}, {"help", "configuration"}, {"help", "environment"}, {"fit"}, {"init"}, {"serve"},
}

func TestEveryCommandHelpsWithAnExample(t *testing.T) {
	for _, c := range commands {
		o := succeed(t, append(c, "--help")...)
		if !strings.Contains(o.out, "Examples:\n  acqnp ") {
			t.Errorf("acqnp %s --help has no example:\n%s", strings.Join(c, " "), o.out)
		}
		if o.err != "" {
			t.Errorf("acqnp %s --help wrote to standard error: %s", strings.Join(c, " "), o.err)
		}
	}
}

func TestVersionAndCompletion(t *testing.T) {
	if o := succeed(t, "--version"); !strings.HasPrefix(o.out, "acqnp 0.2.0") || strings.Count(o.out, "\n") != 1 {
		t.Errorf("--version: %q", o.out)
	}
	if o := succeed(t, "completion", "bash"); !strings.Contains(o.out, "__start_acqnp") {
		t.Error("no bash completion")
	}
	if o := succeed(t, "__complete", "train", "--device", ""); !strings.Contains(o.out, "auto\ncpu\ncuda\n") {
		t.Errorf("devices are not completed: %q", o.out)
	}
}

func TestWrongUsageIsOneLineAndTwo(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"trian", `acqnp: unknown command "trian", did you mean train? (see acqnp --help)`},
		{"data chekc", `did you mean check?`},
		{"plot contours", `unknown command`},
		{"help trian", `unknown command "trian", did you mean train?`},
		{"train", `acqnp train: required flag(s) "config" not set (see acqnp train --help)`},
		{"data generate", `required flag(s) "config", "out" not set`},
		{"train --config x --steps 3", `unknown flag: --steps`},
		{"train --config", `flag needs an argument: --config`},
		{"train --config x --threads many", `invalid argument "many" for "--threads" flag`},
		{"train --config x --resume --overwrite", `[overwrite resume] were all set`},
		{"train extra --config x", `acqnp train: unknown command "extra" for "acqnp train" (see acqnp train --help)`},
		{"train --config x --until -1", `--until: found -1, expected 0 or more`},
		{"eval", `at least one of the flags in the group [run config] is required`},
		{"eval --run x --config y --weights z", `[config run] were all set`},
		{"eval --config x", `missing [weights]`},
		{"eval --config x --weights y --checkpoint 3", `[checkpoint config] were all set`},
		{"eval --run x --seed -1", `invalid argument "-1" for "--seed" flag`},
		{"predict --run x --context - --targets -", `--targets: found standard input, which --context names too`},
		{"predict --run x --config y --weights z --out o --grid 0:1:2", `[config run] were all set`},
		{"predict --run x --out o --grid 0:1:2 --hdr a", `invalid argument "a" for "--hdr" flag`},
		{"fit x.csv --budget abc", `invalid argument "abc" for "--budget" flag`},
		{"sample-quantiles --run x --context c --out o", `at least one of the flags in the group [targets grid] is required`},
		{"sample-quantiles --run x --context c --out o --grid 0:1:2 --targets t", `[grid targets] were all set`},
		{"sample-quantiles --run x --context c --out o --grid 0:1:2 --quantiles a", `invalid argument "a" for "--quantiles" flag`},
		{"ablate adaptor-depth --config x --out o --seeds 1,a", `invalid argument "1,a" for "--seeds" flag: expected different whole numbers or ranges with commas between them, such as 0..5`},
		{"train --config x --resume=maybe", `invalid argument "maybe" for "--resume" flag`},
		{"export --run x", `required flag(s) "out" not set`},
		{"bench", `required flag(s) "config" not set`},
		{"report", `accepts 1 arg(s), received 0`},
		{"data fetch", `requires at least 1 arg(s), only received 0`},
	} {
		o := acqnp(strings.Fields(c.args)...)
		checkRefusal(t, c.args, o, 2, c.want)
	}
}

// checkRefusal checks the exit code, that standard error is one line with the text, and that
// standard output is empty.
func checkRefusal(t *testing.T, name string, o outcome, code int, text string) {
	t.Helper()
	if o.code != code {
		t.Errorf("%s: exit code %d, want %d: %s", name, o.code, code, o.err)
	}
	if strings.Count(o.err, "\n") != 1 || !strings.HasPrefix(o.err, "acqnp") || !strings.Contains(o.err, text) {
		t.Errorf("%s: standard error is %q, want one line with %q", name, o.err, text)
	}
	if o.out != "" {
		t.Errorf("%s: standard output is %q", name, o.out)
	}
}

func TestEnvironmentBelowFlags(t *testing.T) {
	s := share(t)
	out := filepath.Join(t.TempDir(), "eval.json")
	t.Setenv("ACQNP_DEVICE", "gpu")
	checkRefusal(t, "ACQNP_DEVICE", acqnp("eval", "--run", s.run, "--out", out, "--overwrite"), 2, `"gpu"`)
	succeed(t, "eval", "--run", s.run, "--out", out, "--overwrite", "--device", "cpu", "--quiet")
	t.Setenv("ACQNP_DEVICE", "cpu")
	t.Setenv("ACQNP_THREADS", "two")
	checkRefusal(t, "ACQNP_THREADS", acqnp("eval", "--run", s.run, "--out", out, "--overwrite"), 2, `ACQNP_THREADS`)
	t.Setenv("ACQNP_THREADS", "1")
	t.Setenv("ACQNP_QUIET", "true")
	if o := succeed(t, "eval", "--run", s.run, "--out", out, "--overwrite"); o.err != "" {
		t.Errorf("ACQNP_QUIET: standard error is %q", o.err)
	}
	t.Setenv("ACQNP_EVAL_SEED", "-1")
	succeed(t, "eval", "--run", s.run, "--out", out, "--overwrite") // a run has its own configuration
	checkRefusal(t, "ACQNP_EVAL_SEED", acqnp("eval", "--config", s.config, "--weights", s.weights), 2, "ACQNP_EVAL_SEED")
	empty := t.TempDir()
	t.Setenv("ACQNP_DATA_DIR", empty)
	checkRefusal(t, "ACQNP_DATA_DIR", acqnp("data", "check", "speed-flow"), 2, empty)
}

// An error about a flag that a variable has set names the variable.
func TestVariablesAreNamed(t *testing.T) {
	s := share(t)
	for _, c := range []struct{ variable, value, found string }{
		{"ACQNP_THREADS", "4097", "4097"},
		{"ACQNP_THREADS", "-1", "-1"},
		{"ACQNP_THREADS", "99999999999999999999", `"99999999999999999999"`},
		{"ACQNP_DEVICE", "gpu", `"gpu"`},
		{"ACQNP_DEVICE", "cuda:9999", `"cuda:9999"`},
		{"ACQNP_PRECISION", "fp8", `"fp8"`},
		{"ACQNP_JSON", "maybe", `"maybe"`},
	} {
		t.Run(c.variable+"="+c.value, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			o := acqnp("eval", "--run", s.run, "--out", filepath.Join(t.TempDir(), "eval.json"))
			checkRefusal(t, c.value, o, 2, ": "+c.variable+": found "+c.found+", expected ")
		})
	}
	t.Setenv("ACQNP_THREADS", "4097")
	checkRefusal(t, "both", acqnp("eval", "--run", s.run, "--threads", "4098"), 2, ": --threads: found 4098")
}

func TestDoctor(t *testing.T) {
	var d struct {
		CPU       string `json:"cpu"`
		Cores     int    `json:"cores"`
		Kernels   string
		Available []string `json:"kernels_available"`
		Missing   []string
		Data      []struct {
			Name  string
			Ready bool
		} `json:"data_sets"`
	}
	o := succeed(t, "doctor", "--json", "--data-dir", t.TempDir())
	if err := json.Unmarshal([]byte(o.out), &d); err != nil {
		t.Fatal(err)
	}
	if d.CPU == "" || d.Cores < 1 || len(d.Data) == 0 || !slices.Contains(d.Available, d.Kernels) {
		t.Errorf("%+v", d)
	}
	for _, s := range d.Data {
		if s.Name == "speed-flow" && (s.Ready || !strings.Contains(strings.Join(d.Missing, "\n"), "speed-flow")) {
			t.Error("an empty directory is said to hold the data set speed-flow")
		}
	}
	if o := succeed(t, "doctor"); !strings.Contains(o.out, "\nkernels     "+d.Kernels+" (ACQNP_SIMD") || o.err != "" {
		t.Errorf("%q %q", o.out, o.err)
	}
}

// With unknown kernels the program would compute other bits than the user expects.
func TestUnknownKernelsAreRefused(t *testing.T) {
	s := share(t)
	dir := t.TempDir()
	t.Setenv("ACQNP_SIMD", "foo")
	for _, args := range [][]string{
		{"doctor"}, {"train", "--config", s.config, "--run-dir", filepath.Join(dir, "run")},
		{"eval", "--run", s.run, "--out", filepath.Join(dir, "eval.json")}, {"bench", "--config", s.config},
		{"sample-quantiles", "--run", s.run, "--context", s.context, "--grid", "0:1:3", "--out", filepath.Join(dir, "q.csv")},
		{"plot", "fit", "--run", s.run, "--out", filepath.Join(dir, "fit.png")},
		{"ablate", "num-quantiles", "--config", s.config, "--out", filepath.Join(dir, "ablation")},
	} {
		checkRefusal(t, strings.Join(args, " "), acqnp(args...), 2,
			`ACQNP_SIMD: found "foo", expected amx, avx512, avx2 or portable`)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("files were made: %v %v", files, err)
	}
}

func TestDataListAndCheck(t *testing.T) {
	if o := succeed(t, "data", "list"); !strings.Contains(o.out, "lissajous") || !strings.Contains(o.out, "speed-flow") {
		t.Error(o.out)
	}
	if o := succeed(t, "data", "check", "--data-dir", t.TempDir()); !strings.Contains(o.out, "missing") {
		t.Error(o.out)
	}
	checkRefusal(t, "data check mnits", acqnp("data", "check", "mnits"), 2, `"mnits"`)

	if o := succeed(t, "data", "check", "speed-flow", "--data-dir", sharedData(t)); !strings.Contains(o.out, "1318") {
		t.Error(o.out)
	}
}
