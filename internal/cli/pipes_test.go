//go:build unix

package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/test/must"
)

// pipe makes a named pipe.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	return path
}

// One interrupt ends the wait for a pipe that is open and silent.
func TestAnInterruptEndsTheWaitForAnInput(t *testing.T) {
	s, path := share(t), pipe(t)
	silent := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer silent.Close()
	cmd, errs := program(t, "sample-quantiles", "--run", s.run, "--context", path, "--grid=0:1:2", "--out", filepath.Join(t.TempDir(), "out.csv"))
	// More than a pipe holds: once it is written, the program is reading.
	must.Do(t, silent.SetWriteDeadline(time.Now().Add(time.Minute)))
	must.Do(t, must.Err(silent.Write(append([]byte("x,y\n"), bytes.Repeat([]byte("0.5,0.25\n"), 20000)...))))
	send(t, cmd.Process, os.Interrupt)
	hang := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer hang.Stop()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// A configuration from a pipe, which is read once, predicts as the file does.
func TestAConfigurationFromAPipe(t *testing.T) {
	s, dir := share(t), t.TempDir()
	ask := func(config, out string) []byte {
		out = filepath.Join(dir, out)
		succeed(t, "sample-quantiles", "--config", config, "--weights", s.weights, "--context", s.context, "--grid=-2:2:3", "--num-quantiles", "3", "--out", out, "--quiet")
		return must.Get(os.ReadFile(out))(t)
	}
	want := ask(s.config, "file.csv")
	r, w, err := os.Pipe()
	must.Do(t, err)
	defer r.Close()
	must.Do(t, must.Err(w.Write(must.Get(os.ReadFile(s.config))(t)))) // less than a pipe holds
	must.Do(t, w.Close())
	if got := ask(fmt.Sprintf("/dev/fd/%d", r.Fd()), "pipe.csv"); !bytes.Equal(got, want) {
		t.Errorf("from a pipe:\n%s\nfrom the file:\n%s", got, want)
	}
}
