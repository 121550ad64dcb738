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

// Of two fits with one result, the second ends at once with one line, and the first is not disturbed.
func TestTwoFitsOfOneResult(t *testing.T) {
	file, out := "testdata/kettles.csv", filepath.Join(t.TempDir(), "prices.fit")
	first, errs := program(t, "fit", file, "price ~ age + kind | product", "--budget", "1", "--no-picture", "--out", out)
	for begin := time.Now(); ; {
		if claims, _ := filepath.Glob(filepath.Join(out, ".claim-*")); len(claims) > 0 {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("the first fit does not begin")
		}
	}
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
