//go:build linux

package files_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestWriteWritesIntoAPipe(t *testing.T) {
	path := fifo(t)
	alias := link(t, path, filepath.Join(t.TempDir(), "alias"))
	want := strings.Repeat("0123456789", 100_000) // more than a pipe holds
	for _, p := range []string{path, alias} {
		content := make(chan string)
		go func() {
			b, _ := os.ReadFile(path)
			content <- string(b)
		}()
		must.Do(t, errors.Join(files.Probe(p), files.WriteBytes(p, []byte(want))))
		if got := <-content; got != want {
			t.Errorf("%d bytes read, want %d", len(got), len(want))
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			t.Errorf("the pipe has become %v, %v", info, err)
		}
	}
}

// An interrupt ends the wait for a reader that never comes, and for one that does not read.
func TestAnInterruptEndsTheWaitForAPipe(t *testing.T) {
	for _, reads := range []bool{false, true} {
		path := fifo(t)
		if reads {
			reader := must.Get(os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
			defer reader.Close()
		}
		if err := interrupted(t, func() error { return files.WriteBytes(path, make([]byte, 1<<20)) }); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of an interrupt", err)
		}
	}
}

func TestWriteWritesToADevice(t *testing.T) {
	alias := link(t, "/dev/full", filepath.Join(t.TempDir(), "full.csv"))
	before, err := os.Stat("/dev/full")
	if err != nil {
		t.Skip(err)
	}
	if err := files.WriteBytes(alias, []byte("content")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want that of a full device", err)
	}
	if after, err := os.Stat("/dev/full"); err != nil || !os.SameFile(before, after) {
		t.Error("the device is another one")
	}
	if info, err := os.Lstat(alias); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info, err)
	}
}

// /dev/fd/N may be a pipe, or a file that no longer has a name.
func TestWriteWritesToAnOpenFile(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	must.Do(t, files.WriteBytes(fmt.Sprintf("/dev/fd/%d", w.Fd()), []byte("through")))
	w.Close()
	if got, _ := io.ReadAll(r); string(got) != "through" {
		t.Errorf("read %q", got)
	}
	dir := t.TempDir()
	f := must.Get(os.Create(filepath.Join(dir, "gone")))(t)
	defer f.Close()
	must.Do(t, os.Remove(f.Name()))
	must.Do(t, files.WriteBytes(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), []byte("unnamed")))
	if got, _ := io.ReadAll(f); string(got) != "unnamed" {
		t.Errorf("read %q", got)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("made %v", files)
	}
}

func TestStandardOutputIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	fmt.Fprint(f, "before ")
	old := os.Stdout
	os.Stdout = f
	err := files.WriteBytes("/proc/self/fd/"+fmt.Sprint(f.Fd()), []byte("content"))
	os.Stdout = old
	fmt.Fprint(f, " after")
	if got, _ := os.ReadFile(path); err != nil || string(got) != "before content after" {
		t.Errorf("the log reads %q: %v", got, err)
	}
}

func TestAReadOnlyDirectoryIsToldFirst(t *testing.T) {
	if os.Getuid() == 0 {
		if err := files.Probe("/proc/out.json"); err == nil {
			t.Error("/proc is said to take files")
		}
		return
	}
	dir := t.TempDir()
	must.Do(t, os.Chmod(dir, 0o500))
	if err := files.Probe(filepath.Join(dir, "out.json")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want a refusal", err)
	}
}
