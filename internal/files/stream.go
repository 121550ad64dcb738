//go:build !windows

package files

import (
	"io/fs"
	"os"
	"syscall"
)

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
