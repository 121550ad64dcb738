package train_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/train"
)

// A resumed run removes the temporary files of a killed training anywhere in the directory, but not
// those that an evaluation may be writing.
func TestResumeClearsHalfWrittenFiles(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, train.Options{Experiment: experiment(t, steps(2)), Dir: dir})
	stray := []string{".tmp-config.yaml-1", ".tmp-metrics.jsonl-2", filepath.Join("checkpoints", ".tmp-step-1.safetensors-3")}
	const evaluation = ".tmp-eval.json-4"
	for _, name := range append(stray, evaluation) {
		writeFile(t, filepath.Join(dir, name), []byte("half"))
	}
	mustTrain(t, train.Options{Experiment: experiment(t, steps(4)), Dir: dir, Resume: true})
	for _, name := range stray {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, evaluation)); err != nil {
		t.Error(err)
	}
}
