//go:build linux

package sweep_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// killsVariable sets the number of kills of the test below; .ci/nightly kills sets 200.
const killsVariable = "SWEEP_TEST_KILLS"

// A sweep that is killed at random moments, or whose children are, and that is started again each time
// ends with the bytes of runs that nothing stopped. A child that was killed is started again without
// that.
func TestKilledSweepEndsWithTheSameBytes(t *testing.T) {
	kills := 3
	if testing.Short() {
		kills = 2
	}
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	steps := fmt.Sprint("steps: ", 150*kills)
	folder(t, both)
	for _, model := range []string{"cnp", "cqnp"} {
		must.Write(t, strings.Replace(fmt.Sprintf(tiny, model), "steps: 60", steps, 1), model+".yaml")
	}
	want := serial(t, "0", "1", "2")
	random := rand.New(rand.NewPCG(1, 2))
	done := 0
	for done < kills {
		cmd, errs := command("sweep", "run", "plan.yaml", "--jobs", "2")
		must.Do(t, cmd.Start())
		for again := true; again && done < kills; done++ {
			time.Sleep(time.Duration(10+random.IntN(150)) * time.Millisecond)
			signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM}[random.IntN(3)]
			children := childrenOf(cmd.Process.Pid)
			if again = len(children) > 0 && random.IntN(2) == 0; again {
				_ = syscall.Kill(children[random.IntN(len(children))], signal)
			} else {
				_ = cmd.Process.Signal(signal)
			}
		}
		if done == kills { // so that the next call is the last one
			_ = cmd.Process.Kill()
		}
		_ = cmd.Wait()
		if strings.Contains(errs.String(), "failed") {
			t.Fatalf("after %d kills:\n%s", done, errs)
		}
	}
	last, err := run.StateOf(filepath.Join("out", "rbf", "cqnp", "seed-2"), true)
	if err != nil || last.Phase == run.Done {
		t.Fatalf("the last run is %s after the kills, %v: train more steps", last.Phase, err)
	}
	t.Logf("the last run is %s at step %d after the kills", last.Phase, last.Step)
	out, errs := acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "2")
	if !strings.HasPrefix(out, "6 of 6 runs done") {
		t.Errorf("%s%s", out, errs)
	}
	checkSame(t, "out", want)
}

// childrenOf returns the processes whose parent is pid.
func childrenOf(pid int) (children []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		b, _ := os.ReadFile(file)
		for _, field := range bytes.Fields(b) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}
