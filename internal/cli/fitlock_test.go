//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/test/must"
)

// A signal ends a fit with 130. Nothing of it is left.
func TestASignalEndsAFit(t *testing.T) {
	out := filepath.Join(t.TempDir(), "prices.fit")
	cmd, _ := program(t, "fit", "testdata/kettles.csv", "price ~ age + kind | product", "--no-picture", "--out", out)
	begun(t, out)
	send(t, cmd.Process, syscall.SIGTERM)
	ended(t, cmd, 130)
	if _, err := os.Stat(out); err == nil {
		t.Error("the directory of the result is left")
	}
}

// begun waits until a fit holds the directory of its result.
func begun(t *testing.T, out string) {
	t.Helper()
	for begin := time.Now(); ; {
		if claims, _ := filepath.Glob(filepath.Join(out, ".claim-*")); len(claims) > 0 {
			return
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("the fit does not begin")
		}
	}
}

// Of two fits with one result, the second ends at once with one line, and the first is not disturbed.
func TestTwoFitsOfOneResult(t *testing.T) {
	file, out := "testdata/kettles.csv", filepath.Join(t.TempDir(), "prices.fit")
	first, errs := program(t, "fit", file, "price ~ age + kind | product", "--budget", "1", "--no-picture", "--out", out)
	begun(t, out)
	send(t, first.Process, syscall.SIGSTOP) // so that it is at work below
	o := acqnp("fit", file, "price ~ age + kind | product", "--instant", "--out", out)
	checkRefusal(t, "the second", o, 2, "--out: "+out+": another process writes a fit there")
	send(t, first.Process, syscall.SIGCONT)
	if err := first.Wait(); err != nil {
		t.Fatalf("the first fit: %v, %s", err, errs)
	}
	must.Do(t, must.Err(os.Stat(filepath.Join(out, "fit.json"))))
	o = acqnp("fit", file, "price ~ age + kind | product", "--instant", "--out", out)
	checkRefusal(t, "after the first", o, 2, "--overwrite")
	if strings.Contains(o.err, "another process") {
		t.Errorf("after the first: %s", o.err)
	}
}
