package run_test

import (
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A training killed between a save and its cleaning has left one checkpoint too many. Restore
// removes the oldest, as the next save would.
func TestRestoreFinishesTheCleaning(t *testing.T) {
	dir, e := finished(t)
	must.Do(t, os.WriteFile(checkpoint(dir, "step-4"), must.Read(t, checkpoint(dir, "step-8")), 0o600))
	w := must.Get(run.Resume(dir, nil))(t)
	defer w.Close()
	e.Train.KeepCheckpoints = 1
	c, err := w.Restore(e, modelOf(t, e), run.Units{XNames: []string{"x"}, YNames: []string{"y"}, Scaling: thirds()})
	must.Do(t, err)
	if c.Step != 12 {
		t.Errorf("restored step %d, expected 12", c.Step)
	}
	for name, kept := range map[string]bool{"step-4": false, "step-8": true, "step-12": true} {
		if _, err := os.Stat(checkpoint(dir, name)); (err == nil) != kept {
			t.Errorf("%s: %v, expected kept %v", name, err, kept)
		}
	}
}
