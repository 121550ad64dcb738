package fit_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// asFit makes the test's program fit the file, into the directory, that it names: FILE:DIR.
const asFit = "FIT_TEST_AS_PROGRAM"

// killsVariable is the number of times that a fit is killed. If it is set, all models are fitted.
const killsVariable = "FIT_TEST_KILLS"

func TestMain(m *testing.M) {
	fit.KeepAll()
	if file, out, ok := strings.Cut(os.Getenv(asFit), ":"); ok {
		if _, err := fitTo(context.Background(), file, out, 1, false); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fitTo fits y ~ x | g.
func fitTo(ctx context.Context, file, out string, threads int, overwrite bool) (content []byte, err error) {
	f, err := formula.Parse("y ~ x | g")
	if err != nil {
		return nil, err
	}
	quiet := progress.Quiet(progress.New(os.Stderr, progress.Auto))
	if _, _, err := fit.Fit(ctx, fit.Options{File: file, Formula: f, Instant: os.Getenv(killsVariable) == "", Out: out, Overwrite: overwrite, Seed: 3, Threads: threads, Progress: quiet}); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(out, "fit.json"))
}

// curves writes a file of groups whose curves differ.
func curves(t *testing.T, groups int) string {
	var b strings.Builder
	b.WriteString("g,x,y\n")
	for g := range groups {
		for i := range 8 {
			x := float64((7*g + 5*i) % 30)
			fmt.Fprintf(&b, "g%d,%v,%.3f\n", g, x, 10+3*math.Sin(float64(3*g))+math.Sin(x/5+float64(g))+0.3*math.Sin(float64(100*g+17*i)))
		}
	}
	file := filepath.Join(t.TempDir(), "curves.csv")
	must.Do(t, os.WriteFile(file, []byte(b.String()), 0o600))
	return file
}

// A fit that is killed anywhere, time and again, comes to the same bytes as one that is not, and
// leaves nothing else behind.
func TestAKilledFitGoesOn(t *testing.T) {
	kills := 4
	if v := os.Getenv(killsVariable); v != "" {
		kills, _ = strconv.Atoi(v)
	}
	file, times := curves(t, 8), random.New(9, random.Validation)
	begin := time.Now()
	want := must.Get(fitTo(t.Context(), file, t.TempDir(), 2, false))(t)
	whole := time.Since(begin)
	out, kept, done := t.TempDir(), 0, false
	for k := range kills {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), asFit+"="+file+":"+out)
		child.Stderr = os.Stderr
		must.Do(t, child.Start())
		ended := make(chan error, 1)
		go func() { ended <- child.Wait() }()
		err := killed(child, ended, out, kept+times.IntN(uint64(k), 0, 10), time.Duration(times.Float(uint64(k), 1)*float64(whole)/20))
		if err == nil { // it was done before
			if done = true; same(t, out, want) {
				_ = os.RemoveAll(out)
				_ = os.Mkdir(out, 0o755)
				done = false
			}
		}
		kept = countParts(out)
	}
	if !done {
		if _, err := fitTo(t.Context(), file, out, 1, false); err != nil {
			t.Fatal(err)
		}
	}
	same(t, out, want)
}

// killed kills a child when the directory has a number of kept models, and some time has passed since,
// and returns how it ended.
func killed(child *exec.Cmd, ended chan error, out string, models int, delay time.Duration) error {
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Millisecond):
		}
		if countParts(out) >= models {
			select {
			case err := <-ended:
				return err
			case <-time.After(delay):
			}
			_ = child.Process.Kill() // an error says that it has ended
			return <-ended
		}
	}
}

// countParts returns the number of models that are kept in a directory.
func countParts(out string) int {
	parts, _ := filepath.Glob(filepath.Join(out, "parts-*", "*.json"))
	return len(parts)
}

// same compares fit.json, the only file that is to be left.
func same(t *testing.T, out string, want []byte) bool {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(out, "fit.json"))
	if err != nil || string(got) != string(want) {
		t.Errorf("%v, or the bytes differ from those of a fit that was not killed", err)
		return false
	}
	if left, _ := os.ReadDir(out); len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
	return true
}

// A directory with what another fit has left is refused, unless that may be overwritten. A fit goes on
// from its own.
func TestPartsOfAnotherFitAreRefused(t *testing.T) {
	file, out := curves(t, 6), t.TempDir()
	other := filepath.Join(out, "parts-0123456789abcdef")
	must.Do(t, os.Mkdir(other, 0o755))
	if err := os.WriteFile(filepath.Join(out, ".tmp-fit.json-12"), []byte("{"), 0o600); err != nil { // of a fit that was killed
		t.Fatal(err)
	}
	must.Refuse(t, must.Err(fitTo(t.Context(), file, out, 1, false)), "--overwrite")
	content := must.Get(fitTo(t.Context(), file, out, 1, true))(t)
	same(t, out, content)
}

// Models of another outcome are those of another fit.
func TestPartsAreOfAnOutcome(t *testing.T) {
	file, out := curves(t, 6), t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for countParts(out) == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	if _, err := fitTo(ctx, file, out, 1, false); err == nil {
		t.Skip("the fit ended before it was stopped")
	}
	stop()
	o := fit.Options{File: file, Formula: must.Get(formula.Parse("y ~ x | g"))(t), Instant: true, Outcome: "real", Out: out, Seed: 3, Threads: 1,
		Progress: progress.Quiet(progress.New(os.Stderr, progress.Auto))}
	_, _, err := fit.Fit(t.Context(), o)
	must.Refuse(t, err, "--overwrite")
}
