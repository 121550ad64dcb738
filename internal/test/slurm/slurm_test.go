//go:build unix

package slurm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const runs = 6

// A run trains for some seconds on one thread, so that it can be caught.
const configuration = `benchmark: sawtooth
model:
  name: acqnp
  representation: 8
  encoder: [8]
  adaptor: [8]
  adaptor_form: residual
  decoder: [8]
data: {points: [6, 12]}
train: {steps: 100000, batch_size: 4, num_tau: 4, log_every: 1000, checkpoint_every: 20000, learning_rate: 1e-3}
eval: {num_tau: 5, batches: 3, batch_size: 2, num_points: 20, max_context: 8}
`

const sweepPlan = `configs: [tiny.yaml]
seeds: 0..5
evaluate: true
runs: "it's a study"
`

// A study is a sweep of six runs on Slurm, in a folder of its own.
type study struct {
	program string
	dir     string // of the plan
	runs    string // below it, the runs
}

func newStudy(t *testing.T) *study {
	t.Helper()
	if os.Getenv("ACQNP_SLURM") == "" {
		t.Skip("needs a Slurm for itself: make slurm")
	}
	t.Parallel()
	program, err := filepath.Abs("../../../acqnp")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &study{program: program, dir: filepath.Join(dir, `a "b" 5%`)}
	s.runs = filepath.Join(s.dir, "it's a study", "tiny")
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"tiny.yaml": configuration, "plan.yaml": sweepPlan} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			s.show(t)
		}
	})
	return s
}

// show prints what jobs have written.
func (s *study) show(t *testing.T) {
	for _, pattern := range []string{"*.log", "*/slurm/*.log"} {
		logs, _ := filepath.Glob(filepath.Join(s.dir, pattern))
		for _, name := range logs {
			content, _ := os.ReadFile(name)
			t.Logf("%s:\n%s", filepath.Base(name), content)
		}
	}
}

// do runs a program in the study's folder and returns what it prints.
func (s *study) do(t *testing.T, name string, args ...string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, &out, &stderr)
	}
	return out.String()
}

// seed returns the directory of a run, as the sweep's processes name it.
func (s *study) seed(n int) string { return fmt.Sprintf("it's a study/tiny/seed-%d", n) }

// serial trains and evaluates runs of the configuration one after another, without Slurm.
func (s *study) serial(t *testing.T, runs int) {
	t.Helper()
	for n := range runs {
		dir := filepath.Join("serial", fmt.Sprintf("seed-%d", n))
		s.do(t, s.program, "train", "--config", "tiny.yaml", "--seed", fmt.Sprint(n), "--run-dir", dir, "--threads=1", "--no-eval", "--quiet")
		s.do(t, s.program, "eval", "--run", dir, "--quiet")
	}
}

// submit submits the plan and returns the number of its array. Slurm holds the script that --dry-run
// prints.
func (s *study) submit(t *testing.T, want string, flags ...string) (job string) {
	t.Helper()
	call := func(options ...string) string {
		args := append([]string{"sweep", "submit", "plan.yaml", "--slurm", "--limit=6"}, options...)
		return s.do(t, s.program, append(append(args, "--"), flags...)...)
	}
	printed, said := call("--dry-run"), call()
	found := regexp.MustCompile(`^Submitted batch job (\d+): (.*); logs`).FindStringSubmatch(said)
	if found == nil || found[2] != want {
		t.Fatalf("sweep submit says %q, want %s", said, want)
	}
	if script := s.do(t, "scontrol", "write", "batch_script", found[1], "-"); strings.TrimSpace(script) != strings.TrimSpace(printed) {
		t.Errorf("Slurm has the script\n%s\n--dry-run prints\n%s", script, printed)
	}
	return found[1]
}

// job returns what scontrol says of an element.
func (s *study) job(t *testing.T, job string, element int) (node, state, restarts string) {
	t.Helper()
	said := s.do(t, "scontrol", "show", "job", fmt.Sprintf("%s_%d", job, element))
	field := func(name string) string {
		if m := regexp.MustCompile(`\b` + name + `=(\S+)`).FindStringSubmatch(said); m != nil {
			return m[1]
		}
		return ""
	}
	return field("BatchHost"), field("JobState"), field("Restarts")
}

func (s *study) log(job string, element int) string {
	return s.read(filepath.Join("it's a study", "slurm", fmt.Sprintf("%s_%d.log", job, element)))
}

// read returns a file in the study's folder, "" if there is none.
func (s *study) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.dir, name))
	return string(text)
}

var states = regexp.MustCompile(`JobState=(\S+)`)

// ended reports whether all elements of a job have ended for good. squeue leaves an element out for a
// moment while it requeues itself.
func (s *study) ended(t *testing.T, job string) bool {
	for _, m := range states.FindAllStringSubmatch(s.do(t, "scontrol", "show", "job", job), -1) {
		if !slices.Contains([]string{"COMPLETED", "FAILED", "CANCELLED"}, m[1]) {
			return false
		}
	}
	return true
}

// An array of six runs survives what a cluster does to it: the end of an element's time, a process and
// a whole element killed, and a node drained. Its results are those of runs trained one after another.
func TestArraySurvives(t *testing.T) {
	s := newStudy(t)
	s.serial(t, runs)
	w := s.watch()
	job := s.submit(t, "6 runs, 0 are done", "--time=1", "--cpus-per-task=4", "--gpus=2") // one minute, and one element of a node

	// Element 0 stands still until its time ends, and its node goes out of service. The training of
	// element 1 is killed, and all of element 2.
	var drained string
	eventually(t, "a node for element 0", func() bool {
		drained, _, _ = s.job(t, job, 0)
		return drained != ""
	})
	s.do(t, "scontrol", "update", "NodeName="+drained, "State=DRAIN", "Reason=test")
	s.strike(t,
		strike{syscall.SIGSTOP, s.seed(0), []string{"train", s.seed(0)}},
		strike{syscall.SIGKILL, s.seed(1), []string{"train", s.seed(1)}},
		strike{syscall.SIGKILL, s.seed(2), []string{"--indices", "2..2"}})
	s.timesOut(t, func() string { return s.log(job, 0) }, s.seed(0))
	eventually(t, "the end of the array", func() bool { return s.ended(t, job) })

	if node, state, restarts := s.job(t, job, 0); state != "COMPLETED" || restarts == "0" || node == drained {
		t.Errorf("element 0 on %s, the drained node is %s: %s after %s restarts\n%s", node, drained, state, restarts, s.log(job, 0))
	}
	if _, state, _ := s.job(t, job, 1); state != "COMPLETED" || !strings.Contains(s.log(job, 1), "trying again") {
		t.Errorf("element 1, whose training was killed: %s\n%s", state, s.log(job, 1))
	}
	if _, state, _ := s.job(t, job, 2); state != "FAILED" {
		t.Errorf("element 2, whose acqnp sweep run was killed: %s\n%s", state, s.log(job, 2))
	}
	s.do(t, "scontrol", "update", "NodeName="+drained, "State=RESUME")
	again := s.submit(t, "1 run, 5 are done")
	eventually(t, "the end of the second array", func() bool { return s.ended(t, again) })
	time.Sleep(time.Second) // the last statement
	w.end(t)
	s.compare(t, s.runs, runs)
}
