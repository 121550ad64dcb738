package submit_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/sweep/submit"
	"github.com/acqnp/acqnp/internal/test/must"
)

// made returns a plan of n runs.
func made(n int) *plan.Plan {
	p := &plan.Plan{File: "my plan's.yaml", Dir: "runs"}
	for i := range n {
		p.Runs = append(p.Runs, plan.Run{Index: i})
	}
	return p
}

// all returns the indices of n runs.
func all(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i)
	}
	return list
}

func script(t *testing.T, s submit.Slurm, p *plan.Plan, open []int) string {
	t.Helper()
	return must.Get(s.Script(p, open))(t)
}

func program(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, os.WriteFile(path, []byte("#!/bin/bash\n"+text), 0o755))
	return path
}

// options returns what follows #SBATCH before the first command.
func options(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		option, is := strings.CutPrefix(strings.TrimSpace(line), "#SBATCH ")
		if is {
			found = append(found, option)
		} else if !strings.HasPrefix(line, "#") {
			break
		}
	}
	return found
}

func TestArrayHasTheElementsWithOpenRuns(t *testing.T) {
	for name, c := range map[string]struct {
		runs, perJob, limit int
		open                []int
		want                string
	}{
		"all":                 {6, 1, 0, all(6), "0-5"},
		"packs, the last few": {20, 8, 0, all(20), "0-2"},
		"a limit":             {360, 8, 20, all(360), "0-44%20"},
		"one run":             {1, 8, 1, all(1), "0%1"},
		"what is missing":     {40, 4, 3, []int{0, 3, 4, 20, 31, 39}, "0-1,5,7,9%3"},
	} {
		text := script(t, submit.Slurm{PerJob: c.perJob, Limit: c.limit, Dir: "/w"}, made(c.runs), c.open)
		if got := options(text); !slices.Contains(got, "--array="+c.want) {
			t.Errorf("%s: options %q, want the array %s", name, got, c.want)
		}
	}
}

// The elements together run each index once. An element that was interrupted, and no other, requeues
// itself, by its number within the array.
func TestElementsRunTheirPartAndRequeueThemselves(t *testing.T) {
	for _, status := range []int{0, 1, 2, 130, 137, 143} {
		dir := t.TempDir()
		acqnp := program(t, dir, "acq np", fmt.Sprintf("printf '%%s\\n' \"$*\" \"$ACQNP_X\" \"$GOMAXPROCS\" \"$SRUN_CPUS_PER_TASK\" >>%s/ran\nexit %d\n", dir, status))
		program(t, dir, "srun", `exec "$@"`)
		program(t, dir, "scontrol", "echo \"$*\" >>"+dir+"/asked")
		s := submit.Slurm{PerJob: 3, Program: "'" + acqnp + "'", Dir: dir, Environ: []string{"HOME=/h", "ACQNP_X=it's $HOME"}}
		file := program(t, dir, "script", script(t, s, made(7), all(7)))
		var ran, asked string
		for element, part := range []string{"0..2", "3..5", "6..6"} {
			cmd := exec.Command("bash", file)
			cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "SLURM_JOB_ID=108", "SLURM_ARRAY_JOB_ID=100", fmt.Sprint("SLURM_ARRAY_TASK_ID=", element),
				"SLURM_CPUS_ON_NODE=4", "SLURM_CPUS_PER_TASK=2"}
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil {
				t.Skip(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != status || len(out) > 0 {
				t.Errorf("element %d: status %d, want %d; output %q", element, got, status, out)
			}
			ran += "sweep run my plan's.yaml --indices " + part + "\nit's $HOME\n4\n2\n"
			if status == 130 || status == 143 {
				asked += fmt.Sprintf("requeue 100_%d\n", element)
			}
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "ran")); string(got) != ran {
			t.Errorf("acqnp was called so:\n%swant:\n%s", got, ran)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "asked")); string(got) != asked {
			t.Errorf("status %d: scontrol was asked to %q, want %q", status, got, asked)
		}
	}
}

// sbatch reads an option's words with its own quotes. A % in a name of logs stands for a number.
func TestOptionsAreQuoted(t *testing.T) {
	s := submit.Slurm{PerJob: 1, Dir: `/a b's "q" 5%`, Flags: []string{"--time=1", "--comment", `#1 "a" \b`}}
	got := options(script(t, s, made(1), all(1)))
	for _, want := range []string{
		`"--job-name=acqnp-my plan's"`, `"--chdir=/a b's \"q\" 5%"`, `"--output=/a b's \"q\" 5%%/runs/slurm/%A_%a.log"`,
		"--open-mode=append", "--requeue", "--nodes=1", "--ntasks=1", "--signal=TERM@120",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("options %q, want %s", got, want)
		}
	}
	if want := []string{"--time=1", "--comment", `"#1 \"a\" \\b"`}; !slices.Equal(got[len(got)-3:], want) {
		t.Errorf("options %q, want %q at their end", got, want)
	}
}

func TestScriptRefusesWhatItCannotSay(t *testing.T) {
	for _, s := range []submit.Slurm{
		{Dir: "/a\\b"}, {Dir: "/a\nb"}, {Dir: "/w", Flags: []string{"--array=0-3"}}, {Dir: "/w", Flags: []string{"-a", "0-3"}},
		{Dir: "/w", Flags: []string{"--wrap=true"}}, {Dir: "/w", Flags: []string{"--comment=a\nrm"}},
	} {
		s.PerJob = 1
		_, err := s.Script(made(1), all(1))
		var bad *invalid.Input
		if !errors.As(err, &bad) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want one line of *invalid.Input", s, err)
		}
	}
}
