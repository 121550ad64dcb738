package rows

import (
	"errors"
	"io"
)

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
