//go:build linux

package progress_test

import (
	"io"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A terminal shows the last text in the place of the one before, cut to its size.
func TestATerminalGetsAScreen(t *testing.T) {
	screen, tty := terminal(t)
	s := progress.NewScreen(tty)
	for _, text := range []string{"one\ntwo\n", strings.Repeat("x", 100) + "\n" + strings.Repeat("y\n", 30)} {
		must.Do(t, s.Show("a line", text))
	}
	must.Do(t, tty.Close())
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
		must.Do(t, s.Show(line, line+"\nmore\n"))
	}
	if log.String() != "a\nb\n" {
		t.Errorf("%q", log.String())
	}
}
