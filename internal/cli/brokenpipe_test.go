//go:build unix

package cli_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// closedPipe returns the writing end of a pipe that nobody reads.
func closedPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}

// acqnp train --json 2>&1 | head -1: the training stops with a checkpoint.
func TestABrokenPipeOfTheProgressWritesACheckpoint(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	cmd, _ := command("train", "--config", must.Write(t, tinyConfig, dir, "tiny.yaml"), "--run-dir", run, "--no-eval",
		"--json", // which has progress every second, not every ten
		"--threads", "1", "--set", "train.steps=100000000", "--set", "train.checkpoint_every=100000000")
	cmd.Stderr = nil
	progress := must.Get(cmd.StderrPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	must.Do(t, must.Err(bufio.NewReader(progress).ReadString('\n')))
	waitFor(t, filepath.Join(run, "metrics.jsonl"))
	progress.Close()
	ended(t, cmd, 130)
	checkpoints(t, run)
}

// acqnp eval | true, and a full disk behind standard output: the evaluation is still written.
func TestAnEvaluationThatCannotBePrintedIsWritten(t *testing.T) {
	s := share(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no /dev/full here: %v", err)
	}
	t.Cleanup(func() { full.Close() })
	for _, c := range []struct {
		name string
		to   *os.File
		code int
		errs string
	}{
		{"a closed pipe", closedPipe(t), 141, ""},
		{"a full disk", full, 1, "acqnp eval: write /dev/stdout: no space left on device\n"},
	} {
		out := filepath.Join(t.TempDir(), "eval.json")
		cmd, errs := command("eval", "--run", s.run, "--batches", "1", "--out", out, "--quiet")
		cmd.Stdout = c.to
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != c.code {
			t.Errorf("%s: ended with %v, want exit code %d", c.name, err, c.code)
		}
		if errs.String() != c.errs {
			t.Errorf("%s: printed %q, want %q", c.name, errs, c.errs)
		}
		if info, err := os.Stat(out); err != nil || info.Size() == 0 {
			t.Errorf("%s: the evaluation is lost: %v", c.name, err)
		}
	}
}

// A fault that nothing can catch, as when memory runs out, is no wrong input: the program ends by SIGABRT,
// a shell's 134, and not with Go's own 2.
func TestFatalFaults(t *testing.T) {
	cmd, errs := command("--version")
	cmd.Env = append(cmd.Env, thenFails+"=1")
	err := cmd.Run()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if err == nil || !ok || !status.Signaled() || status.Signal() != syscall.SIGABRT || !strings.Contains(errs.String(), "fatal error: ") {
		t.Errorf("%v: %.300s", err, errs)
	}
}
