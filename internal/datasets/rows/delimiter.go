package rows

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/acqnp/acqnp/internal/files/tabular"
)

// delimiterOf returns what separates the columns of a CSV file: a comma, a semicolon or a tab, the
// one that occurs most often in the header outside quotes. The header is the first line that is not
// blank. Only what the buffer holds of a longer header counts.
func delimiterOf(r *bufio.Reader) rune {
	var counts [3]int
	const delimiters = ",;\t" // if two occur as often, the first
	quoted, blank := false, true
	for n := 1; ; n++ {
		buffered, err := r.Peek(n)
		if err != nil { // the end of the file, or a header that fills the buffer
			break
		}
		c := buffered[n-1]
		if c == '\n' && !quoted && !blank {
			break
		}
		if c == '"' {
			quoted = !quoted
		}
		if i := strings.IndexByte(delimiters, c); i >= 0 && !quoted {
			counts[i]++
		}
		blank = blank && bytes.IndexByte([]byte("\r\n"), c) >= 0
	}
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return rune(delimiters[best])
}

// A decimals is what separates the whole part of numbers from their fraction in a file whose columns
// are separated by semicolons: a comma or a point, as in the first such number.
type decimals struct {
	mark byte // 0 before the first such number
	line int  // of the first such number
}

// number reads a number with the decimal mark of the file. conflict reports that the number has the
// other mark than the numbers before, or both.
func (d *decimals) number(cell string, line int) (v float64, conflict string, is bool) {
	comma, point := strings.Contains(cell, ","), strings.Contains(cell, ".")
	v, is = tabular.ParseNumber(strings.Replace(cell, ",", ".", 1))
	switch {
	case !comma && !point:
		return v, "", is
	case comma && point && isNumber(strings.NewReplacer(",", "", ".", "").Replace(cell)):
		return 0, "a number without separators of thousands", false
	case !is:
		return 0, "", false
	}
	mark := byte('.')
	if comma {
		mark = ','
	}
	if d.mark == 0 {
		d.mark, d.line = mark, line
	}
	if mark != d.mark {
		return 0, fmt.Sprintf("a decimal %s, as in line %d (one file has one kind of decimals)", markNames[d.mark], d.line), false
	}
	return v, "", true
}

func isNumber(cell string) bool {
	_, is := tabular.ParseNumber(cell)
	return is
}
