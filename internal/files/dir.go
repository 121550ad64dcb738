//go:build !windows

package files

import (
	"errors"
	"os"
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
