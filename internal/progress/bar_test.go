//go:build linux

package progress_test

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/test/must"
)

// terminal opens a pseudo-terminal: what is written to tty can be read from screen.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	must.Do(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	must.Do(t, unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}

func TestATerminalGetsABar(t *testing.T) {
	screen, tty := terminal(t)
	synctest.Test(t, func(*testing.T) { // the time left is of the bubble's clock
		p := progress.New(tty, progress.Auto)
		p.Note("training")
		p.Begin("train", "step", 0, 4)
		loss := func() float64 { return 0.25 }
		for i := 1; i <= 4; i++ {
			time.Sleep(120 * time.Millisecond) // the bar is drawn every 100 ms at most
			p.Update(progress.State{Done: i, Loss: loss, RowsPerSecond: 2.5e6})
		}
		p.End()
	})
	must.Do(t, tty.Close())
	content, _ := io.ReadAll(screen) // returns an error: the other side of the terminal is closed
	shown := string(content)
	for _, want := range []string{"training\r\n", "25% |", "train: step 2/4, loss 0.2500, 2.5M rows/s, 0s left", "100% |"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the terminal lacks %q:\n%q", want, shown)
		}
	}
	if !strings.HasSuffix(shown, "\r\n") {
		t.Error("the cursor stays in the bar's line")
	}
}

func TestABoardOnATerminal(t *testing.T) {
	screen, tty := terminal(t)
	board := progress.NewBoard(tty, progress.Auto, false)
	lane := board.Lane("run a")
	lane.Update(1, 4, "step 1/4")
	board.Total(0.5, "half done")
	shown := until(t, screen, "run a: step 1/4", "half done")
	board.Note("a note")
	lane.End()
	board.Close()
	must.Do(t, tty.Close())
	rest, _ := io.ReadAll(screen)
	content := shown + string(rest)
	for _, want := range []string{"a note\r\n", "|███████████          | half done\r\n"} {
		if !strings.Contains(content, want) {
			t.Errorf("the terminal lacks %q:\n%q", want, content)
		}
	}
}

// until reads a screen, which is drawn every 100 ms, until it has shown the texts, and returns what it has read.
func until(t *testing.T, screen io.Reader, texts ...string) (shown string) {
	t.Helper()
	buffer := make([]byte, 4096)
	for range 600 {
		n, err := screen.Read(buffer)
		must.Do(t, err)
		shown += string(buffer[:n])
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(shown, text) }) {
			return shown
		}
	}
	t.Fatalf("the terminal lacks one of %q:\n%q", texts, shown)
	return ""
}
