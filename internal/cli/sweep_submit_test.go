package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
)

// cluster changes to a folder with a plan of six runs, and puts stand-ins for Slurm's programs alone
// into PATH. They record what sbatch is given.
func cluster(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Chdir(dir)
	write(t, dir, "tiny.yaml", tinyConfig)
	write(t, dir, "plan.yaml", "configs: [tiny.yaml]\nseeds: 0..5\nset: {train.steps: 2}\nruns: study\n")
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"sbatch":   "echo \"arguments: $*\" >" + dir + "/given\nwhile IFS= read -r line; do printf '%s\\n' \"$line\" >>" + dir + "/given; done\necho Submitted batch job 8\n",
		"scontrol": "echo MaxArraySize = 5\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	return dir
}

func TestSbatchGetsWhatDryRunPrints(t *testing.T) {
	dir := cluster(t)
	t.Setenv("ACQNP_TRAIN_STEPS", "20")
	args := []string{"sweep", "submit", "plan.yaml", "--slurm", "--limit", "2", "--", "--time=1", "-p", "gpu"}
	dry := succeed(t, append([]string{"sweep", "submit", "--dry-run"}, args[2:]...)...)
	if _, err := os.Stat(filepath.Join(dir, "study")); err == nil {
		t.Error("--dry-run made the folder of the runs")
	}
	o := succeed(t, args...)
	given, err := os.ReadFile(filepath.Join(dir, "given"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "arguments: \n" + dry.out; string(given) != want {
		t.Errorf("sbatch was given\n%swant\n%s", given, want)
	}
	for _, want := range []string{"#SBATCH --array=0-2%2\n#", "#SBATCH --time=1\n#SBATCH -p\n#SBATCH gpu\n", "export ACQNP_TRAIN_STEPS=20\n", " sweep run plan.yaml --indices "} {
		if !strings.Contains(dry.out, want) {
			t.Errorf("the script has no %q:\n%s", want, dry.out)
		}
	}
	if !strings.Contains(o.err, "at most 5 elements") {
		t.Errorf("nothing says that an element has more runs than asked for: %q", o.err)
	}
	if logs := filepath.Join(dir, "study", "slurm"); o.out != "Submitted batch job 8: 6 runs, 0 are done; logs in "+logs+"\n" {
		t.Errorf("output %q", o.out)
	} else if _, err := os.Stat(logs); err != nil {
		t.Error("sbatch does not make the folder of the logs: ", err)
	}
}

func TestOnlyMissingRunsAreSubmitted(t *testing.T) {
	cluster(t)
	train := func(seed int) {
		succeed(t, "train", "--config", "tiny.yaml", "--set", "train.steps=2", "--seed", fmt.Sprint(seed), "--no-eval", "--quiet",
			"--run-dir", fmt.Sprintf("study/tiny/seed-%d", seed))
	}
	train(2)
	train(3)
	o := succeed(t, "sweep", "submit", "plan.yaml", "--slurm", "--per-job", "2", "--dry-run")
	if !strings.Contains(o.out, "#SBATCH --array=0,2\n") {
		t.Errorf("want the elements 0 and 2:\n%s", o.out)
	}
	for _, seed := range []int{0, 1, 4, 5} {
		train(seed)
	}
	if o := succeed(t, "sweep", "submit", "plan.yaml", "--slurm"); o.out != "nothing to submit: all 6 runs are done\n" {
		t.Errorf("output %q", o.out)
	}
}

// A run that diverged would diverge again, until its error.json is removed.
func TestADivergedRunIsNotSubmitted(t *testing.T) {
	cluster(t)
	train := func(dir, seed string) {
		succeed(t, "train", "--config", "tiny.yaml", "--set", "train.steps=2", "--seed", seed, "--no-eval", "--quiet", "--run-dir", dir)
	}
	const dir = "study/tiny/seed-4"
	train("study/tiny/seed-5", "5")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := run.WriteFailure(dir, run.Failure{ExitCode: 1, Cause: run.Diverged, Message: "NaN"}); err != nil {
		t.Fatal(err)
	}
	if o := succeed(t, "sweep", "submit", "plan.yaml", "--slurm", "--per-job", "2", "--dry-run"); !strings.Contains(o.out, "#SBATCH --array=0-1\n") {
		t.Errorf("want the elements 0 and 1:\n%s", o.out)
	}
	if o := succeed(t, "sweep", "submit", "plan.yaml", "--slurm"); !strings.Contains(o.out, ": 4 runs, 1 are done, 1 diverged and would again; ") {
		t.Errorf("output %q", o.out)
	}
	for seed := range 4 {
		train(fmt.Sprintf("study/tiny/seed-%d", seed), fmt.Sprint(seed))
	}
	if o := succeed(t, "sweep", "submit", "plan.yaml", "--slurm"); o.out != "nothing to submit: 5 runs are done, 1 diverged and would again\n" {
		t.Errorf("output %q", o.out)
	}
	if err := os.Remove(filepath.Join(dir, "error.json")); err != nil {
		t.Fatal(err)
	}
	if o := succeed(t, "sweep", "submit", "plan.yaml", "--slurm"); !strings.Contains(o.out, ": 1 run, 5 are done; ") {
		t.Errorf("output %q", o.out)
	}
}

func TestSubmitRefusesRunsOfAnotherConfiguration(t *testing.T) {
	dir := cluster(t)
	succeed(t, "train", "--config", "tiny.yaml", "--set", "train.steps=2", "--set", "train.batch_size=5", "--seed", "3", "--no-eval", "--quiet",
		"--run-dir", "study/tiny/seed-3")
	o := acqnp("sweep", "submit", "plan.yaml", "--slurm", "--per-job", "2")
	if o.code != 2 || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "train.batch_size") {
		t.Errorf("exit code %d, %q, want the key that differs", o.code, o.err)
	}
	if _, err := os.Stat(filepath.Join(dir, "given")); err == nil {
		t.Error("sbatch was called")
	}
}

func TestSubmitSaysWhatIsWrong(t *testing.T) {
	dir := cluster(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"plan.yaml"}, "--slurm"},
		{[]string{"plan.yaml", "other.yaml", "--slurm"}, "2 arguments"},
		{[]string{"plan.yaml", "--slurm", "--per-job", "0"}, "--per-job"},
		{[]string{"plan.yaml", "--slurm", "--limit=-1"}, "--limit"},
		{[]string{"plan.yaml", "--slurm", "--per-job=2", "--", "--array=1"}, "--array=1"},
		{[]string{"none.yaml", "--slurm"}, "none.yaml"},
	} {
		o := acqnp(append([]string{"sweep", "submit"}, c.args...)...)
		if o.code != 2 || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, c.want) {
			t.Errorf("%q: exit code %d, %q", c.args, o.code, o.err)
		}
	}
	write(t, filepath.Join(dir, "bin"), "sbatch", "#!/bin/sh\necho 'sbatch: error: invalid partition specified: x' >&2\nexit 1\n")
	if o := acqnp("sweep", "submit", "plan.yaml", "--slurm", "--per-job=2"); o.code != 1 || o.err != "acqnp sweep submit: sbatch: error: invalid partition specified: x\n" {
		t.Errorf("an error of sbatch: exit code %d, %q", o.code, o.err)
	}
	t.Setenv("PATH", dir)
	if o := acqnp("sweep", "submit", "plan.yaml", "--slurm"); o.code != 2 || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "no scontrol in PATH") {
		t.Errorf("without Slurm: exit code %d, %q", o.code, o.err)
	}
	succeed(t, "sweep", "submit", "plan.yaml", "--slurm", "--dry-run")
}
