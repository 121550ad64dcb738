//go:build !windows

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// rename moves a file over another.
func rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file.
func Remove(path string) error { return os.Remove(path) }

// SyncDir makes renames and removals in a directory survive a crash.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// stream returns nil: the standard streams have names here.
func stream(string) *os.File { return nil }

// Stat is os.Stat. On Windows it also knows /dev/stdin, /dev/stdout and /dev/stderr.
func Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// openRead opens a file or a pipe for reading, without waiting.
func openRead(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// Names reports whether path names the open file f.
func Names(path string, f *os.File) bool { return same(path, f) }
