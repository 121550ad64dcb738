//go:build unix

package slurm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// apptainer stands in for Apptainer: it runs the program on the CPU.
const apptainer = `#!/bin/bash
while [ "$1" != acqnp.sif ]; do shift; done
shift
exec '%s' "${@/#cuda/cpu}"
`

// The script of deploy trains a run in each element of an array. When its time ends, an element
// requeues itself and goes on. An element that its user cancels stays cancelled.
func TestDeployedScriptRequeuesItself(t *testing.T) {
	s := newStudy(t)
	bin := filepath.Join(s.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "apptainer"), fmt.Appendf(nil, apptainer, s.program), 0o755); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../../../deploy/slurm.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	s.serial(t, 2)
	job := strings.TrimSpace(s.do(t, "env", "PATH="+bin+":"+os.Getenv("PATH"),
		"sbatch", "--parsable", "--array=0-2", "--time=1", "--output=%a.log", script, "tiny.yaml"))
	first := []string{"train", "--resume", "--seed", "0"}
	s.strike(t, strike{syscall.SIGSTOP, "runs/tiny/seed-0", first})
	eventually(t, "training in element 2", func() bool { return s.read("runs/tiny/seed-2/metrics.jsonl") != "" })
	s.do(t, "scancel", job+"_2")
	s.timesOut(t, func() string { return s.read("0.log") }, first...)
	eventually(t, "the end of the array", func() bool { return s.ended(t, job) })
	for n, want := range []string{"COMPLETED", "COMPLETED", "CANCELLED"} {
		if _, state, restarts := s.job(t, job, n); state != want || n == 0 && restarts == "0" {
			t.Errorf("element %d: %s after %s restarts, want %s\n%s", n, state, restarts, want, s.read(fmt.Sprint(n, ".log")))
		}
	}
	for n := range 2 {
		s.do(t, s.program, "eval", "--run", fmt.Sprintf("runs/tiny/seed-%d", n), "--quiet")
	}
	s.compare(t, filepath.Join(s.dir, "runs", "tiny"), 2)
}
