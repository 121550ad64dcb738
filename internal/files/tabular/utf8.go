package tabular

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A utf8Text is a text that ends with an error, which names the line, where it is not UTF-8. In another
// encoding two names could become one, as the bytes that no letter has are all read as the same.
type utf8Text struct {
	from io.Reader
	path string
	line int    // of the next byte that Read returns, counted from 0
	left []byte // read, and not returned
	err  error  // after it
	rest int    // bytes at the end of left that may begin a letter
}

func (t *utf8Text) Read(p []byte) (int, error) {
	for len(t.left) == t.rest && t.err == nil {
		t.fill(max(len(p), 1<<10))
	}
	n := copy(p, t.left[:len(t.left)-t.rest])
	t.line += bytes.Count(t.left[:n], []byte("\n"))
	t.left = t.left[n:]
	if n == 0 && len(p) > 0 {
		return 0, t.err
	}
	return n, nil
}

// fill reads up to more bytes, and finds where they stop to be UTF-8.
func (t *utf8Text) fill(more int) {
	buffer := make([]byte, len(t.left), len(t.left)+more)
	copy(buffer, t.left)
	n, err := t.from.Read(buffer[len(t.left) : len(t.left)+more])
	t.left, t.err, t.rest = buffer[:len(t.left)+n], err, 0
	end := len(t.left)
	if !utf8.Valid(t.left) {
		end = valid(t.left)
	}
	switch {
	case end == len(t.left):
	case err == nil && !utf8.FullRune(t.left[end:]):
		t.rest = len(t.left) - end
	default:
		line := t.line + 1 + bytes.Count(t.left[:end], []byte("\n"))
		t.err = &invalid.Input{File: t.path, Line: line, Found: "text that is not UTF-8", Expected: "UTF-8, as iconv -f LATIN1 -t UTF-8 writes of Latin-1"}
		t.left = t.left[:end]
	}
}

// valid returns the length of the longest start of a text that is UTF-8.
func valid(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	return at
}
