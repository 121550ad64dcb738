package cli_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// ownConfig returns tinyConfig on the file that data example writes.
const ownConfig = `benchmark: csv
model: {name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}
data: {file: prices.csv, group: product, x: [age], y: [price], points: [20, 40], context: [3, 19]}
train: {steps: 80, batch_size: 8, num_tau: 4, log_every: 40, checkpoint_every: 40, learning_rate: 1e-2}
eval: {num_tau: 5, batch_size: 1}
`

// Log-likelihoods in the units of a user's file: the standard deviation of prices is somewhat more than 100,
// so they are lower by log 100 to log 300.
func TestLogLikelihoodsInRawUnits(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	succeed(t, "data", "example", "--out", "prices.csv", "--quiet")
	succeed(t, "train", "--config", must.Write(t, ownConfig, dir, "own.yaml"), "--run-dir", "run", "--quiet")
	var s struct {
		Raw struct {
			Target struct{ Mean float64 } `json:"target_ll"`
		}
		Target struct{ Mean float64 } `json:"target_ll"`
	}
	must.Do(t, json.Unmarshal([]byte(read(t, "run/eval.json")), &s))
	if shift := s.Raw.Target.Mean - s.Target.Mean; shift > -math.Log(100) || shift < -math.Log(300) {
		t.Errorf("raw log-likelihoods are the model's %+v", shift)
	}
}
