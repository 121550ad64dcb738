package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/acqnp/acqnp/internal/files/interrupt"
)

// oneSignal is the time in which a second signal counts as the first one: timeout, and a shell
// whose terminal closes, signal a program and then its process group.
const oneSignal = time.Second

// interruptible returns a context that cancel or the first SIGINT, SIGTERM or SIGHUP cancels, so
// that the work can end in good order. A later signal ends the program at once. SIGHUP stays
// ignored if it was ignored at the start, as under nohup. The caller calls stop at the end.
func interruptible() (ctx context.Context, cancel, stop func()) {
	ctx, cancel = context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, interrupt.Signals()...)
	done := make(chan struct{})
	go func() {
		var first time.Time
		for {
			select {
			case s := <-signals:
				switch {
				case interrupt.Hangup(s): // it does not end the program
				case first.IsZero():
					first = time.Now()
					interrupt.Arrived()
					cancel()
				case time.Since(first) > oneSignal:
					os.Exit(exitInterrupted)
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, cancel, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// A pipeEnd is standard error when it is a pipe. A write after the reader has gone calls gone.
type pipeEnd struct {
	*os.File
	gone func()
}

func (p pipeEnd) Write(b []byte) (int, error) {
	n, err := p.File.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.gone()
	}
	return n, err
}

// watched returns a standard error that calls gone after a write to a broken pipe. It keeps SIGPIPE from
// ending the program, so that a training writes its checkpoint and an evaluation its file. The signal
// cannot be used in place of gone, because sockets raise it too.
func watched(w io.Writer, gone func()) io.Writer {
	f, ok := w.(*os.File)
	if !ok {
		return w
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return w
	}
	return pipeEnd{f, gone}
}
