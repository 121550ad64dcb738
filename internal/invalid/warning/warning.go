// Package warning keeps what a reader of an answer must know beside its numbers: rows that were left
// out, columns that were read as names, numbers that extrapolate, a model that failed.
//
// Whoever reads rows or predicts takes a *Record and adds a line for each fact. Whoever answers
// prints the lines: on standard error, and as the field "warnings" of JSON, HTTP, Python and R.
package warning

import (
	"fmt"
	"slices"
	"sync"
)

// A Record is a list of lines, each once, in the order in which they were added. A nil Record drops
// what it is given. Goroutines may share a Record.
type Record struct {
	mutex sync.Mutex
	lines []string
}

// Add adds a line unless the record has it. A line is a full sentence without a final full stop. It
// says what was found, where and how often, and what became of it.
func (r *Record) Add(format string, args ...any) {
	if r == nil {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if line := fmt.Sprintf(format, args...); !slices.Contains(r.lines, line) {
		r.lines = append(r.lines, line)
	}
}

// Lines returns a copy of the lines. It is empty but not nil where there are none, so that JSON has
// a list.
func (r *Record) Lines() []string {
	lines := []string{}
	if r == nil {
		return lines
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append(lines, r.lines...)
}
