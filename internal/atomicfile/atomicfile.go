// Package atomicfile writes files that are either whole or not there: a temporary name beside the target, sync,
// rename, sync of the directory. Nothing is left behind when writing fails.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// TempPrefix begins the temporary names that a killed program may leave, followed by the target's own name and a dash;
// readers of a directory skip them.
const TempPrefix = ".tmp-"

// Write makes the file at path from what fill writes. Until it returns nil the old file, if any, stays untouched.
func Write(path string, fill func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, TempPrefix+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// WriteBytes is Write with the content at hand.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error { _, err := w.Write(content); return err })
}

// SyncDir makes renames and removals in a directory last through a crash.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
