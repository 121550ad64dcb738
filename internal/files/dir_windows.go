package files

import (
	"errors"
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
