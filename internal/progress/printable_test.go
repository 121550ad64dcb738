package progress_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/progress"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, keep, want string }{
		{"plain, ± → τ, 日本 'quoted' \\x", "", "plain, ± → τ, 日本 'quoted' \\x"},
		{"\x1b]0;title\x07", "", `\x1b]0;title\a`},
		{"\u009b2J\x9b\x7f\xff", "", `\u009b2J\x9b\x7f\xff`},
		{"a\u202eb", "", `a\u202eb`},
		{"two\nlines\tand a tab", "", `two\nlines\tand a tab`},
		{"two\nlines\tand a tab\r", "\n\t", "two\nlines\tand a tab\\r"},
	} {
		if got := progress.Printable(c.in, c.keep); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestNotesAreOneLineEach(t *testing.T) {
	var out bytes.Buffer
	p := progress.New(&out, progress.Auto)
	p.Note("a\x1b[2J\nb")
	p.Warn("c\x9b\nd")
	if want := `a\x1b[2J\nb` + "\n" + `warning: c\x9b\nd` + "\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestQuietShowsWarningsAlone(t *testing.T) {
	for _, mode := range []bool{progress.Auto, progress.JSON} {
		var out bytes.Buffer
		p := progress.Quiet(progress.New(&out, mode))
		p.Note("training")
		p.Begin("train", "step", 0, 1)
		p.Update(progress.State{Done: 1})
		p.Warn("a checkpoint was skipped")
		p.End()
		if strings.Count(out.String(), "\n") != 1 || !strings.Contains(out.String(), "a checkpoint was skipped") {
			t.Errorf("got %q", out.String())
		}
		var event struct{ Event, Message string }
		if err := json.Unmarshal(out.Bytes(), &event); mode == progress.JSON && (err != nil || event.Event != "warning") {
			t.Errorf("got %q: %v", out.String(), err)
		}
	}
}
