package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/acqnp/acqnp/internal/files/interrupt"
	"github.com/acqnp/acqnp/internal/invalid"
)

// MaxPipe is the most bytes that are read from a pipe.
const MaxPipe = 64 << 20

// pipe reads a pipe until its end, its limit or an interrupt.
type pipe struct {
	path, expected string

	f    *os.File
	stop func() // stops listening for signals
	read int64  // bytes so far
}

func newPipe(f *os.File, path, expected string) *pipe {
	ctx, stop := interrupt.Context()
	context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })
	return &pipe{path: path, expected: expected, f: f, stop: stop}
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.f.Read(b)
	p.read += int64(n)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fmt.Errorf("reading %s: %w", p.path, context.Canceled)
	case p.read > MaxPipe:
		return 0, &invalid.Input{File: p.path, Found: "a pipe with more than " + size(MaxPipe), Expected: "at most that, or a regular file"}
	case err == io.EOF && p.read == 0:
		return 0, &invalid.Input{File: p.path, Found: "a pipe without data", Expected: p.expected}
	}
	return n, err
}

func (p *pipe) Close() error {
	p.stop()
	return p.f.Close()
}

// size formats a number of bytes: "64 MiB".
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
