package run

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// A look at the state of a run holds the lock for a moment. lock tries again for lockFor.
const (
	lockFor   = 500 * time.Millisecond
	lockAgain = 5 * time.Millisecond
)

// lock locks a file in dir until unlock is called or this process ends. It returns ErrBusy if another
// process has locked it. works is false if the file system has no locks. The file stays: removing it
// would let two processes lock two files of the same name.
func lock(dir, name string) (unlock func(), works bool, err error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, false, err
	}
	until := time.Now().Add(lockFor)
	works, err = flock(f, true)
	for errors.Is(err, ErrBusy) && time.Now().Before(until) {
		time.Sleep(lockAgain)
		works, err = flock(f, true)
	}
	if err != nil {
		f.Close()
		return nil, false, err
	}
	return func() { f.Close() }, works, nil
}

// locked reports whether another process has locked a file in dir. Several processes may call it at the
// same time. works is false if the file system has no locks.
func locked(dir, name string) (held, works bool, err error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return false, false, err
	}
	defer f.Close()
	works, err = flock(f, false)
	if errors.Is(err, ErrBusy) {
		return true, true, nil
	}
	return false, works, err
}
