//go:build unix

package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/acqnp/acqnp/internal/files"
)

// A new file has the permissions that the umask leaves, as that of any program. One that is replaced keeps
// its own: a private file never becomes public.
func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	modes := func() fs.FileMode {
		t.Helper()
		if err := files.WriteBytes(path, []byte("new")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	for umask, want := range map[int]fs.FileMode{0o022: 0o644, 0o077: 0o600, 0o002: 0o664, 0: 0o666} {
		before := syscall.Umask(umask)
		got := modes()
		for _, own := range []fs.FileMode{0o600, 0o640, 0o666} {
			if err := os.Chmod(path, own); err != nil {
				t.Fatal(err)
			}
			if kept := modes(); kept != own {
				t.Errorf("umask %o: a file of %o has %o when it is replaced", umask, own, kept)
			}
		}
		syscall.Umask(before)
		if got != want {
			t.Errorf("umask %o: a new file has %o, want %o", umask, got, want)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
