//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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
		{"predict --run RUN --context CONTEXT --grid=0:1:2 --out PIPE", "hdr0.9"},
		{"eval --run RUN --out PIPE", "acqnp.eval/2"},
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

// If --out is standard output, nothing else goes there. (/dev/stdout is a link, which a broken
// program would replace. Nothing can be created in /dev/fd.)
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

// finish runs acqnp as a process, which must end by itself. A minute is far more than it takes.
func finish(t *testing.T, args ...string) outcome {
	t.Helper()
	cmd, errs := command(args...)
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hang := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer hang.Stop()
	_ = cmd.Wait()
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func TestInputsThatAreNoFilesAreRefused(t *testing.T) {
	s, dir := share(t), t.TempDir()
	endless := filepath.Join(dir, "endless")
	if err := os.Symlink("/dev/zero", endless); err != nil {
		t.Skip("no symbolic links here")
	}
	own := write(t, dir, "own.yaml", "benchmark: csv\nmodel: {name: cnp}\ndata: {x: [x], y: [y], file: /none}\n")
	for _, path := range []string{pipe(t), endless} {
		// A run and a directory of tables, each with one entry that is not a regular file.
		copied := func(name, member string) string {
			run := filepath.Join(t.TempDir(), name)
			if err := os.CopyFS(run, os.DirFS(s.run)); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(filepath.Join(run, member))
			if err := os.Symlink(path, filepath.Join(run, member)); err != nil {
				t.Fatal(err)
			}
			return run
		}
		tables := t.TempDir()
		if err := os.Symlink(path, filepath.Join(tables, "a.csv")); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{
			"train --config NOFILE --run-dir OUT",
			"train --config CONFIG --weights NOFILE --run-dir OUT",
			"train --config OWN --set data.file=NOFILE --run-dir OUT",
			"train --config OWN --set data.file=" + tables + " --run-dir OUT",
			"train --config CONFIG --resume --run-dir " + copied("r", "config.yaml"),
			"train --config CONFIG --resume --run-dir " + copied("r", "metrics.jsonl") + " --set train.steps=40",
			"eval --out OUT --run " + copied("r", "config.yaml"),
			"eval --out OUT --checkpoint 30 --run " + copied("r", "checkpoints/step-30.safetensors"),
			"eval --out OUT --config CONFIG --weights NOFILE",
			"eval --out OUT --run RUN --tasks NOFILE",
			"plot training --out OUT.png --run " + copied("r", "metrics.jsonl"),
			"sample-quantiles --run RUN --out OUT --grid 0:1:2 --context NOFILE",
			"sample-quantiles --run RUN --out OUT --context CONTEXT --targets NOFILE",
			"report " + copied("r", "eval.json"),
			"bench --config NOFILE",
			"data generate --config NOFILE --out OUT",
		} {
			out := filepath.Join(t.TempDir(), "out")
			line := strings.NewReplacer("NOFILE", path, "CONFIG", s.config, "OWN", own, "RUN", s.run, "CONTEXT", s.context, "OUT", out).Replace(args)
			o := finish(t, append(strings.Fields(line), "--quiet")...)
			if o.code != 2 || strings.Count(o.err, "\n") == 0 || o.out != "" {
				t.Errorf("%s: exit code %d: %s%s", args, o.code, o.err, o.out)
			}
		}
	}
}

// One interrupt ends the wait for a pipe that is open and silent.
func TestAnInterruptEndsTheWaitForAnInput(t *testing.T) {
	s, path := share(t), pipe(t)
	silent, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	cmd, errs := program(t, "sample-quantiles", "--run", s.run, "--context", path, "--grid=0:1:2", "--out", filepath.Join(t.TempDir(), "out.csv"))
	// More than a pipe holds: once it is written, the program is reading.
	if err := silent.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := silent.Write(append([]byte("x,y\n"), bytes.Repeat([]byte("0.5,0.25\n"), 20000)...)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	hang := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer hang.Stop()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// A process substitution of a shell gives the context.
func TestAPipeGivesTheContext(t *testing.T) {
	s := share(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString(read(t, s.context)); err != nil {
		t.Fatal(err)
	}
	cmd, errs := command("sample-quantiles", "--run", s.run, "--context", "/dev/fd/3", "--grid=0:1:2",
		"--out", filepath.Join(t.TempDir(), "out.csv"))
	cmd.ExtraFiles = []*os.File{r}
	if err := errors.Join(cmd.Start(), r.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
}

// The results of an evaluation are printed even if they cannot be written to --out.
func TestAnEvaluationIsPrintedIfItCannotBeWritten(t *testing.T) {
	s, full := share(t), filepath.Join(t.TempDir(), "full.json")
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Skip("no symbolic links here")
	}
	o := acqnp("eval", "--run", s.run, "--out", full, "--quiet")
	if o.code != 1 || !strings.Contains(o.out, "target log-likelihood") || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "no space left") {
		t.Errorf("%+v", o)
	}
	run := filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", filepath.Join(run, "eval.json")); err != nil {
		t.Fatal(err)
	}
	o = acqnp("train", "--config", s.config, "--run-dir", run, "--set", "train.steps=200", "--quiet")
	if o.code != 1 || !strings.Contains(o.out, "context log-likelihood") || !strings.Contains(o.err, "no space left") {
		t.Errorf("%+v", o)
	}
}
