package progress_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/progress"
)

// A log has the notes and now and then the total, but no lanes.
func TestBoardInALog(t *testing.T) {
	var b bytes.Buffer
	board := progress.NewBoard(&b, progress.Auto, false)
	lane := board.Lane("run a")
	board.Note("two runs")
	for i := range 100 {
		lane.Update(i, 100, "step")
		board.Total(float64(i)/100, "half done")
	}
	lane.End()
	board.Warn("careful")
	board.Close()
	if got := b.String(); got != "two runs\nhalf done\nwarning: careful\n" {
		t.Errorf("%q", got)
	}
}

func TestQuietBoardWarns(t *testing.T) {
	var b bytes.Buffer
	board := progress.NewBoard(&b, progress.Auto, true)
	board.Note("two runs")
	board.Total(0.5, "half done")
	board.Warn("careful")
	board.Close()
	if got := b.String(); got != "warning: careful\n" {
		t.Errorf("%q", got)
	}
}

func TestBoardInJSON(t *testing.T) {
	var b bytes.Buffer
	board := progress.NewBoard(&b, progress.JSON, false)
	board.Total(0.5, "half done")
	board.Note("a: done", progress.Field{Name: "run", Value: "a"})
	board.Close()
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	var total struct {
		Event, Message string
		Share          float64
	}
	if len(lines) != 2 || json.Unmarshal([]byte(lines[0]), &total) != nil || total.Event != "progress" || total.Share != 0.5 || total.Message != "half done" {
		t.Errorf("%q", lines)
	}
	var note struct{ Event, Message, Run string }
	if json.Unmarshal([]byte(lines[1]), &note) != nil || note.Event != "note" || note.Run != "a" {
		t.Errorf("%q", lines[1])
	}
}
