//go:build unix

package run_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/test/nolocks"
)

// The variables that make the test binary hold the directory that the first names.
const (
	holdDir     = "ACQNP_TEST_HOLD"
	withoutLock = "ACQNP_TEST_WITHOUT_LOCKS"
)

// beat is the time between heartbeats in these tests.
const beat = 80 * time.Millisecond

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdDir); dir != "" {
		holdAsChild(dir)
		return
	}
	os.Exit(m.Run())
}

// holdAsChild resumes the run in dir, says so, and writes a configuration and ends at each line that it
// reads.
func holdAsChild(dir string) {
	if os.Getenv(withoutLock) != "" {
		if err := nolocks.Forbid(); err != nil {
			fmt.Println("error", err)
			return
		}
	}
	w, err := run.Resume(dir, nil)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("holds")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return
	}
	if err := w.WriteConfig("by " + os.Getenv(holdDir+"_NAME")); err != nil {
		fmt.Println("error", err)
	} else {
		fmt.Println("wrote")
	}
	if err := w.Close(); err != nil {
		fmt.Println("error", err)
	}
}

// A holder is a process that holds a directory.
type holder struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	name string
}

// hold starts a process that takes a directory.
func hold(t *testing.T, dir, name string, locks bool) *holder {
	t.Helper()
	if !locks && !nolocks.Known {
		t.Skip("flock cannot be made to fail on this system")
	}
	h := &holder{t: t, cmd: exec.Command(os.Args[0]), name: name}
	h.cmd.Env = append(os.Environ(), holdDir+"="+dir, holdDir+"_NAME="+name, run.HeartbeatVariable+"="+beat.String())
	if !locks {
		h.cmd.Env = append(h.cmd.Env, withoutLock+"=1")
	}
	h.cmd.Stderr = os.Stderr
	h.in = must.Get(h.cmd.StdinPipe())(t)
	h.out = bufio.NewReader(must.Get(h.cmd.StdoutPipe())(t))
	must.Do(t, h.cmd.Start())
	t.Cleanup(h.kill)
	return h
}

// says returns the next line of the process.
func (h *holder) says() string {
	h.t.Helper()
	line, _ := h.out.ReadString('\n')
	return strings.TrimSpace(line)
}

// wants checks the next line of the process.
func (h *holder) wants(words string) {
	h.t.Helper()
	if line := h.says(); !strings.Contains(line, words) {
		h.t.Fatalf("%s says %q, want %q", h.name, line, words)
	}
}

// end lets the process write and end.
func (h *holder) end() { fmt.Fprintln(h.in) }

func (h *holder) kill() {
	h.cmd.Process.Kill()
	h.cmd.Wait()
}

func (h *holder) signal(s syscall.Signal) { must.Do(h.t, h.cmd.Process.Signal(s)) }

// wantClaims checks which claims are in a directory.
func wantClaims(t *testing.T, dir string, want ...string) {
	t.Helper()
	found := must.Get(filepath.Glob(filepath.Join(dir, ".claim-*")))(t)
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("claims %v, want %v", found, want)
	}
}

// wantPhase waits until a run has a phase: a dead process's claim stays young for some heartbeats, and
// a doubt takes some.
func wantPhase(t *testing.T, dir string, want run.Phase) run.State {
	t.Helper()
	var w run.Watch
	s := must.Get(w.StateOf(dir, false))(t)
	for i := 0; (s.Phase != want || s.InDoubt) && i < 1000; i++ {
		time.Sleep(beat / 2)
		s = must.Get(w.StateOf(dir, false))(t)
	}
	if s.Phase != want || s.InDoubt {
		t.Errorf("%+v, want %s", s, want)
	}
	return s
}

// With locks and without, a second process is refused, a killed one is replaced, and nothing is left
// behind.
func TestOneProcessHoldsADirectory(t *testing.T) {
	for _, locks := range []bool{true, false} {
		t.Run(fmt.Sprintf("locks %t", locks), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			a := hold(t, dir, "a", locks)
			a.wants("holds")
			if s := wantPhase(t, dir, run.Running); s.Host == "" {
				t.Error("no host")
			}
			hold(t, dir, "b", locks).wants("another process is training")
			a.kill()
			wantClaims(t, dir, ".claim-1")
			c := hold(t, dir, "c", locks)
			c.wants("holds")
			wantClaims(t, dir, ".claim-2")
			c.end()
			c.wants("wrote")
			must.Do(t, c.cmd.Wait())
			wantClaims(t, dir)
			wantPhase(t, dir, run.Stopped)
		})
	}
}

// Of many processes that start at once without locks, one holds the directory.
func TestOneOfManyHoldsADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	must.Do(t, os.Mkdir(dir, 0o755))
	for round := range 2 { // the second begins with a dead process's claim
		var all []*holder
		for i := range 6 {
			all = append(all, hold(t, dir, fmt.Sprint(round, i), false))
		}
		var holding []*holder
		for _, h := range all {
			switch line := h.says(); {
			case line == "holds":
				holding = append(holding, h)
			case !strings.Contains(line, "another process is training"):
				t.Errorf("%s says %q", h.name, line)
			}
		}
		if len(holding) != 1 {
			t.Fatalf("round %d: %d processes hold the directory", round, len(holding))
		}
		holding[0].kill()
	}
}

// A process that slept while another took over writes nothing when it wakes up.
func TestAProcessThatSleptWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	a := hold(t, dir, "a", false)
	a.wants("holds")
	a.signal(syscall.SIGSTOP)
	b := hold(t, dir, "b", false)
	b.wants("holds")
	a.signal(syscall.SIGCONT)
	a.end()
	a.wants("another process is training")
	b.end()
	b.wants("wrote")
	must.Do(t, a.cmd.Wait(), b.cmd.Wait())
	if text := string(must.Read(t, filepath.Join(dir, "config.yaml"))); text != "by b" {
		t.Errorf("written %s", text)
	}
	wantClaims(t, dir)
}

// A process that sleeps in the middle of Log and wakes up after another took over has the log open. Its
// line does not get into the other's log, which continues at the step of the same line.
func TestALateLineIsNotInTheNextLog(t *testing.T) {
	dir, _ := finished(t)
	path := filepath.Join(dir, "metrics.jsonl")
	before := string(must.Read(t, path))
	late := must.Get(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))(t)
	defer late.Close()
	w := must.Get(run.Resume(dir, nil))(t)
	must.Do(t, w.OpenLog(12))
	must.Get(late.WriteString("late\n"))(t)
	must.Do(t, w.Log(run.Metrics{Step: 15, Loss: -0.5, LearningRate: 0.01, RowsPerSecond: 9, Elapsed: 1}), w.Close())
	after := string(must.Read(t, path))
	if rest, ok := strings.CutPrefix(after, before); !ok || !strings.HasPrefix(rest, `{"step":15,`) || strings.Contains(after, "late") {
		t.Errorf("the log is\n%s", after)
	}
}

// repeat calls f again and again, until stop is called.
func repeat(pause time.Duration, f func()) (stop func()) {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			f()
			select {
			case <-end:
				return
			case <-time.After(pause):
			}
		}
	}()
	return func() { close(end); <-done }
}

// shifted moves the times of claims after each heartbeat, as a machine does whose clock differs.
func shifted(t *testing.T, dir string, by time.Duration) {
	t.Cleanup(repeat(beat/10, func() {
		claims, _ := filepath.Glob(filepath.Join(dir, ".claim-*"))
		for _, c := range claims {
			now := time.Now().Add(by)
			_ = os.Chtimes(c, now, now)
		}
	}))
}

// Clocks that differ by minutes change nothing.
func TestClocksMayDiffer(t *testing.T) {
	for _, by := range []time.Duration{-7 * time.Minute, 7 * time.Minute} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			a := hold(t, dir, "a", false)
			a.wants("holds")
			shifted(t, dir, by)
			wantPhase(t, dir, run.Running)
			hold(t, dir, "b", false).wants("another process is training")
			a.kill()
			wantPhase(t, dir, run.Waiting)
			hold(t, dir, "c", false).wants("holds")
		})
	}
}

// foreign makes a directory with a claim of another machine and returns the claim's path.
func foreign(t *testing.T) (dir, claim string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	claim = filepath.Join(dir, ".claim-3")
	must.Write(t, "", filepath.Join(dir, ".lock"))
	must.Write(t, foreignClaim(1), claim)
	return dir, claim
}

func foreignClaim(beats int) []byte {
	return fmt.Appendf(nil, `{"host":"node7","boot":"another kernel","pid":12,"job":"77_3","token":"t","interval_s":%v,"beat":%d}`, beat.Seconds(), beats)
}

// A run whose claim moves on another machine is running and is refused.
func TestARunOnAnotherMachine(t *testing.T) {
	dir, claim := foreign(t)
	f := must.Get(os.OpenFile(claim, os.O_WRONLY, 0))(t)
	defer f.Close()
	beats := 1
	stop := repeat(beat, func() {
		beats++
		_, _ = f.WriteAt(foreignClaim(beats), 0)
	})
	s := wantPhase(t, dir, run.Running)
	if s.Host != "node7" || s.Job != "77_3" {
		t.Errorf("%+v", s)
	}
	t.Setenv(run.HeartbeatVariable, beat.String())
	if _, err := run.Resume(dir, nil); !errors.Is(err, run.ErrBusy) || !strings.Contains(err.Error(), "node7") {
		t.Errorf("error %v", err)
	}
	stop() // the machine has died
	var warned []string
	w := must.Get(run.Resume(dir, func(s string) { warned = append(warned, s) }))(t)
	if len(warned) != 1 || !strings.Contains(warned[0], "node7") {
		t.Errorf("warnings %q", warned)
	}
	wantClaims(t, dir, ".claim-4")
	must.Do(t, w.Close())
	wantClaims(t, dir)
}

// A lock that another mount of the file system does not show, as with FUSE, is not trusted.
func TestAClaimThroughAnotherMount(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	a := hold(t, dir, "a", true)
	a.wants("holds")
	a.kill()
	path := filepath.Join(dir, ".claim-1")
	text := string(must.Read(t, path))
	at := strings.Index(text, `"device":`)
	must.Write(t, []byte(text[:at]+`"device":1`+text[at+len(`"device":`):]), path)
	if s := must.Get(run.StateOf(dir, false))(t); s.Phase != run.Running {
		t.Errorf("%+v of a young claim", s)
	}
	began := time.Now()
	hold(t, dir, "b", true).wants("holds")
	if time.Since(began) < 6*beat {
		t.Error("taken over without a watch")
	}
}

// A look tells the dead from the living by the file system's clock, and watches where it cannot.
func TestALookAtDeadClaims(t *testing.T) {
	t.Parallel()
	for _, old := range []time.Duration{0, time.Minute, -time.Minute, 2 * time.Hour} {
		dir, claim := foreign(t)
		then := time.Now().Add(-old)
		must.Do(t, os.Chtimes(claim, then, then))
		s := must.Get(run.StateOf(dir, false))(t)
		young, doubt := s.Phase == run.Running, s.InDoubt
		if young != (old == 0) || doubt != (old == time.Minute || old == -time.Minute) {
			t.Errorf("%v old: %+v", old, s)
		}
		time.Sleep(7 * beat)
		wantPhase(t, dir, run.Waiting)
		wantClaims(t, dir, ".claim-3")
		if rest := must.Get(filepath.Glob(filepath.Join(dir, ".tmp-*")))(t); len(rest) > 0 {
			t.Errorf("left %v", rest)
		}
	}
}

// Looks do not keep a process from a directory.
func TestLooksDoNotDisturb(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	must.Do(t, must.Get(run.Resume(dir, nil))(t).Close())
	for range 2 {
		defer repeat(0, func() { _, _ = run.StateOf(dir, true) })()
	}
	for range 50 {
		must.Do(t, must.Get(run.Resume(dir, nil))(t).Close())
	}
}

func TestBadHeartbeat(t *testing.T) {
	for _, bad := range []string{"5", "0s", "-1s", "2h", "x"} {
		t.Setenv(run.HeartbeatVariable, bad)
		must.Refuse(t, must.Err(run.Create(filepath.Join(t.TempDir(), "run"), false)), run.HeartbeatVariable, bad)
	}
}
