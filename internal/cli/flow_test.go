package cli_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

func TestTrainingRaisesTheLogLikelihood(t *testing.T) {
	dir := t.TempDir()
	config := must.Write(t, tinyConfig, dir, "tiny.yaml")
	o := succeed(t, "train", "--config", config, "--run-dir", filepath.Join(dir, "run"), "--set", "train.steps=300",
		"--quiet", "--json")
	var s struct {
		Evaluation struct {
			Batches       int
			Before, After struct {
				Context struct{ Mean float64 } `json:"context_ll"`
				Target  struct{ Mean float64 } `json:"target_ll"`
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(o.out), &s))
	before, after := s.Evaluation.Before, s.Evaluation.After
	// In 300 steps at a high rate, even a model that learns only the spread of y gains several
	// tenths.
	if gain := after.Target.Mean - before.Target.Mean; !(gain > 0.1) {
		t.Errorf("target log-likelihood %g → %g", before.Target.Mean, after.Target.Mean)
	}
	if gain := after.Context.Mean - before.Context.Mean; !(gain > 0.1) {
		t.Errorf("context log-likelihood %g → %g", before.Context.Mean, after.Context.Mean)
	}
}

func TestTrainFromWeights(t *testing.T) {
	s, run := share(t), filepath.Join(t.TempDir(), "run")
	o := succeed(t, "train", "--config", s.config, "--weights", s.weights, "--run-dir", run, "--set", "train.steps=1",
		"--set", "train.learning_rate=1e-9", "--set", "train.weight_decay=0", "--quiet", "--json")
	var summary struct {
		Evaluation struct {
			Before, After struct {
				Target struct{ Mean float64 } `json:"target_ll"`
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(o.out), &summary))
	// One step at a tiny rate keeps the log-likelihood of the imported weights, to float32
	// rounding.
	if e := summary.Evaluation; math.Abs(e.Before.Target.Mean-e.After.Target.Mean) > 1e-4 {
		t.Errorf("%+v", e)
	}
}

// read returns the content of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	return string(content)
}
