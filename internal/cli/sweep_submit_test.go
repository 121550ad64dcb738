package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
)

// cluster changes to a folder with a plan of six runs.
func cluster(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Chdir(dir)
	write(t, dir, "tiny.yaml", tinyConfig)
	write(t, dir, "plan.yaml", "configs: [tiny.yaml]\nseeds: 0..5\nset: {train.steps: 2}\nruns: study\n")
	return dir
}

// trainSeed trains a run of the plan.
func trainSeed(t *testing.T, seed int, settings ...string) {
	t.Helper()
	succeed(t, append([]string{"train", "--config", "tiny.yaml", "--set", "train.steps=2", "--seed", fmt.Sprint(seed), "--no-eval", "--quiet",
		"--run-dir", fmt.Sprintf("study/tiny/seed-%d", seed)}, settings...)...)
}

func submit(t *testing.T, args ...string) outcome {
	t.Helper()
	return succeed(t, append([]string{"sweep", "submit", "plan.yaml"}, args...)...)
}

func checkHas(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestSubmitWritesAScript(t *testing.T) {
	dir := cluster(t)
	t.Setenv("ACQNP_TRAIN_STEPS", "20")
	o := submit(t, "--slurm", "--limit", "2", "--per-job", "2", "--", "--time=1", "-p", "gpu")
	checkHas(t, o.out, "#!/bin/bash\n", "#SBATCH --array=0-2%2\n#", "#SBATCH --time=1\n#SBATCH -p\n#SBATCH gpu\n", "export ACQNP_TRAIN_STEPS=20\n", " sweep run plan.yaml --indices ")
	logs := filepath.Join(dir, "study", "slurm")
	checkHas(t, o.err, "6 runs, 0 are done; logs in "+logs+"\n")
	if _, err := os.Stat(logs); err != nil {
		t.Error("sbatch does not make the folder of the logs: ", err)
	}
	write(t, dir, "plan.yaml", "configs: [tiny.yaml]\nseeds: 0..1001\nruns: study\n")
	checkHas(t, submit(t, "--slurm").err, "elements up to 1001", "the last is 1000: take --per-job 2")
}

func TestOnlyMissingRunsAreSubmitted(t *testing.T) {
	cluster(t)
	trainSeed(t, 2)
	trainSeed(t, 3)
	checkHas(t, submit(t, "--slurm", "--per-job", "2").out, "#SBATCH --array=0,2\n")
	for _, seed := range []int{0, 1, 4, 5} {
		trainSeed(t, seed)
	}
	if o := submit(t, "--slurm"); o.out != "" || !strings.Contains(o.err, "nothing to submit: all 6 runs are done\n") {
		t.Errorf("%q %q", o.out, o.err)
	}
}

// A run that diverged would diverge again, until its error.json is removed.
func TestADivergedRunIsNotSubmitted(t *testing.T) {
	cluster(t)
	const dir = "study/tiny/seed-4"
	trainSeed(t, 5)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := run.WriteFailure(dir, run.Failure{ExitCode: 1, Cause: run.Diverged, Message: "NaN"}); err != nil {
		t.Fatal(err)
	}
	o := submit(t, "--slurm", "--per-job", "2")
	checkHas(t, o.out, "#SBATCH --array=0-1\n")
	checkHas(t, o.err, "4 runs, 1 are done, 1 diverged and would again; ")
	for seed := range 4 {
		trainSeed(t, seed)
	}
	checkHas(t, submit(t, "--slurm").err, "nothing to submit, 5 are done, 1 diverged and would again\n")
	if err := os.Remove(filepath.Join(dir, "error.json")); err != nil {
		t.Fatal(err)
	}
	checkHas(t, submit(t, "--slurm").err, "1 run, 5 are done; ")
}

func TestSubmitRefusesRunsOfAnotherConfiguration(t *testing.T) {
	cluster(t)
	trainSeed(t, 3, "--set", "train.batch_size=5")
	checkRefusal(t, "another configuration", acqnp("sweep", "submit", "plan.yaml", "--slurm", "--per-job", "2"), 2, "train.batch_size")
}

// The environment does not reach the pods, so that it must not decide about the plan either. The text
// is exact even where a terminal would not show it.
func TestSubmitWritesObjects(t *testing.T) {
	dir := cluster(t)
	write(t, dir, "tiny.yaml", "# \u202e\u200b\n"+tinyConfig)
	args := []string{"--kubernetes", "--image", "example.org/acqnp:2", "--limit", "2", "--per-job", "4"}
	o := submit(t, args...)
	checkHas(t, o.out, "apiVersion: v1\n", "kind: ConfigMap\n", "\n  completions: 2\n", "\n  parallelism: 2\n", "image: example.org/acqnp:2\n",
		"claimName: acqnp\n", `nvidia.com/gpu: "1"`, "# \u202e\u200b\n")
	_, name, _ := strings.Cut(o.err, "job ")
	name, found, _ := strings.Cut(name, ": ")
	if found != "6 runs in 2 pods\n" || !strings.Contains(o.out, "\n  name: "+name+"\n") {
		t.Errorf("standard error %q", o.err)
	}
	t.Setenv("ACQNP_TRAIN_STEPS", "none")
	if again := submit(t, args...); again.out != o.out {
		t.Errorf("with ACQNP_TRAIN_STEPS:\n%s", again.out)
	}
}

func TestSubmitSaysWhatIsWrong(t *testing.T) {
	dir := cluster(t)
	write(t, dir, "bad.yaml", "configs: [tiny.yaml]\nseed: 0..5\nruns: study\n")
	write(t, dir, "halving.yaml", "configs: [tiny.yaml]\nset: {train.validate_every: 1}\ngrid: {train.learning_rate: [1e-3, 5e-4]}\nhalving: {first: 1}\nruns: study\n")
	for args, want := range map[string]string{
		"plan.yaml":                                        "[slurm kubernetes]",
		"plan.yaml other.yaml --slurm":                     "2 arguments",
		"plan.yaml --slurm --per-job 0":                    "--per-job",
		"plan.yaml --slurm --limit=-1":                     "--limit",
		"plan.yaml --slurm --per-job=2 -- --array=1":       "--array=1",
		"none.yaml --slurm":                                "none.yaml",
		"plan.yaml --slurm --kubernetes":                   "kubernetes",
		"plan.yaml --slurm --queue gpus":                   "queue",
		"plan.yaml --slurm --gpus 2":                       "gpus",
		"plan.yaml --kubernetes --program acqnp":           "program",
		"plan.yaml --kubernetes -- --time=1":               "--time=1",
		"plan.yaml --kubernetes --queue GPUs":              `--queue: found "GPUs"`,
		"plan.yaml --kubernetes --limit=-1":                "--limit",
		"bad.yaml --kubernetes":                            "bad.yaml:2: seed: ",
		"halving.yaml --kubernetes":                        "halving",
		"halving.yaml --slurm --per-job 2 -- --comment=ok": "halving",
	} {
		checkRefusal(t, args, acqnp(append([]string{"sweep", "submit"}, strings.Fields(args)...)...), 2, want)
	}
}
