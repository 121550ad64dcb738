//go:build unix

package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A new file has the permissions that the umask leaves, as that of any program. One that is replaced keeps
// its own: a private file never becomes public.
func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	modes := func() fs.FileMode {
		t.Helper()
		must.Do(t, files.WriteBytes(path, []byte("new")))
		info := must.Get(os.Stat(path))(t)
		return info.Mode().Perm()
	}
	for umask, want := range map[int]fs.FileMode{0o022: 0o644, 0o077: 0o600, 0o002: 0o664, 0: 0o666} {
		before := syscall.Umask(umask)
		got := modes()
		for _, own := range []fs.FileMode{0o600, 0o640, 0o666} {
			must.Do(t, os.Chmod(path, own))
			if kept := modes(); kept != own {
				t.Errorf("umask %o: a file of %o has %o when it is replaced", umask, own, kept)
			}
		}
		syscall.Umask(before)
		if got != want {
			t.Errorf("umask %o: a new file has %o, want %o", umask, got, want)
		}
		must.Do(t, os.Remove(path))
	}
}
