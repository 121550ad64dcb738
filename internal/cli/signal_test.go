package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/test/must"
)

// command returns acqnp as a process that has not started yet, and its standard error.
func command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command("acqnp", args...)
	cmd.Env = os.Environ()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	return cmd, &errs
}

// program starts acqnp as a separate process.
func program(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd, errs := command(args...)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, errs
}

// send sends a signal to a process.
func send(t *testing.T, p *os.Process, s os.Signal) {
	t.Helper()
	must.Do(t, p.Signal(s))
}

// ended waits for a process, which must end with a code.
func ended(t *testing.T, cmd *exec.Cmd, code int) {
	t.Helper()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != code {
		t.Fatalf("ended with %v, want exit code %d\n%s", err, code, cmd.Stderr)
	}
}

// checkpoints fails if a run has none.
func checkpoints(t *testing.T, run string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(run, "checkpoints", "*")); len(left) == 0 {
		t.Fatalf("no checkpoint in %s", run)
	}
}

// waitFor waits until a file exists.
func waitFor(t *testing.T, path string) {
	t.Helper()
	for range 600 {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no %s after 30 s", path)
}

func TestSignalsWriteACheckpointThatResumes(t *testing.T) {
	// A process inherits ignored signals. While this one listens to SIGHUP it does not ignore it,
	// even if the tests run under nohup.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	for _, asked := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		dir := t.TempDir()
		config := must.Write(t, tinyConfig, dir, "tiny.yaml")
		run := filepath.Join(dir, "run")
		cmd, _ := program(t, "train", "--config", config, "--run-dir", run, "--set", "train.steps=100000000", "--no-eval")
		waitFor(t, filepath.Join(run, "metrics.jsonl"))
		send(t, cmd.Process, asked)
		ended(t, cmd, 130)
		checkpoints(t, run)
		// Interrupted again at once: the run has resumed from the checkpoint and ends in the same
		// way.
		o := acqnp("train", "--config", config, "--run-dir", run, "--set", "train.steps=1", "--resume", "--no-eval")
		checkRefusal(t, "fewer steps than the run has", o, 2, "train.steps")
		evaluated := succeed(t, "eval", "--run", run, "--quiet")
		if evaluated.out == "" {
			t.Error("the interrupted run was not evaluated")
		}
	}
}

// timeout, and a shell whose terminal closes, signal a program and then its process group, so the
// same signal arrives twice. The checkpoint must still be written.
func TestASignalThatArrivesTwiceWritesACheckpoint(t *testing.T) {
	dir := t.TempDir()
	config := must.Write(t, tinyConfig, dir, "tiny.yaml")
	for _, run := range []string{"a", "b", "c", "d", "e"} {
		run = filepath.Join(dir, run)
		cmd, _ := program(t, "train", "--config", config, "--run-dir", run, "--set", "train.steps=100000000",
			"--set", "train.checkpoint_every=100000000", "--no-eval")
		waitFor(t, filepath.Join(run, "metrics.jsonl"))
		for range 5 {
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				break // it has ended
			}
		}
		ended(t, cmd, 130)
		checkpoints(t, run)
	}
}

// A program under nohup keeps running when its terminal closes.
func TestNohupKeepsIgnoringSIGHUP(t *testing.T) {
	dir := t.TempDir()
	config := must.Write(t, tinyConfig, dir, "tiny.yaml")
	metrics := filepath.Join(dir, "run", "metrics.jsonl")
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" "$@"`, "acqnp", "train", "--config", config, "--run-dir",
		filepath.Join(dir, "run"), "--set", "train.steps=100000000", "--no-eval")
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	waitFor(t, metrics)
	send(t, cmd.Process, syscall.SIGHUP)
	must.Do(t, os.Truncate(metrics, 0))
	waitFor(t, metrics) // it logs on
	send(t, cmd.Process, syscall.SIGTERM)
	ended(t, cmd, 130)
}

// A listener keeps what is written to it, and closes heard once that has the words.
type listener struct {
	text  bytes.Buffer
	words []byte
	heard chan struct{}
	done  bool
}

func (l *listener) Write(p []byte) (int, error) {
	n, err := l.text.Write(p)
	if !l.done && bytes.Contains(l.text.Bytes(), l.words) {
		l.done = true
		close(l.heard)
	}
	return n, err
}

func TestAnInterruptedEvaluationLeavesNothing(t *testing.T) {
	s, out := share(t), t.TempDir()
	cmd, _ := command("eval", "--run", s.run, "--batches", "1000000", "--out", filepath.Join(out, "eval.json"))
	errs := listener{words: []byte("computing on"), heard: make(chan struct{})}
	cmd.Stderr = &errs
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	select {
	case <-errs.heard:
	case <-time.After(time.Minute):
		t.Fatal("no evaluation in a minute")
	}
	send(t, cmd.Process, os.Interrupt)
	ended(t, cmd, 130)
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Under nohup, SIGHUP does not end the wait for a pipe either.
func TestNohupKeepsIgnoringSIGHUPAtAPipe(t *testing.T) {
	s, dir := share(t), t.TempDir()
	out := filepath.Join(dir, "q.csv")
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" "$@"`, "acqnp", "sample-quantiles", "--run", s.run,
		"--context", "/dev/stdin", "--grid=0:1:3", "--out", out)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	context := must.Get(cmd.StdinPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	// More than a pipe holds: once it is written, the program is reading.
	must.Do(t, must.Err(context.Write(append([]byte("x,y\n"), bytes.Repeat([]byte("0.5,0.25\n"), 20000)...))))
	send(t, cmd.Process, syscall.SIGHUP)
	must.Do(t, context.Close())
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &errs)
	}
	waitFor(t, out)
}
