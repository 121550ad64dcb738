package rows

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/invalid"
)

// bytesBetweenChecks is how much of a CSV file is read between two checks of the memory that is
// left.
const bytesBetweenChecks = 64 << 20

// copies is the memory that scaling and shuffling the numbers take, in multiples of the numbers
// themselves. It was measured on a file of 60 million rows.
const copies = 3

// checkRoom returns an *invalid.Input if the rows read so far leave too little memory to go on.
func (t *table) checkRoom() error {
	held, left := t.room()
	need := copies * held
	if need <= left {
		return nil
	}
	file, line := t.where(0)
	return &invalid.Input{File: file, Line: line, Found: "more rows than there is memory for",
		Expected: fmt.Sprintf("fewer rows: reading on takes %s, and %s is available", memory.Size(need), memory.Size(left))}
}

// room returns how much memory this program holds and how much more it can have, or zeros if that
// is not known.
func room() (held, left float64) {
	look := func() (float64, float64, bool) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		left, known := memory.Available("/")
		return float64(m.HeapAlloc), left, known
	}
	held, left, known := look()
	if known && left < copies*held {
		debug.FreeOSMemory() // part of it may be garbage
		held, left, known = look()
	}
	if !known {
		return 0, 0
	}
	return held, left
}

// longestRow is how many bytes of a CSV file are read for one row. A file without line breaks, or
// with a quote that is never closed, is one row; it must not fill the memory.
const longestRow = 16 << 20

// errLongRow is the error of a rowLimit.
var errLongRow = errors.New("a row that is too long")

// A rowLimit reads from a file until it has read more than longestRow bytes. The caller sets read
// to 0 before each row.
type rowLimit struct {
	from io.Reader
	read int
}

func (r *rowLimit) Read(p []byte) (int, error) {
	if r.read > longestRow {
		return 0, errLongRow
	}
	n, err := r.from.Read(p)
	r.read += n
	return n, err
}
