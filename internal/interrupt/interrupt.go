// Package interrupt knows the signals that ask the program to end in good order.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// signals is computed before anything listens: listening to a signal ends its being ignored.
var signals = atStart()

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

// Context returns a context that the first of Signals cancels. The caller calls stop to stop
// listening.
func Context() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), signals...)
}
