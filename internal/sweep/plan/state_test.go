package plan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/test/must"
)

const inEpochs = "benchmark: freyface\nmodel: {name: cnp}\ntrain: {epochs: %d}\n"

// save writes what a resume and a look at the state read of a checkpoint.
func save(t *testing.T, dir string, step, epochs int) {
	t.Helper()
	path := filepath.Join(dir, "checkpoints", fmt.Sprintf("step-%d.safetensors", step))
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	f := must.Get(os.Create(path))(t)
	column := `[{"name":"a","offset":0,"scale":1}]`
	must.Do(t, safetensors.Write(f, map[string]string{"format": "acqnp.checkpoint/1", "step": fmt.Sprint(step), "elapsed_s": "1",
		"units": `{"x":` + column + `,"y":` + column + `}`, "config": fmt.Sprintf(inEpochs, epochs)}, nil), f.Close())
}

// A run of 2 epochs is not done under a plan of 3, and is refused under a plan of 1.
func TestAnotherNumberOfEpochs(t *testing.T) {
	folder(t, "configs: configs/images.yaml\nruns: out")
	state := func(epochs int) (run.State, error) {
		must.Write(t, fmt.Sprintf(inEpochs, epochs), "configs/images.yaml")
		return must.Get(plan.Load("plan.yaml", nil))(t).Runs[0].State(false, run.StateOf)
	}
	dir := "out/images/seed-0"
	save(t, dir, 4, 2)
	must.Write(t, fmt.Sprintf(inEpochs, 2), dir+"/config.yaml")
	must.Write(t, `{"step":4,"loss":1,"learning_rate":1,"rows_per_s":1,"elapsed_s":1,"ended":"steps"}`+"\n", dir+"/metrics.jsonl")
	for epochs, want := range map[int]run.Phase{2: run.Done, 3: run.Stopped} {
		if s, err := state(epochs); err != nil || s.Phase != want {
			t.Errorf("%d epochs: %+v, %v, want %s", epochs, s, err, want)
		}
	}
	_, err := state(1)
	must.Refuse(t, err, "train.epochs: found a run of 2 epochs, expected 1, as in the plan")

	save(t, dir, 5, 3) // of the third epoch, before the log's next line
	if s, err := state(3); err != nil || s.Phase != run.Stopped {
		t.Errorf("in the third epoch: %+v, %v", s, err)
	}
}
