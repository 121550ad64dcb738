package files_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/test/must"
)

func link(t *testing.T, target, path string) string {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here")
	}
	return path
}

// checkLink fails unless path is still a symbolic link and target has the content.
func checkLink(t *testing.T, path, target, content string) {
	t.Helper()
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%s is no link any more: %v, %v", path, info, err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != content {
		t.Errorf("%s reads %q, want %q: %v", target, got, content, err)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"far", "far/below"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	target := filepath.Join(dir, "far", "target")
	must.Do(t, os.WriteFile(target, []byte("old"), 0o644))
	absolute := link(t, target, filepath.Join(dir, "absolute"))
	relative := link(t, filepath.Join("far", "target"), filepath.Join(dir, "relative"))
	chain := link(t, "relative", filepath.Join(dir, "chain"))
	link(t, filepath.Join("far", "below"), filepath.Join(dir, "below"))
	// ".." of a linked directory is where the link leads, not where the link is.
	upwards := link(t, "below/../target", filepath.Join(dir, "upwards"))
	for _, path := range []string{absolute, relative, chain, upwards} {
		must.Do(t, files.WriteBytes(path, []byte(path)))
		checkLink(t, path, target, path)
	}
	dangling := link(t, filepath.Join("far", "new"), filepath.Join(dir, "dangling"))
	must.Do(t, files.WriteBytes(dangling, []byte("made")))
	checkLink(t, dangling, filepath.Join(dir, "far", "new"), "made")
}

func TestLinksThatLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	loop := link(t, "loop", filepath.Join(dir, "loop"))
	lost := link(t, filepath.Join("none", "file"), filepath.Join(dir, "lost"))
	for _, path := range []string{loop, lost, dir, "", filepath.Join(dir, strings.Repeat("x", 300))} {
		for _, write := range []func(string) error{files.Probe, func(path string) error { return files.WriteBytes(path, nil) }} {
			if err := write(path); err == nil || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "already closed") {
				t.Errorf("%q: error %v, want one line", path, err)
			}
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files, want only the two links", len(files))
	}
}

func TestTargetIsOneForEveryWayToSayIt(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "a"), 0o755))
	link(t, "a", filepath.Join(dir, "b"))
	link(t, filepath.Join("a", "new"), filepath.Join(dir, "to-new"))
	t.Chdir(dir)
	want, err := files.Target("a/new")
	if err != nil || !filepath.IsAbs(want) {
		t.Fatalf("target %q, error %v; want an absolute path", want, err)
	}
	for _, path := range []string{"b/new", "./a/../a/new", "to-new", filepath.Join(dir, "b", "new"), "b/./new"} {
		if got, err := files.Target(path); got != want || err != nil {
			t.Errorf("%s: target %q, want %q: %v", path, got, want, err)
		}
	}
}

func TestReplaces(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	opened := must.Get(os.Create(file))(t)
	defer opened.Close()
	for path, want := range map[string]bool{
		file: true,
		link(t, "file", filepath.Join(dir, "to-file")): true,
		link(t, "none", filepath.Join(dir, "to-none")): false,
		filepath.Join(dir, "none"):                     false,
		dir:                                            false,
		os.DevNull:                                     false,
		fmt.Sprint("/dev/fd/", opened.Fd()):            false, // as of a shell's 3>file
	} {
		if got := files.Replaces(path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}

func TestAFailureIsOneLineThatNamesTheOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "out.csv")
	err := files.WriteBytes(path, nil)
	if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), files.TempPrefix) {
		t.Errorf("error %v, want one about %s", err, path)
	}
	path = filepath.Join(t.TempDir(), "out.csv")
	broken := errors.New("broken")
	if err := files.Write(path, func(io.Writer) error { return broken }); err == nil || err.Error() != "broken" {
		t.Errorf("error %q, want only that of the function", err)
	}
}

func TestLongNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 250))
	must.Do(t, errors.Join(files.Probe(path), files.WriteBytes(path, []byte("content"))))
}

func TestProbeLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, files.Probe(filepath.Join(dir, "out")))
	scratch, err := files.Scratch(filepath.Join(dir, "out"))
	if err != nil || filepath.Dir(scratch.Name()) != dir {
		t.Fatalf("file %v, error %v; want one in %s", scratch, err, dir)
	}
	must.Do(t, errors.Join(scratch.Close(), os.Remove(scratch.Name())))
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("left %v", files)
	}
}
