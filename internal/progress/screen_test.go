//go:build linux

package progress_test

import (
	"io"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/progress"
)

// A terminal shows the last text in the place of the one before, cut to its size.
func TestATerminalGetsAScreen(t *testing.T) {
	screen, tty := terminal(t)
	s := progress.NewScreen(tty)
	for _, text := range []string{"one\ntwo\n", strings.Repeat("x", 100) + "\n" + strings.Repeat("y\n", 30)} {
		if err := s.Show("a line", text); err != nil {
			t.Fatal(err)
		}
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	content, _ := io.ReadAll(screen) // returns an error: the other side of the terminal is closed
	want := "\r\x1b[Jone\r\ntwo\r\n\x1b[2A\r\x1b[J" + strings.Repeat("x", 80) + "\r\n" + strings.Repeat("y\r\n", 22)
	if string(content) != want {
		t.Errorf("%q\nwant %q", content, want)
	}
}

// A log gets each new line.
func TestALogGetsLines(t *testing.T) {
	var log strings.Builder
	s := progress.NewScreen(&log)
	for _, line := range []string{"a", "a", "b"} {
		if err := s.Show(line, line+"\nmore\n"); err != nil {
			t.Fatal(err)
		}
	}
	if log.String() != "a\nb\n" {
		t.Errorf("%q", log.String())
	}
}
