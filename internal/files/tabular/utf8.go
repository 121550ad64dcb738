package tabular

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A utf8Text is a text that ends with an error, which names the line, where it is not UTF-8. In another
// encoding two names could become one, as the bytes that no letter has are all read as the same.
type utf8Text struct {
	from io.Reader
	path string
	line int // of the next byte that Read returns
}

func newUTF8(from io.Reader, path string) *utf8Text {
	return &utf8Text{from: transform.NewReader(from, encoding.UTF8Validator), path: path, line: 1}
}

func (t *utf8Text) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	t.line += bytes.Count(p[:n], []byte("\n"))
	if err == encoding.ErrInvalidUTF8 {
		err = &invalid.Input{File: t.path, Line: t.line, Found: "text that is not UTF-8", Expected: "UTF-8, as iconv -f LATIN1 -t UTF-8 writes of Latin-1"}
	}
	return n, err
}
