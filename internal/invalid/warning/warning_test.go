package warning_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid/warning"
)

func TestKeepsEachLineOnceInOrder(t *testing.T) {
	var r warning.Record
	r.Add("%d rows left out: no y", 3)
	r.Add("columns read as names: kind")
	r.Add("%d rows left out: no y", 3)
	if got := r.Lines(); !slices.Equal(got, []string{"3 rows left out: no y", "columns read as names: kind"}) {
		t.Errorf("found %q", got)
	}
}

// JSON must have a list where there is no warning, also of no record.
func TestNoLinesAreAnEmptyList(t *testing.T) {
	var none *warning.Record
	none.Add("dropped")
	for _, r := range []*warning.Record{none, {}} {
		if got, err := json.Marshal(r.Lines()); err != nil || string(got) != "[]" {
			t.Errorf("found %s, %v, expected []", got, err)
		}
	}
}

func TestLinesAreACopy(t *testing.T) {
	var r warning.Record
	r.Add("one")
	r.Lines()[0] = "changed"
	if r.Lines()[0] != "one" {
		t.Error("a reader changed the record")
	}
}

func TestGoroutinesShareARecord(t *testing.T) {
	var r warning.Record
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { r.Add("line %d", i%10) })
	}
	all.Wait()
	if n := len(r.Lines()); n != 10 {
		t.Errorf("found %d lines, expected 10", n)
	}
}
