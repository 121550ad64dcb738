//go:build unix

package run

import (
	"errors"
	"os"
	"syscall"
)

// flock locks an open file without waiting, for this process alone or for several. It returns ErrBusy if
// another process has locked it. works is false if the file system has no locks.
func flock(f *os.File, alone bool) (works bool, err error) {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	for {
		err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return true, ErrBusy
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS):
		return false, nil
	}
	return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
}

// deviceOf returns the number of the mounted file system that holds dir, 0 if it is not known.
func deviceOf(dir string) uint64 {
	info, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev)
	}
	return 0
}
