package files

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// A virus scanner, an indexer or a reader may hold a file for a moment.
const (
	patience = 2 * time.Second
	pause    = 5 * time.Millisecond
)

// again calls change until Windows no longer refuses it because somebody has the file open.
func again(change func() error) error {
	until := time.Now().Add(patience)
	for {
		err := change()
		held := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !held || time.Now().After(until) {
			return err
		}
		time.Sleep(pause)
	}
}

// rename moves a file over another.
func rename(from, to string) error { return again(func() error { return os.Rename(from, to) }) }

// Remove removes a file.
func Remove(path string) error { return again(func() error { return os.Remove(path) }) }

// SyncDir does nothing but look for the directory: Windows syncs no directories. NTFS keeps a journal of
// renames.
func SyncDir(dir string) error {
	_, err := os.Stat(dir)
	return err
}

// stream returns the standard stream of a name that Unix gives it, else nil. Windows has no names for
// them. The program uses those for "-".
func stream(path string) *os.File {
	switch path {
	case "/dev/stdin":
		return os.Stdin
	case "/dev/stdout":
		return os.Stdout
	case "/dev/stderr":
		return os.Stderr
	}
	return nil
}

// A streamInfo describes a standard stream as a pipe, whatever it is: it is read once, and never replaced.
type streamInfo string

func (s streamInfo) Name() string     { return string(s) }
func (streamInfo) Size() int64        { return 0 }
func (streamInfo) Mode() fs.FileMode  { return fs.ModeNamedPipe | 0o666 }
func (streamInfo) ModTime() time.Time { return time.Time{} }
func (streamInfo) IsDir() bool        { return false }
func (streamInfo) Sys() any           { return nil }

// Stat is os.Stat, and knows /dev/stdin, /dev/stdout and /dev/stderr.
func Stat(path string) (fs.FileInfo, error) {
	if stream(path) != nil {
		return streamInfo(path), nil
	}
	return os.Stat(path)
}

// openRead opens a file for reading, or returns the standard stream of that name.
func openRead(path string) (*os.File, error) {
	if f := stream(path); f != nil {
		return f, nil
	}
	return os.Open(path)
}

// Names reports whether path names the open file f. To os.SameFile, all pipes and devices of Windows are
// the same file.
func Names(path string, f *os.File) bool {
	if own := stream(path); own != nil {
		return own == f
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && same(path, f)
}
