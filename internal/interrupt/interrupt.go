// Package interrupt states which signals end the program in an orderly way, and cancels a context
// when one of them arrives.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"slices"
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

// Context returns a context that is cancelled when the first of Signals arrives. The caller must
// call stop to stop listening.
func Context() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), signals...)
}
