//go:build unix

package files_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// fifo makes a named pipe.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	return path
}

// stream reads all of a Stream.
func stream(path string) ([]byte, error) {
	r, err := files.Stream(path, "words")
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}

func TestRegularFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(path, []byte("content"), 0o644))
	whole := func(path string) ([]byte, error) { return files.Read(path, "words", 7) }
	for _, read := range []func(string) ([]byte, error){whole, stream} {
		if got, err := read(path); err != nil || string(got) != "content" {
			t.Errorf("read %q: %v", got, err)
		}
	}
	if _, err := files.Read(path, "words", 6); err == nil || !strings.Contains(err.Error(), "more than 6 bytes") {
		t.Errorf("error %v for a file that is too long", err)
	}
}

func TestWhatIsNoFile(t *testing.T) {
	dir, pipe := t.TempDir(), fifo(t)
	opened := func(path string) ([]byte, error) {
		f, err := files.Open(path, "words")
		if err == nil {
			f.Close()
		}
		return nil, err
	}
	whole := func(path string) ([]byte, error) { return files.Read(path, "words", 1<<20) }
	for _, c := range []struct{ path, want string }{
		{dir, dir + ": found a directory, expected words"},
		{"/dev/zero", "/dev/zero: found a device, expected words"},
		{pipe, pipe + ": found a pipe"},
		{filepath.Join(dir, "none"), "no such file"},
	} {
		for _, read := range []func(string) ([]byte, error){opened, whole, stream} {
			_, err := read(c.path)
			var bad *invalid.Input
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", c.path, err, c.want)
			}
		}
	}
	if _, err := stream(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v hides that there is no file", err)
	}
}

func TestPipesAreReadToTheirLimit(t *testing.T) {
	path := fifo(t)
	feed := func(size int) (stop func()) {
		w := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t) // does not wait for a reader
		done := make(chan bool)
		go func() {
			defer close(done)
			block := []byte(strings.Repeat("x", 1<<16))
			for size > 0 {
				n, err := w.Write(block[:min(size, len(block))])
				if err != nil {
					return
				}
				size -= n
			}
			w.Close()
		}()
		return func() { w.Close(); <-done }
	}
	const some = 200_000 // more than a pipe holds
	stop := feed(some)
	if got, err := stream(path); err != nil || len(got) != some {
		t.Errorf("read %d bytes: %v", len(got), err)
	}
	stop()
	stop = feed(1 << 40)
	if got, err := stream(path); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("read %d bytes of an endless pipe: %v", len(got), err)
	}
	stop()
}

func TestAnInterruptEndsTheWaitForAnInput(t *testing.T) {
	path := fifo(t)
	silent := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer silent.Close()
	var bad *invalid.Input
	err := interrupted(t, func() error { _, err := stream(path); return err })
	if !errors.Is(err, context.Canceled) || errors.As(err, &bad) {
		t.Errorf("error %v, want that of an interrupt", err)
	}
}

// interrupted sends SIGINT until wait returns.
func interrupted(t *testing.T, wait func() error) error {
	t.Helper()
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt) // a signal before wait listens must not end the test
	defer signal.Stop(ignored)
	done := make(chan error)
	go func() { done <- wait() }()
	for {
		select {
		case err := <-done:
			return err
		case <-time.After(50 * time.Millisecond):
			must.Do(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		}
	}
}

// A file below /proc may be regular by name and yet wait for what happens next. /proc/self/mounts
// does, for who polls it, and anybody may read it.
func TestAFileThatWaitsIsRefused(t *testing.T) {
	const path = "/proc/self/mounts"
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		t.Skip("no " + path)
	}
	whole := func(path string) ([]byte, error) { return files.Read(path, "words", 1<<20) }
	for _, read := range []func(string) ([]byte, error){whole, stream} {
		var bad *invalid.Input
		if _, err := read(path); !errors.As(err, &bad) || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("error %v", err)
		}
	}
}
