package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Open opens a regular file for reading. It refuses anything else without waiting, so a pipe that
// nobody writes to does not hang the program. Parameter expected says what the file should be, such
// as "a tasks file". An error is an *invalid.Input.
func Open(path, expected string) (*os.File, error) {
	f, mode, err := open(path, expected)
	if err != nil {
		return nil, err
	}
	if !mode.IsRegular() {
		f.Close()
		return nil, notAFile(path, mode, expected)
	}
	return f, nil
}

// Read returns the content of a regular file of at most limit bytes. An error is an *invalid.Input.
func Read(path, expected string, limit int64) ([]byte, error) {
	f, err := Open(path, expected)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, Unreadable(path, expected, err)
	}
	if int64(len(content)) > limit {
		return nil, &invalid.Input{File: path, Found: "more than " + size(limit), Expected: expected}
	}
	return content, nil
}

// Stream opens a file that is read once, from start to end: a regular file, or a pipe such as
// /dev/stdin or a shell's <(command). From a pipe it reads at most 64 MiB. SIGINT, SIGTERM or
// SIGHUP ends the wait for a pipe: Read then returns context.Canceled. Other errors are *invalid.Input.
func Stream(path, expected string) (io.ReadCloser, error) {
	f, mode, err := open(path, expected)
	if err != nil {
		return nil, err
	}
	if mode&fs.ModeNamedPipe != 0 {
		return newPipe(f, path, expected), nil
	}
	if !mode.IsRegular() {
		f.Close()
		return nil, notAFile(path, mode, expected)
	}
	return f, nil
}

// open opens a file or a pipe. It does not wait and does not open devices.
func open(path, expected string) (*os.File, fs.FileMode, error) {
	info, err := Stat(path)
	if err != nil {
		return nil, 0, Unreadable(path, expected, err)
	}
	if mode := info.Mode(); !mode.IsRegular() && mode&fs.ModeNamedPipe == 0 {
		return nil, 0, notAFile(path, mode, expected)
	}
	f, err := openRead(path)
	if err != nil {
		return nil, 0, Unreadable(path, expected, err)
	}
	if info.Mode().IsRegular() && canWait(f) {
		f.Close()
		return nil, 0, notAFile(path, fs.ModeIrregular, expected)
	}
	return f, info.Mode(), nil
}

// canWait reports whether reading f may wait for somebody who writes. Files on a disk never do.
// Some below /proc do, though they are regular by name: /proc/kmsg has no end.
func canWait(f *os.File) bool { return f.SetReadDeadline(time.Time{}) == nil }

// notAFile returns the error for a path that is not a regular file.
func notAFile(path string, mode fs.FileMode, expected string) error {
	found := "something that is not a regular file"
	switch {
	case mode.IsDir():
		found = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		found = "a pipe"
	case mode&fs.ModeDevice != 0:
		found = "a device"
	case mode&fs.ModeSocket != 0:
		found = "a socket"
	}
	return &invalid.Input{File: path, Found: found, Expected: expected}
}

// Unreadable returns the error for a file that could not be opened or read. It returns an *invalid.Input or
// an interrupt unchanged.
func Unreadable(path, expected string, err error) error {
	var own *invalid.Input
	if errors.As(err, &own) || errors.Is(err, context.Canceled) {
		return err
	}
	return &invalid.Input{File: path, Found: Reason(err), Expected: expected, Cause: err}
}

// Reason returns the operating system's part of an error, without the path, which messages state
// themselves.
func Reason(err error) string { return reason(err).Error() }

func reason(err error) error {
	var pathError *fs.PathError
	var linkError *os.LinkError
	var syscallError *os.SyscallError
	switch {
	case errors.As(err, &pathError):
		return pathError.Err
	case errors.As(err, &linkError):
		return linkError.Err
	case errors.As(err, &syscallError):
		return syscallError.Err
	}
	return err
}
