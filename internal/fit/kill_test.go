package fit_test

import (
	"context"
	"errors"
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
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// asFit makes the test's program fit the file, into the directory, that it names: FILE:DIR.
const asFit = "FIT_TEST_AS_PROGRAM"

// killsVariable is the number of times that a fit is killed.
const killsVariable = "FIT_TEST_KILLS"

func TestMain(m *testing.M) {
	if file, out, ok := strings.Cut(os.Getenv(asFit), ":"); ok {
		if _, err := fitTo(context.Background(), file, out, 1); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fitTo fits y ~ x | g.
func fitTo(ctx context.Context, file, out string, threads int) (content []byte, err error) {
	f, err := formula.Parse("y ~ x | g")
	if err != nil {
		return nil, err
	}
	if _, _, err := fit.Fit(ctx, fit.Options{File: file, Formula: f, Instant: true, Out: out, Seed: 3, Threads: threads, Progress: quiet}); err != nil {
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

// A fit that is killed anywhere leaves a whole fit.json or none. The next one comes to the same bytes, and leaves nothing
// else behind.
func TestAKilledFitLeavesNothingHalfWritten(t *testing.T) {
	kills := 3
	if v := os.Getenv(killsVariable); v != "" {
		kills, _ = strconv.Atoi(v)
	}
	file, times := curves(t, 8), random.New(9, random.Validation)
	begin := time.Now()
	want := must.Get(fitTo(t.Context(), file, t.TempDir(), 2))(t)
	whole := time.Since(begin)
	out := t.TempDir()
	result := filepath.Join(out, "fit.json")
	must.Do(t, os.WriteFile(filepath.Join(out, ".tmp-fit.json-12"), []byte("{"), 0o600)) // of one that was killed while it wrote
	for k := range kills {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), asFit+"="+file+":"+out)
		child.Stderr = os.Stderr
		must.Do(t, child.Start())
		time.Sleep(time.Duration(2 * times.Float(uint64(k), 1) * float64(whole)))
		_ = child.Process.Kill() // an error says that it has ended
		_ = child.Wait()
		if got, err := os.ReadFile(result); err == nil && string(got) != string(want) {
			t.Fatalf("kill %d: fit.json has %d bytes, want none or the %d of a fit that was not killed", k, len(got), len(want))
		}
		_ = os.Remove(result)
	}
	if got := must.Get(fitTo(t.Context(), file, out, 1))(t); string(got) != string(want) {
		t.Error("the bytes differ from those of a fit that was not killed")
	}
	if left, _ := os.ReadDir(out); len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
}

// A fit that its context ends returns the context's error, and writes nothing.
func TestAnEndedFitWritesNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out := t.TempDir()
	o := fit.Options{File: curves(t, 8), Formula: must.Get(formula.Parse("y ~ x | g"))(t), Out: out, Threads: 2, Progress: quiet, Read: stop}
	_, _, err := fit.Fit(ctx, o)
	if left, _ := os.ReadDir(out); !errors.Is(err, context.Canceled) || len(left) > 0 {
		t.Errorf("%v, and %d files are left", err, len(left))
	}
}
