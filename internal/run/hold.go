package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/acqnp/acqnp/internal/files/interrupt"
)

// ErrBusy is in the error of Create, Resume and Hold if another process holds the
// directory.
var ErrBusy = errors.New("another process holds this run directory")

// A hold keeps other processes from writing a directory. On one machine a lock does this; it ends with
// the process. Other machines may not see the lock, and some file systems have no locks, so a hold also
// makes a claim: a file with a number that its owner increases at every heartbeat. A claim whose number
// no longer changes is abandoned.
//
// Claims are numbered. A process that takes over an abandoned claim makes the next one and removes the
// old one. Two processes cannot make the same claim, so at most one takes over. An owner that only
// slept finds that its claim is gone, or that there is a later one, at its next heartbeat and before it
// writes.
type hold struct {
	dir    string
	of     Purpose
	unlock func()
	number int // of the claim
	stop   chan struct{}
	ended  chan struct{}

	mu     sync.Mutex
	claim  claim
	beaten time.Time // before the last heartbeat began: a process may sleep within one
	lost   error     // why the directory is not held any more
}

// take locks and claims dir. It returns an error with ErrBusy if another process holds it. If a claim
// may be abandoned, take watches it for some heartbeats; it calls warn, if not nil, with a line that
// says so.
func take(dir string, of Purpose, warn func(string)) (*hold, error) {
	every, err := heartbeat()
	if err != nil {
		return nil, err
	}
	unlock, locks, err := lock(dir, of.lock)
	if errors.Is(err, ErrBusy) {
		return nil, busy(dir, of)
	}
	if err != nil {
		return nil, err
	}
	h := &hold{dir: dir, of: of, unlock: unlock, claim: newClaim(dir, every, locks), stop: make(chan struct{}), ended: make(chan struct{})}
	if err := h.makeNext(locks, warn); err != nil {
		unlock()
		return nil, err
	}
	go h.beatOn(every)
	return h, nil
}

// Hold keeps other processes from doing in dir what this one is about to do, until release is called or
// this process ends. It makes the directory if it is absent. It returns an error with ErrBusy if another
// process does it. warn is as for Resume.
func Hold(dir string, of Purpose, warn func(string)) (release func() error, err error) {
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	h, err := take(dir, of, warn)
	if err != nil {
		return nil, err
	}
	return h.release, nil
}

// Drop removes the lock in dir, which nothing was written to.
func Drop(dir string) error { return os.Remove(filepath.Join(dir, lockFile)) }

// A busyError is an ErrBusy that names the directory and what the other process does.
type busyError string

func (e busyError) Error() string      { return string(e) }
func (busyError) Is(target error) bool { return target == ErrBusy }

// busy returns the ErrBusy for a directory that another process holds, with the name of that process
// if its claim can be read.
func busy(dir string, of Purpose) error {
	who := ""
	if last, err := of.last(dir); err == nil && last > 0 {
		if c, _, err := readClaim(of.path(dir, last)); err == nil && c.Host != "" {
			who = " (" + c.owner() + ")"
		}
	}
	return busyError(fmt.Sprintf("%s: %s%s; %s", dir, of.busy, who, of.instead))
}

// makeNext makes the claim after the last one in the directory, which must be abandoned.
func (h *hold) makeNext(locks bool, warn func(string)) error {
	for {
		last, err := h.of.last(h.dir)
		if err != nil {
			return err
		}
		if last > 0 {
			switch gone, err := abandoned(h.of.path(h.dir, last), locks, warn); {
			case err != nil:
				return err
			case !gone:
				return busy(h.dir, h.of)
			}
		}
		h.number, h.beaten = last+1, time.Now()
		err = makeClaim(h.path(), h.claim)
		if errors.Is(err, fs.ErrExist) {
			continue // another process was faster
		}
		if err != nil {
			return err
		}
		// Others may have made later claims since the look.
		if last, err = h.of.last(h.dir); err != nil || last > h.number {
			if err = errors.Join(err, removeIfOwn(h.path(), h.claim.Token)); err != nil {
				return err
			}
			continue
		}
		h.removeOlder()
		return nil
	}
}

func (h *hold) path() string { return h.of.path(h.dir, h.number) }

// removeOlder removes the claims before this process's. One that stays does no harm, as only the last
// claim counts.
func (h *hold) removeOlder() {
	numbers, _ := h.of.numbers(h.dir)
	for _, n := range numbers {
		if n < h.number {
			_ = os.Remove(h.of.path(h.dir, n))
		}
	}
}

// An abandoned claim does not change for watchBeats heartbeats. A watch looks looksPerBeat times in
// each, and goes by the number of its looks: this process may have slept too.
const (
	watchBeats   = 6
	looksPerBeat = 4
)

// abandoned reports whether the owner of a claim is dead, for a process that holds the lock. An owner that may be
// alive is dead if it does not beat while abandoned watches. SIGINT, SIGTERM or SIGHUP ends the watch, with
// context.Canceled.
func abandoned(path string, locks bool, warn func(string)) (bool, error) {
	s, err := judge(path, false, locks)
	if err != nil || s.free() {
		return err == nil, err
	}
	c := s.claim
	if warn != nil {
		warn(fmt.Sprintf("%s: %s may be at work here: watching for up to %v to see whether it is", path, c.owner(), watchBeats*c.interval()))
	}
	ctx, stop := interrupt.Context()
	defer stop()
	for range watchBeats * looksPerBeat {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(c.interval() / looksPerBeat):
		}
		_, now, err := readClaim(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return true, nil
		case err != nil:
			return false, err
		case !bytes.Equal(now, s.text):
			return false, nil
		}
	}
	return true, nil
}

// beatOn beats until the hold is released or lost.
func (h *hold) beatOn(every time.Duration) {
	defer close(h.ended)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-ticker.C:
			if h.beat() != nil {
				return
			}
		}
	}
}

// beat counts the claim up. It returns an error if another process has taken over the directory. It
// ignores other errors: the next heartbeat may succeed.
func (h *hold) beat() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost != nil {
		return h.lost
	}
	began := time.Now()
	own, err := h.write()
	if !own || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESTALE) {
		return h.lose()
	}
	if err != nil {
		return nil
	}
	if last, err := h.of.last(h.dir); err == nil && last > h.number {
		return h.lose()
	}
	h.beaten = began
	return nil
}

// write counts the claim's file up if it is still this process's. h.mu is held.
func (h *hold) write() (own bool, err error) {
	f, err := os.OpenFile(h.path(), os.O_RDWR, 0)
	if err != nil {
		return true, err
	}
	c, _, err := parseClaim(f)
	if err != nil || c.Token != h.claim.Token {
		f.Close()
		return err != nil, err
	}
	h.claim.Beat++
	_, err = f.WriteAt(h.claim.content(), 0)
	return true, errors.Join(err, f.Close())
}

// lose records that another process has taken over the directory. h.mu is held.
func (h *hold) lose() error {
	h.lost = busyError(fmt.Sprintf("%s: %s: it took over after %v without a sign of life of this one, whose claim %s is over",
		h.dir, h.of.busy, time.Since(h.beaten).Round(time.Second), filepath.Base(h.path())))
	return h.lost
}

// keeps returns an error if the directory is not held any more. It looks only if the last heartbeat
// was long ago, by either clock: one of them stands still while a machine sleeps.
func (h *hold) keeps() error {
	h.mu.Lock()
	lost, beaten := h.lost, h.beaten
	every := h.claim.interval()
	h.mu.Unlock()
	now := time.Now()
	if lost != nil || now.Sub(beaten) < 2*every && now.Round(0).Sub(beaten.Round(0)) < 2*every {
		return lost
	}
	return h.beat()
}

// guard calls write unless another process has taken over the directory. If so, the error says that,
// also if it came about during write.
func (h *hold) guard(write func() error) error {
	if err := h.beat(); err != nil {
		return err
	}
	err := write()
	if err != nil {
		if lost := h.beat(); lost != nil {
			return lost
		}
	}
	return err
}

// release ends the heartbeats, removes the claim and unlocks the directory.
func (h *hold) release() error {
	close(h.stop)
	<-h.ended
	defer h.unlock()
	if h.lost != nil {
		return nil
	}
	return removeIfOwn(h.path(), h.claim.Token)
}
