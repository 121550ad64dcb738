//go:build unix

package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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

func TestOutputsGoIntoPipes(t *testing.T) {
	s := share(t)
	for _, c := range []struct{ args, want string }{
		{"sample-quantiles --run RUN --context CONTEXT --grid=0:1:2 --out PIPE", "component"},
		{"eval --run RUN --out PIPE", "acqnp.eval/1"},
		{"export --run RUN --out PIPE", "_encoder"},
		{"data generate --config CONFIG --out PIPE", "num_context"},
		{"data example --out PIPE", "product,age,price"},
	} {
		path := pipe(t)
		content := make(chan string)
		go func() {
			b, _ := os.ReadFile(path)
			content <- string(b)
		}()
		args := strings.NewReplacer("RUN", s.run, "CONTEXT", s.context, "CONFIG", s.config, "PIPE", path).Replace(c.args)
		succeed(t, append(strings.Fields(args), "--quiet")...)
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			t.Fatalf("%s: the pipe has become %v: %v", c.args, info, err)
		}
		if got := <-content; !strings.Contains(got, c.want) {
			t.Errorf("%s: the pipe gave %.100q, want %q", c.args, got, c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
			t.Errorf("%s: left %v", c.args, left)
		}
	}
}

// Results go to standard output alone if that is where the output goes. (/dev/stdout is a link that a broken program would
// replace; nothing can be made in /dev/fd.)
func TestStandardOutputAsAnOutput(t *testing.T) {
	if _, err := os.Stat("/dev/fd/1"); err != nil {
		t.Skip(err)
	}
	s := share(t)
	cmd, errs := command("sample-quantiles", "--run", s.run, "--context", s.context, "--grid=0:1:2", "--out", "/dev/fd/1", "--quiet")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	if !strings.HasPrefix(string(out), "function,") || strings.Contains(string(out), "targets of") || !strings.Contains(errs.String(), "targets of") {
		t.Errorf("standard output begins with %.80q, standard error is %q", out, errs)
	}
}
