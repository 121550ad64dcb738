package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/acqnp/acqnp/internal/files/interrupt"
)

// writeThrough writes to the device or pipe at path. SIGINT, SIGTERM or SIGHUP ends the wait for
// the reader of a pipe; the error is then context.Canceled.
func writeThrough(path string, fill func(io.Writer) error) error {
	ctx, stop := interrupt.Context()
	defer stop()
	f, closeFile, err := openExisting(ctx, path)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Now()) })()
	w := bufio.NewWriterSize(f, 1<<16)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	err = errors.Join(err, closeFile())
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return interrupted(path)
	}
	return err
}

func interrupted(path string) error {
	return fmt.Errorf("writing to %s: %w", path, context.Canceled)
}

// openExisting opens a device or a pipe for writing. If path is the program's own standard output
// or error, it returns the file that is open already, so that nothing written there before is
// overwritten.
func openExisting(ctx context.Context, path string) (f *os.File, closeFile func() error, err error) {
	info, err := Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if f := standard(path); f != nil {
		return f, func() error { return nil }, nil
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		f, err = openPipe(ctx, path)
	} else {
		f, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// pollEvery is how often openPipe looks for a reader.
const pollEvery = 20 * time.Millisecond

// openPipe waits until something reads the pipe, as a shell's redirection does.
func openPipe(ctx context.Context, path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) { // ENXIO: the pipe has no reader yet
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, interrupted(path)
		case <-time.After(pollEvery):
		}
	}
}

// standard returns standard output or standard error if path names it, else nil.
func standard(path string) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if Names(path, f) {
			return f
		}
	}
	return nil
}

// same reports whether path names the open file f.
func same(path string, f *os.File) bool {
	named, err := os.Stat(path)
	if err != nil {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(named, own)
}
