//go:build unix

package slurm

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A statement is what acqnp sweep status has said, between two moments.
type statement struct {
	from, to time.Time
	Done     int
	Runs     []struct {
		Phase string
		Job   string
	}
}

// A look says which runs had a process.
type look struct {
	at    time.Time
	alive [runs]bool
}

// A witness asks acqnp sweep status again and again, and looks itself which processes there are.
type witness struct {
	study      *study
	stop       chan struct{}
	both       sync.WaitGroup
	statements []statement
	looks      []look
	err        error
}

func (s *study) watch() *witness {
	w := &witness{study: s, stop: make(chan struct{})}
	w.both.Go(func() { w.every(200*time.Millisecond, w.ask) })
	w.both.Go(func() { w.every(20*time.Millisecond, w.see) })
	return w
}

// every calls a function until the end.
func (w *witness) every(pause time.Duration, f func()) {
	for {
		select {
		case <-w.stop:
			return
		case <-time.After(pause):
			f()
		}
	}
}

func (w *witness) ask() {
	if w.err != nil {
		return
	}
	cmd := exec.Command(w.study.program, "sweep", "status", "plan.yaml", "--json")
	cmd.Dir = w.study.dir
	said := statement{from: time.Now()}
	out, err := cmd.Output()
	said.to = time.Now()
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	if err != nil || len(said.Runs) != runs {
		w.err = fmt.Errorf("acqnp sweep status: %w: %s", err, out)
	}
	w.statements = append(w.statements, said)
}

func (w *witness) see() {
	l := look{at: time.Now()}
	for _, args := range w.study.processes() {
		for n := range runs {
			l.alive[n] = l.alive[n] || slices.Contains(args, w.study.seed(n))
		}
	}
	w.looks = append(w.looks, l)
}

// seen reports whether a run had a process in a look during a statement, or in the one before or after.
func (w *witness) seen(n int, said statement) bool {
	for i, l := range w.looks {
		before := i+1 < len(w.looks) && w.looks[i+1].at.Before(said.from)
		after := i > 0 && w.looks[i-1].at.After(said.to)
		if l.alive[n] && !before && !after {
			return true
		}
	}
	return false
}

// end checks all statements: what is done stays done, a run is called running only while it has a
// process, and none is called failed.
func (w *witness) end(t *testing.T) {
	t.Helper()
	close(w.stop)
	w.both.Wait()
	if w.err != nil {
		t.Fatal(w.err)
	}
	var phases [runs][]string
	done := 0
	for _, said := range w.statements {
		if said.Done < done {
			t.Errorf("after %d runs, only %d are done", done, said.Done)
		}
		done = said.Done
		for n, r := range said.Runs {
			switch {
			case r.Phase == "failed":
				t.Errorf("run %d is called failed", n)
			case r.Phase == "running" && !w.seen(n, said):
				t.Errorf("run %d is called running without a process", n)
			case r.Phase == "running" && !strings.HasSuffix(r.Job, fmt.Sprint("_", n)):
				t.Errorf("run %d is running in job %q", n, r.Job)
			}
			phases[n] = append(phases[n], r.Phase)
		}
	}
	for n, list := range phases {
		phases[n] = slices.Compact(list)
	}
	if done != runs || len(w.statements) < 20 {
		t.Errorf("%d statements, the last of %d done runs", len(w.statements), done)
	}
	// The first run stands still until its time ends, and waits some seconds before it goes on.
	for _, phase := range []string{"running", "stopped", "done"} {
		if !slices.Contains(phases[0], phase) {
			t.Errorf("run 0 was never called %s", phase)
		}
	}
	t.Logf("%d statements, %q", len(w.statements), phases)
}
