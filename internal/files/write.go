// Package files writes files that are either complete or absent, and opens the files that a user
// names.
//
// Write puts the content into a temporary file beside the target, syncs it, renames it over the
// target and syncs the directory. If a step before the rename fails, the old file stays and the
// temporary file is removed. Write follows a symbolic link: it replaces the target and keeps the
// link. Devices and named pipes cannot be replaced, so Write writes to them.
package files

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// TempPrefix is the start of a temporary file's name. The target's name and a dash follow. A killed
// program may leave such files; programs that list a directory skip them.
const TempPrefix = ".tmp-"

// Write creates or replaces the file at path with what fill writes. An old file stays untouched
// until the new one is complete. The new one has the permissions of the old one, or those that the
// umask gives to a new file.
func Write(path string, fill func(io.Writer) error) error {
	target, replaceable, err := resolve(path)
	if err != nil {
		return err
	}
	if !replaceable {
		return writeThrough(path, fill)
	}
	return replace(target, fill)
}

// WriteBytes calls Write with content from memory.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error { _, err := w.Write(content); return err })
}

// replace puts a complete new file at path, which must not be a symbolic link.
func replace(path string, fill func(io.Writer) error) error {
	mode := fs.FileMode(0o666) // less what the umask takes
	old, absent := os.Stat(path)
	if absent == nil {
		mode = old.Mode().Perm()
	}
	f, err := beside(path, path, mode)
	if err != nil {
		return err
	}
	err = complete(f, fill)
	if err == nil && absent == nil { // the umask may have taken some
		err = f.Chmod(mode)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		var pathError *fs.PathError
		if errors.As(err, &pathError) && pathError.Path == f.Name() {
			err = because(path, err)
		}
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := rename(f.Name(), path); err != nil {
		return errors.Join(because(path, err), os.Remove(f.Name()))
	}
	return SyncDir(filepath.Dir(path))
}

// complete fills the temporary file f and syncs it. It leaves f open.
func complete(f *os.File, fill func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<20)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// Scratch creates a temporary file for work on the output at path. The file is beside the output,
// or in the system's temporary directory if the output is a device or a pipe. The caller closes and
// removes it.
func Scratch(path string) (*os.File, error) {
	target, replaceable, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if !replaceable {
		return temporary(os.TempDir(), filepath.Base(path), private)
	}
	return beside(path, target, private)
}

// probeBytes is how much Probe writes: more than a file system stores inside a directory entry.
const probeBytes = 4096

// Probe returns an error unless a file can be written at path now: the directory must exist, permit
// it and have space left. It leaves nothing behind, and it does not open devices and pipes.
func Probe(path string) error {
	target, replaceable, err := resolve(path)
	if err != nil || !replaceable {
		return err
	}
	f, err := beside(path, target, private)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeBytes))
	if err = errors.Join(err, f.Close()); err != nil {
		err = because(path, err)
	}
	return errors.Join(err, os.Remove(f.Name()))
}

// maxTempName is how many bytes of the target's name a temporary name repeats. It keeps temporary
// names short enough for every file system.
const maxTempName = 128

// private are the permissions of a file that is removed again.
const private = 0o600

// beside creates a temporary file beside the target of path.
func beside(path, target string, mode fs.FileMode) (*os.File, error) {
	f, err := temporary(filepath.Dir(target), filepath.Base(target), mode)
	if err != nil {
		err = because(path, err)
	}
	return f, err
}

// temporary creates a file in dir with a name made from name, and with the permissions of mode that the
// umask leaves.
func temporary(dir, name string, mode fs.FileMode) (*os.File, error) {
	start := filepath.Join(dir, TempPrefix+name[:min(len(name), maxTempName)]+"-")
	for {
		f, err := os.OpenFile(start+strconv.FormatUint(rand.Uint64(), 36), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// because turns an error about the temporary file into one about the output at path.
func because(path string, err error) error {
	return &fs.PathError{Op: "write", Path: path, Err: reason(err)}
}
