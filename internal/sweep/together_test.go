package sweep_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/test/nolocks"
)

// Sweeps of one plan that run at once share its runs, with locks and without: each run is trained and evaluated
// once, the bytes and the lines of the logs are those of runs alone, and nothing of their claims stays.
func TestSweepsAtOnce(t *testing.T) {
	for _, locks := range []bool{true, false} {
		t.Run(fmt.Sprint("locks ", locks), func(t *testing.T) {
			if !locks && !nolocks.Known {
				t.Skip("flock cannot be made to fail on this system")
			}
			folder(t, both)
			for _, model := range []string{"cnp", "cqnp"} {
				must.Write(t, strings.Replace(fmt.Sprintf(tiny, model), "steps: 60", "steps: 240", 1), model+".yaml")
			}
			want := serial(t, "0", "1", "2")
			if !locks {
				t.Setenv(run.HeartbeatVariable, "200ms")
				t.Setenv(withoutLocks, "1")
			}
			var sweeps [3]*exec.Cmd
			var outs, errs [3]*bytes.Buffer
			for i := range sweeps {
				sweeps[i], errs[i] = command("sweep", "run", "plan.yaml", "--jobs", "2", "--json")
				outs[i] = new(bytes.Buffer)
				sweeps[i].Stdout = outs[i]
				must.Do(t, sweeps[i].Start())
			}
			trained := 0
			for i, cmd := range sweeps {
				ended := cmd.Wait()
				var s struct{ Runs, Done, Trained int }
				if err := json.Unmarshal(outs[i].Bytes(), &s); ended != nil || err != nil || s.Runs != 6 || s.Done != 6 ||
					strings.Contains(errs[i].String(), "dropped") || strings.Contains(errs[i].String(), "skipped") {
					t.Errorf("sweep %d: %v, %s, %v\n%s", i, ended, outs[i], err, errs[i])
				}
				trained += s.Trained
			}
			if trained != 6 {
				t.Errorf("%d trainings of 6 runs", trained)
			}
			checkSame(t, "out", want)
			left, err := filepath.Glob(filepath.Join("out", "*", "*", "*", ".claim*"))
			if err != nil || len(left) > 0 {
				t.Errorf("%v, %v is left", left, err)
			}
		})
	}
}
