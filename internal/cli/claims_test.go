//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/test/nolocks"
)

// withoutLocksHere makes processes of the test see file systems without locks, and beat quickly.
func withoutLocksHere(t *testing.T) {
	t.Helper()
	if !nolocks.Known {
		t.Skip("flock cannot be made to fail on this system")
	}
	t.Setenv(withoutLocks, "1")
	t.Setenv(run.HeartbeatVariable, "100ms")
}

// Of two trainings that start at once without locks, one trains and the other is refused.
func TestOneOfTwoTrains(t *testing.T) {
	withoutLocksHere(t)
	dir := t.TempDir()
	config := must.Write(t, tinyConfig, dir, "tiny.yaml")
	at := filepath.Join(dir, "run")
	args := []string{"train", "--config", config, "--run-dir", at, "--resume", "--set", "train.steps=100000000", "--no-eval"}
	a, aErrs := program(t, args...)
	b, bErrs := program(t, args...)
	ended := make(chan int, 2)
	go func() { _ = a.Wait(); ended <- 0 }()
	go func() { _ = b.Wait(); ended <- 1 }()
	refused := <-ended
	if text := []*bytes.Buffer{aErrs, bErrs}[refused].String(); !strings.Contains(text, "another process is training in this run directory (process ") {
		t.Error(text)
	}
	waitFor(t, filepath.Join(at, "metrics.jsonl"))
	other := []*os.Process{b.Process, a.Process}[refused]
	send(t, other, syscall.SIGTERM)
	<-ended
	codes := []int{a.ProcessState.ExitCode(), b.ProcessState.ExitCode()}
	if codes[refused] != 1 || codes[1-refused] != 130 {
		t.Errorf("exit codes %v, want 1 of the refused and 130 of the other", codes)
	}
	if claims, _ := filepath.Glob(filepath.Join(at, ".claim*")); len(claims) > 0 {
		t.Errorf("%v is left", claims)
	}
}

// waitForCheckpoint waits until a run has a checkpoint whose configuration has a line. It comes after
// the log's line of its step.
func waitForCheckpoint(t *testing.T, run, line string) {
	t.Helper()
	for range 600 {
		paths, _ := filepath.Glob(filepath.Join(run, "checkpoints", "step-*"))
		for _, path := range paths {
			if content, err := os.ReadFile(path); err == nil && bytes.Contains(content, []byte(line)) {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no checkpoint with %q after 30 s", line)
}

// A training that slept while another took over its directory stops and changes nothing.
func TestATrainingThatSleptStops(t *testing.T) {
	withoutLocksHere(t)
	dir := t.TempDir()
	config := must.Write(t, tinyConfig, dir, "tiny.yaml")
	at := filepath.Join(dir, "run")
	args := []string{"train", "--config", config, "--run-dir", at, "--resume", "--no-eval"}
	a, aErrs := program(t, append(args, "--set", "train.schedule=constant", "--set", "train.steps=100000000")...)
	waitFor(t, filepath.Join(at, "metrics.jsonl"))
	send(t, a.Process, syscall.SIGSTOP)
	b, bErrs := program(t, append(args, "--set", "train.schedule=constant", "--set", "train.steps=200000000")...)
	waitFor(t, filepath.Join(at, ".claim-2"))
	send(t, a.Process, syscall.SIGCONT)
	if err := a.Wait(); a.ProcessState.ExitCode() != 1 || !strings.Contains(aErrs.String(), "it took over after") {
		t.Errorf("%v: %s", err, aErrs)
	}
	waitForCheckpoint(t, at, "steps: 200000000") // b may begin again, with an empty log
	send(t, b.Process, syscall.SIGTERM)
	if err := b.Wait(); b.ProcessState.ExitCode() != 130 || !strings.Contains(bErrs.String(), "may be at work here") {
		t.Errorf("%v: %s", err, bErrs)
	}
	log := must.Get(os.ReadFile(filepath.Join(at, "metrics.jsonl")))(t)
	for i, line := range strings.Split(strings.TrimSpace(string(log)), "\n") {
		if want := fmt.Sprintf(`{"step":%d,`, 10*(i+1)); !strings.HasPrefix(line, want) {
			t.Fatalf("line %d is %s, want %s", i+1, line, want)
		}
	}
}

// A signal ends the watch of a claim that may be abandoned.
func TestASignalEndsTheWatchOfAClaim(t *testing.T) {
	dir := t.TempDir()
	config := must.Write(t, tinyConfig, dir, "tiny.yaml")
	at := filepath.Join(dir, "tiny", "seed-0")
	must.Write(t, `{"host":"node7","boot":"another kernel","pid":12,"token":"t","interval_s":60,"beat":1}`, at, ".claim-1")
	must.Write(t, `{"host":"node7","boot":"another kernel","pid":12,"token":"t","interval_s":60,"beat":1}`, at, ".claim-sweep-1")
	must.Do(t, os.Chtimes(filepath.Join(at, ".claim-1"), time.Time{}, time.Now().Add(-30*time.Minute))) // older than a watch
	plan := must.Write(t, "configs: tiny.yaml\nruns: .\n", dir, "plan.yaml")
	for want, args := range map[string][]string{
		"interrupted":                {"train", "--config", config, "--run-dir", at, "--resume"},
		"the same command continues": {"sweep", "run", plan},
	} {
		cmd, _ := command(args...)
		cmd.Dir, cmd.Stderr = dir, nil
		errs := must.Get(cmd.StderrPipe())(t)
		must.Do(t, cmd.Start())
		hang := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		last := ""
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			if last = lines.Text(); strings.Contains(last, "may be at work here: watching for up to 6m0s") {
				send(t, cmd.Process, os.Interrupt)
			}
		}
		ended(t, cmd, 130)
		hang.Stop()
		if !strings.Contains(last, want) {
			t.Errorf("%s ended with %q, want %s", args[0], last, want)
		}
	}
}
