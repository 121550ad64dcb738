//go:build unix

package train_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// killDir is the environment variable that makes the test binary train in the directory it names.
const killDir = "ACQNP_TEST_TRAIN_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		if err := trainAsChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// enduring returns an experiment long enough to be killed several times. It writes a checkpoint at
// every other step, so that a kill is likely to hit one.
func enduring(t testing.TB) config.Experiment {
	return experiment(t, steps(400), func(e *config.Experiment) {
		e.Train.CheckpointEvery, e.Train.LogEvery, e.Train.KeepCheckpoints = 2, 1, 2
		e.Train.ValidateEvery, e.Train.Patience = 5, 1000
	})
}

func trainAsChild(dir string) error {
	e, err := config.Parse("child", []byte(os.Getenv(killDir+"_CONFIG")), config.Overrides{})
	if err != nil {
		return err
	}
	told := false
	_, err = train.Run(context.Background(), train.Options{Experiment: e, Dir: dir, Resume: true,
		Warn: func(line string) { fmt.Fprintln(os.Stderr, line) },
		OnStep: func(train.Update) {
			if !told {
				told = true
				fmt.Println("started")
			}
		}})
	return err
}

// Training that is killed at random moments and resumed each time ends with the same bytes as
// training that is not killed.
func TestKilledTrainingEndsWithTheSameBytes(t *testing.T) {
	e := enduring(t)
	want := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir(), Device: device.CPU(1)})
	yaml := must.Get(e.YAML())(t)
	dir := filepath.Join(t.TempDir(), "run")
	delays := rand.New(rand.NewPCG(11, 12))
	kills := 0
	for attempt := 0; ; attempt++ {
		var delay time.Duration // 0: let it finish
		if attempt < 12 {
			delay = time.Duration(1 + delays.IntN(120)*int(time.Millisecond))
		}
		killed := runChild(t, dir, string(yaml), delay, attempt%4 == 0)
		if !killed {
			break
		}
		kills++
	}
	if kills < 3 {
		t.Errorf("only %d kills: the run is too short to prove anything", kills)
	}
	t.Logf("%d kills", kills)
	got := checkpoint(dir, "step-400")
	sameTensors(t, got, want.Checkpoint)
	sameTensors(t, checkpoint(dir, "best"), want.Best.Checkpoint)
	wantFiles(t, dir, "checkpoints/best.safetensors", "config.yaml", "metrics.jsonl", "checkpoints/step-396.safetensors", "checkpoints/step-398.safetensors",
		"checkpoints/step-400.safetensors")
	for i, step := range metricSteps(t, dir) {
		if step != i+1 {
			t.Fatalf("metrics line %d is of step %d", i+1, step)
		}
	}
}

// runChild trains in another process and kills it after a delay, counted from its first step or
// from its start.
func runChild(t *testing.T, dir, yaml string, delay time.Duration, fromStart bool) (killed bool) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), killDir+"="+dir, killDir+"_CONFIG="+yaml)
	child.Stderr = os.Stderr
	out := must.Get(child.StdoutPipe())(t)
	must.Do(t, child.Start())
	if !fromStart {
		bufio.NewScanner(out).Scan()
	}
	if delay > 0 {
		time.Sleep(delay)
		child.Process.Kill()
	}
	err := child.Wait()
	if err == nil {
		return false
	}
	if status, ok := err.(*exec.ExitError); ok && !status.Exited() {
		return true
	}
	t.Fatalf("the training process: %v", err)
	return false
}
