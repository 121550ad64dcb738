// Package invalid has the error for a mistake of the user, which ends the program with exit code 2,
// and words for messages.
package invalid

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Input is a mistake of the user in a configuration, a file, a flag or an argument. The program
// then ends with exit code 2. The message leaves out empty fields. It also leaves out a key with
// which File ends, as in "--set train.steps".
type Input struct {
	File     string // path, or a flag such as --grid
	Line     int    // counted from 1; 0 if the mistake has no line
	Key      string // dotted configuration key, column or tensor name
	Found    string
	Expected string
	Cause    error // the error of the operating system, for errors.Is; not part of the message
}

// Error returns one line: "FILE:LINE: KEY: found …, expected …". Without Expected, the line ends
// with Found as it is.
func (e *Input) Error() string {
	var b strings.Builder
	key, found := short(e.Key), short(e.Found)
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if key != "" && !strings.HasSuffix(e.File, " "+e.Key) {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(key)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	switch {
	case found != "" && e.Expected != "":
		fmt.Fprintf(&b, "found %s, expected %s", found, e.Expected)
	case found != "":
		b.WriteString(found)
	default:
		fmt.Fprintf(&b, "expected %s", e.Expected)
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// longest is how many bytes of a key, and of what was found, a message shows.
const longest = 1000

// short returns the text, or its start if it is longer than a message shows.
func short(text string) string {
	if len(text) <= longest {
		return text
	}
	end := longest
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// Unwrap returns the cause.
func (e *Input) Unwrap() error { return e.Cause }
