package progress

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// A Screen shows a text that changes: in place on a terminal, elsewhere as lines.
type Screen struct {
	w     io.Writer
	tty   *os.File // nil if w is no terminal
	drawn int      // lines on the terminal
	last  string   // line
}

// NewScreen returns a screen that writes to w.
func NewScreen(w io.Writer) *Screen {
	s := &Screen{w: w}
	if isTerminal(w) {
		s.tty = w.(*os.File)
	}
	return s
}

// Show replaces the text. A terminal shows as much of it as fits; a log gets line, if that is new.
func (s *Screen) Show(line, text string) error {
	if s.tty == nil {
		if line == s.last {
			return nil
		}
		s.last = line
		_, err := fmt.Fprintln(s.w, Printable(line, ""))
		return err
	}
	width, height, err := term.GetSize(int(s.tty.Fd()))
	if err != nil || width < 1 || height < 2 {
		width, height = 80, 24
	}
	lines := strings.Split(strings.TrimRight(Printable(text, "\n"), "\n"), "\n")
	lines = lines[:min(len(lines), height-1)]
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.drawn)
	}
	b.WriteString("\r\x1b[J") // clears what follows
	for _, l := range lines {
		runes := []rune(l)
		fmt.Fprintf(&b, "%s\n", string(runes[:min(len(runes), width)]))
	}
	s.drawn = len(lines)
	_, err = io.WriteString(s.w, b.String())
	return err
}
