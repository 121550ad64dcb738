package tabular

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// IsJSON reports whether a text is JSON: its first characters open an object, or an array of objects. No
// CSV file starts so, because quotes stand at the start of a field there.
func IsJSON(text *bufio.Reader) bool {
	start, _ := text.Peek(min(sniffed, text.Size()))
	rest := bytes.TrimLeft(start, " \t\r\n")
	if inner, ok := bytes.CutPrefix(rest, []byte("[")); ok {
		rest = bytes.TrimLeft(inner, " \t\r\n")
	}
	inner, ok := bytes.CutPrefix(rest, []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(inner, " \t\r\n"), []byte(`"`))
}

// jsonRows are the rows of a text that holds one object after another, usually one a line, or an array of
// objects. The keys of the first object name the columns. A key that a later object lacks is a missing
// cell.
type jsonRows struct {
	path    string
	dec     *json.Decoder
	lines   *lineCounter
	names   []string
	index   map[string]int // of names; −1 for a key whose value is nested
	refused map[string]string
	row     []string
	written []int // of each name: the row that last had it
	rows    int   // objects so far
	line    int   // of the current object
	first   bool  // whether the current object, the first, has yet to be returned
	array   bool  // whether an array of objects has yet to end
}

// NewJSON returns the rows of a text for which IsJSON is true. path is for messages.
func NewJSON(path string, text io.Reader) Rows {
	lines := &lineCounter{from: text, line: 1}
	r := &jsonRows{path: path, dec: json.NewDecoder(lines), lines: lines, index: map[string]int{}, refused: map[string]string{}}
	r.dec.UseNumber()
	return r
}

func (r *jsonRows) FieldPos(int) (line, column int) { return r.line, 0 }

func (r *jsonRows) InputOffset() int64 { return r.dec.InputOffset() }

func (r *jsonRows) Refused() map[string]string { return r.refused }

// Read returns the names of the columns, and then the rows.
func (r *jsonRows) Read() ([]string, error) {
	if r.first {
		r.first = false
		return r.row, nil
	}
	header := r.rows == 0
	if err := r.object(); err != nil {
		return nil, err
	}
	if header {
		r.first = true
		return r.names, nil
	}
	return r.row, nil
}

// object reads the next object into row.
func (r *jsonRows) object() error {
	token, err := r.dec.Token()
	if open := r.rows == 0 && token == json.Delim('['); open || token == json.Delim(']') {
		r.array = open
		token, err = r.dec.Token()
	}
	r.line = r.lines.at(r.dec.InputOffset())
	if err != nil {
		return r.wrong(err, io.EOF)
	}
	if token != json.Delim('{') {
		return r.refuse("", word(token), "one object a line, such as {\"age\": 1.5, \"price\": 340}")
	}
	r.rows++
	for i := range r.row {
		r.row[i] = ""
	}
	for r.dec.More() {
		if err := r.member(); err != nil {
			return err
		}
	}
	if _, err = r.dec.Token(); err != nil {
		return r.wrong(err, io.ErrUnexpectedEOF)
	}
	return nil
}

// member reads a key and its value.
func (r *jsonRows) member() error {
	token, err := r.dec.Token()
	key, isKey := token.(string)
	if err != nil || !isKey {
		return r.wrong(err, io.ErrUnexpectedEOF)
	}
	if token, err = r.dec.Token(); err != nil {
		return r.wrong(err, io.ErrUnexpectedEOF)
	}
	_, nested := token.(json.Delim)
	i, known := r.index[key]
	switch {
	case !known && r.rows > 1:
		return r.refuse(key, "a key that the first object does not have", "its keys alone: "+strings.Join(r.names, ", ")+" (they name the columns; null is a missing value)")
	case !known && nested:
		r.index[key], r.refused[key] = -1, strings.TrimPrefix(word(token), "an ")
		return r.skip()
	case !known:
		i = len(r.names)
		r.index[key] = i
		r.names, r.row, r.written = append(r.names, key), append(r.row, ""), append(r.written, 0)
	case i < 0 && nested:
		return r.skip()
	case i < 0:
		return nil
	case nested:
		return r.refuse(key, word(token), "a number, a text, true, false or null, as in the first object")
	}
	if r.written[i] == r.rows {
		return r.refuse(key, "the key twice", "distinct keys")
	}
	r.row[i], r.written[i] = cellOf(token), r.rows
	return nil
}

// mostDepth bounds how deep values are nested.
const mostDepth = 1000

// skip reads the rest of a nested value.
func (r *jsonRows) skip() error {
	for depth := 1; depth > 0; {
		switch token, err := r.dec.Token(); {
		case err != nil:
			return r.wrong(err, io.ErrUnexpectedEOF)
		case depth == mostDepth:
			return r.refuse("", "values nested too deep", "at most "+strconv.Itoa(mostDepth)+" levels")
		case token == json.Delim('[') || token == json.Delim('{'):
			depth++
		case token == json.Delim(']') || token == json.Delim('}'):
			depth--
		}
	}
	return nil
}

// cellOf returns the cell of a value that is not nested: the number as it stands, and nothing for null.
func cellOf(token json.Token) string {
	switch v := token.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// word names a token for messages.
func word(token json.Token) string {
	switch token {
	case json.Delim('['):
		return "an array"
	case json.Delim('{'):
		return "an object"
	case nil:
		return "null"
	}
	return fmt.Sprintf("%q", fmt.Sprint(token))
}

// refuse returns the error about a key of the current object.
func (r *jsonRows) refuse(key, found, expected string) error {
	return &invalid.Input{File: r.path, Line: r.line, Key: key, Found: found, Expected: expected}
}

// wrong returns the error for a text that cannot be read. atEnd is what the end of the text means.
func (r *jsonRows) wrong(err, atEnd error) error {
	var syntax *json.SyntaxError
	switch {
	case err == io.EOF && atEnd == io.EOF && r.array:
		return r.refuse("", "an array that ends too early", "a whole one, up to its ]")
	case err == io.EOF && atEnd == io.EOF:
		return io.EOF
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return r.refuse("", "an object that ends too early", "a whole one")
	case errors.As(err, &syntax):
		r.line = r.lines.at(r.dec.InputOffset())
		return r.refuse("", syntax.Error(), "JSON, one object a line")
	case err == nil:
		return r.refuse("", "a key that is not a text", "JSON, one object a line")
	}
	return err
}

// A lineCounter counts the lines of what is read from a reader.
type lineCounter struct {
	from io.Reader
	read int64
	ends []int64 // of the lines that at has not passed
	line int
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at returns the line of an offset, which is not before that of the last call.
func (l *lineCounter) at(offset int64) int {
	passed := 0
	for passed < len(l.ends) && l.ends[passed] < offset {
		passed++
	}
	l.ends = append(l.ends[:0], l.ends[passed:]...)
	l.line += passed
	return l.line
}
