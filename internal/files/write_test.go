package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestWriteReplaces(t *testing.T) {
	p := filepath.Join(t.TempDir(), "a")
	for _, want := range []string{"first", "second"} {
		must.Do(t, files.WriteBytes(p, []byte(want)))
		if got, _ := os.ReadFile(p); string(got) != want {
			t.Errorf("read %q, want %q", got, want)
		}
	}
}

func TestFailedWriteLeavesTheOldFileAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	p := filepath.Join(dir, "a")
	must.Do(t, files.WriteBytes(p, []byte("old")))
	broken := errors.New("broken")
	err := files.Write(p, func(w io.Writer) error {
		if _, err := w.Write([]byte("half")); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if got, _ := os.ReadFile(p); string(got) != "old" {
		t.Errorf("the old file now reads %q", got)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files left, want 1", len(files))
	}
}
