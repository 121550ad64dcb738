package progress_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acqnp/acqnp/internal/progress"
)

// steps plays 100 steps of one second each and counts how often the loss is asked for.
func steps(p progress.Reporter) (asked int) {
	p.Begin("train", "step", 50, 150)
	loss := func() float64 { asked++; return -0.5 }
	for i := 51; i <= 150; i++ {
		time.Sleep(time.Second)
		p.Update(progress.State{Done: i, Loss: loss, RowsPerSecond: 1234567})
	}
	p.End()
	p.End()
	return asked
}

func TestLinesAreFewAndWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		asked := steps(progress.New(&out, progress.Auto))
		got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(got) != 11 { // one every ten seconds, and the end
			t.Fatalf("%d lines:\n%s", len(got), out.String())
		}
		if asked != 11 {
			t.Errorf("the loss was asked for %d times and shown 11 times", asked)
		}
		if want := "train: step 60/150, loss -0.5000, 1.23M rows/s, 1m30s left"; got[0] != want {
			t.Errorf("got %q, want %q", got[0], want)
		}
		if want := "train: step 150/150, loss -0.5000, 1.23M rows/s"; got[10] != want {
			t.Errorf("got %q, want %q", got[10], want)
		}
		if strings.Contains(out.String(), "\r") || strings.Contains(out.String(), "\x1b") {
			t.Error("a log got terminal control characters")
		}
	})
}

func TestJSONLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := progress.New(&out, progress.JSON)
		p.Note("training", progress.Field{Name: "threads", Value: 2})
		steps(p)
		var events []map[string]any
		for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			var e map[string]any
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			events = append(events, e)
		}
		if len(events) != 1+100+1 {
			t.Fatalf("%d events", len(events))
		}
		if events[0]["event"] != "note" || events[0]["message"] != "training" || events[0]["threads"] != 2.0 {
			t.Errorf("note: %v", events[0])
		}
		if e := events[10]; e["done"] != 60.0 || e["left_s"] != 90.0 || e["loss"] != -0.5 || e["task"] != "train" {
			t.Errorf("progress: %v", e)
		}
	})
}
