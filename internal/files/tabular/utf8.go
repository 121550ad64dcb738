package tabular

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A utf8Text is a text that ends with an error, which names the line, where it is not UTF-8. In another
// encoding two names could become one, as the bytes that no letter has are all read as the same.
type utf8Text struct {
	from io.Reader
	path string
	line int // of the next byte that Read returns

	failed error
}

// newText returns a text in UTF-8. One in UTF-16 has to begin with its mark, as those of Excel and PowerShell do. It
// refuses what is no text.
func newText(from *bufio.Reader, path string) (io.Reader, error) {
	start, _ := from.Peek(sniffed)
	if err := refuseForeign(path, start); err != nil {
		return nil, err
	}
	decoder := encoding.UTF8Validator
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		decoder = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
	}
	return &utf8Text{from: transform.NewReader(from, decoder), path: path, line: 1}, nil
}

func (t *utf8Text) Read(p []byte) (int, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	n, err := t.from.Read(p)
	if at := bytes.IndexByte(p[:n], 0); at >= 0 {
		n, err = at, &invalid.Input{File: t.path, Line: t.line + bytes.Count(p[:at], []byte("\n")), Found: "a zero byte",
			Expected: "text: UTF-8, or UTF-16 that begins with its mark"}
	}
	t.line += bytes.Count(p[:n], []byte("\n"))
	if err == encoding.ErrInvalidUTF8 {
		err = &invalid.Input{File: t.path, Line: t.line, Found: "text that is not UTF-8", Expected: "UTF-8, as iconv -f LATIN1 -t UTF-8 writes of Latin-1"}
	}
	if err != nil {
		t.failed = err // a bufio.Reader that peeks forgets it
	}
	return n, err
}
