//go:build unix || windows

package run_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A refusal says what the other process does in the directory.
func TestBusyNamesWhatHolds(t *testing.T) {
	training := func(dir string, warn func(string)) (func() error, error) {
		w, err := run.Resume(dir, warn)
		if err != nil {
			return nil, err
		}
		return w.Close, nil
	}
	holding := func(of run.Purpose) func(string, func(string)) (func() error, error) {
		return func(dir string, warn func(string)) (func() error, error) { return run.Hold(dir, of, warn) }
	}
	for want, take := range map[string]func(string, func(string)) (func() error, error){
		"another process is training in this run directory": training,
		"another process is evaluating this run":            holding(run.Evaluating),
		"another sweep is at work on this run":              holding(run.Sweeping),
	} {
		dir := t.TempDir()
		release := must.Get(take(dir, nil))(t)
		_, err := take(dir, nil)
		if !errors.Is(err, run.ErrBusy) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
			t.Errorf("error %v, want %s", err, want)
		}
		must.Do(t, release())
	}
}
