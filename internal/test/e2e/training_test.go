package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/test/must"
)

// realData returns the directory of the real data, which are not part of the repository.
func realData(t *testing.T, benchmark string) string {
	t.Helper()
	shared := os.Getenv("ACQNP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "data")
	if _, err := os.Stat(filepath.Join(dir, benchmark)); err != nil {
		t.Skipf("the real data of %s are not there: %v", benchmark, err)
	}
	return dir
}

// The five models learn something from real data within seconds, each from one of two data sets unless
// allVariable is set. The test reads the figures for
// held-out data that train reports before and after.
func TestTrainingOnRealDataRaisesTheLogLikelihood(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	for i, b := range []string{"speed-flow", "freyface"} {
		t.Run(b, func(t *testing.T) {
			data := realData(t, b)
			for j, m := range catalogue.Models {
				if !taken(i, j, 2) {
					continue
				}
				t.Run(m, func(t *testing.T) {
					before, after := learn(t, b, m, data)
					t.Logf("target log-likelihood %.3f → %.3f", before, after)
					// y is scaled to an interval of length 1. A uniform density on it has
					// log-likelihood 0.
					if !(after > 0) || !(after-before > 0.5) {
						t.Errorf("target log-likelihood %.3f → %.3f, want a rise of 0.5 to above 0", before, after)
					}
				})
			}
		})
	}
}

// learn trains for a few seconds. It returns the target log-likelihoods of the untrained and of the
// trained model.
func learn(t *testing.T, benchmark, model, data string) (before, after float64) {
	values := []string{"train.steps=60", "train.learning_rate=2e-3", "train.schedule=constant"}
	if quantile(model) {
		values = append(values, "train.num_tau=5", "eval.num_tau=10")
	}
	if model == "bnp" {
		values = append(values, "model.eval_bootstraps=6")
	}
	if benchmark == "freyface" {
		values = append(values, "train.batch_size=2", "eval.batch_size=8", "eval.batches=1")
	} else if model == "canp" { // the work of attention grows with the context
		values = append(values, "data.context=[50,100]")
	}
	switch model {
	case "canp": // takes longest, and learns in fewer steps
		values = append(values, "train.steps=30", "eval.batch_size=2")
	case "cqnp": // starts lowest, and is cheap
		values = append(values, "train.steps=120")
	}
	args := []string{"train", "--config", configFile(benchmark, model), "--data-dir", data, "--run-dir", filepath.Join(t.TempDir(), "run"),
		"--quiet", "--json"}
	var s struct {
		Evaluation struct {
			Before, After struct {
				Target struct{ Mean float64 } `json:"target_ll"`
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(succeed(t, append(args, set(values...)...)...)), &s))
	return s.Evaluation.Before.Target.Mean, s.Evaluation.After.Target.Mean
}
