package sweep_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/test/nolocks"
)

// Sweeps of one plan that run at once without locks train each run once: the bytes and the lines of the
// logs are those of runs alone. Nothing of their claims stays.
func TestSweepsAtOnceWithoutLocks(t *testing.T) {
	if !nolocks.Known {
		t.Skip("flock cannot be made to fail on this system")
	}
	folder(t, both)
	want := serial(t, "0", "1", "2")
	t.Setenv(run.HeartbeatVariable, "200ms")
	t.Setenv(withoutLocks, "1")
	var sweeps []*exec.Cmd
	for range 3 {
		cmd, _ := command("sweep", "run", "plan.yaml", "--jobs", "2")
		errs := must.Get(os.Create(fmt.Sprintf("errs-%d", len(sweeps))))(t)
		defer errs.Close()
		cmd.Stderr = errs
		must.Do(t, cmd.Start())
		sweeps = append(sweeps, cmd)
	}
	for i, cmd := range sweeps {
		err := cmd.Wait()
		text, _ := os.ReadFile(fmt.Sprintf("errs-%d", i))
		if err != nil || strings.Contains(string(text), "dropped") || strings.Contains(string(text), "skipped") {
			t.Errorf("sweep %d: %v\n%s", i, err, text)
		}
	}
	checkSame(t, "out", want)
	left, err := filepath.Glob(filepath.Join("out", "*", "*", "*", ".claim*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v is left", left, err)
	}
}
