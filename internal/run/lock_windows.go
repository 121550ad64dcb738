package run

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// flock locks an open file without waiting, for this process alone or for several. It returns ErrBusy if
// another process has locked it. works is false if the file system has no locks. Windows keeps others
// from what is locked: it is one byte, far behind the end.
func flock(f *os.File, alone bool) (works bool, err error) {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if alone {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return true, ErrBusy
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return false, nil
	}
	return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}

// deviceOf returns 0: all locks of a machine are known to it here.
func deviceOf(string) uint64 { return 0 }
