// Package input is the one error that a person's mistake becomes: it names the place, what was found there and what
// was expected, and makes the program end with exit code 2.
package input

import (
	"fmt"
	"strings"
)

// Error is bad input: a configuration, a file, a flag or an argument. Empty fields are left out of the message.
type Error struct {
	File     string // or a flag such as --grid
	Line     int    // counted from 1; 0 where lines mean nothing
	Key      string // dotted configuration key, column or tensor name
	Found    string
	Expected string
}

// Error is one line: "FILE:LINE: KEY: found …, expected …".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Key != "" {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(e.Key)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	switch {
	case e.Found != "" && e.Expected != "":
		fmt.Fprintf(&b, "found %s, expected %s", e.Found, e.Expected)
	case e.Found != "":
		b.WriteString(e.Found)
	default:
		fmt.Fprintf(&b, "expected %s", e.Expected)
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}
