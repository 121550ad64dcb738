// Package interrupt states which signals end the program in an orderly way, and cancels a context
// when one of them arrives.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// signals is computed before anything listens, because signal.Ignored no longer reports a signal
// that the program listens to.
var signals = atStart()

// atStart returns the signals to listen to, as the program was started.
func atStart() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// Signals returns SIGINT, SIGTERM and SIGHUP. SIGHUP is not among them if it was ignored when the
// program started, as under nohup.
func Signals() []os.Signal { return slices.Clone(signals) }

// hangups receives SIGHUP instead of the program's own listener, once it is taken.
var hangups atomic.Pointer[chan struct{}]

// TakeHangup has SIGHUP ask for something else than the end, until release is called: asked gets a value
// for each, or for several in a row. It does so under nohup too.
func TakeHangup() (asked <-chan struct{}, release func()) {
	c := make(chan struct{}, 1)
	hangups.Store(&c)
	if slices.Contains(signals, os.Signal(syscall.SIGHUP)) {
		return c, func() { hangups.Store(nil) }
	}
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGHUP)
	go func() {
		for s := range ignored {
			Hangup(s)
		}
	}()
	return c, func() {
		signal.Stop(ignored)
		close(ignored)
		hangups.Store(nil)
	}
}

// Hangup reports whether a signal was SIGHUP and was taken. The program's own listener asks.
func Hangup(s os.Signal) bool {
	asked := hangups.Load()
	if s != syscall.SIGHUP || asked == nil {
		return false
	}
	select {
	case *asked <- struct{}{}:
	default:
	}
	return true
}

// ended is closed by Arrived.
var (
	ended = make(chan struct{})
	end   = sync.OnceFunc(func() { close(ended) })
)

// Arrived ends the contexts of Context, those of later calls too. The program's own listener calls
// it: a signal reaches only those who listen when it arrives, and nobody waits for a pipe yet while
// the program starts.
func Arrived() { end() }

// Context returns a context that is cancelled when the first of Signals arrives, or if Arrived was
// called. The caller must call stop to stop listening.
func Context() (ctx context.Context, stop context.CancelFunc) {
	ctx, cancel := signal.NotifyContext(context.Background(), signals...)
	go func() {
		select {
		case <-ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
