package cli

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

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
