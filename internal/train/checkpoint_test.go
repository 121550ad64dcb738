package train_test

import (
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// finished trains a run of 12 steps, which keeps checkpoints of steps 8 and 12.
func finished(t testing.TB) (dir string, e config.Experiment) {
	e = experiment(t)
	dir = filepath.Join(t.TempDir(), "run")
	mustTrain(t, train.Options{Experiment: e, Dir: dir, Version: "test"})
	return dir, e
}

func TestRetention(t *testing.T) {
	for keep, want := range map[int][]string{0: {"step-13"}, 1: {"step-12", "step-13"}, 3: {"step-8", "step-10", "step-12", "step-13"}} {
		dir := t.TempDir()
		mustTrain(t, train.Options{Dir: dir, Experiment: experiment(t, steps(13), func(e *config.Experiment) {
			e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 2, keep
		})})
		all := []string{"config.yaml", "metrics.jsonl"}
		for _, name := range want {
			all = append(all, "checkpoints/"+name+".safetensors")
		}
		wantFiles(t, dir, all...)
	}
}

// A torn checkpoint later than the good one does not count as kept, so the good one stays.
func TestRetentionLeavesUnusableFilesAlone(t *testing.T) {
	dir := t.TempDir()
	o := train.Options{Dir: dir, Resume: true, Experiment: experiment(t)}
	interruptAfter(t, o, 6)
	must.Write(t, []byte("torn"), checkpoint(dir, "step-7"))
	must.Write(t, []byte("torn"), checkpoint(dir, "step-99"))
	mustTrain(t, o)
	wantFiles(t, dir, "config.yaml", "metrics.jsonl", "checkpoints/step-7.safetensors", "checkpoints/step-8.safetensors",
		"checkpoints/step-12.safetensors", "checkpoints/step-99.safetensors")
}
