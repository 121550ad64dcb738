package prior_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/models/prior"
)

// TestFiles checks that the weights were made from the shipped configuration, and that prior.json says
// how good they are.
func TestFiles(t *testing.T) {
	mine, err := os.ReadFile("config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile("../../../configs/prior/acqnp.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(mine, shipped) {
		t.Error("config.yaml is not configs/prior/acqnp.yaml: make prior")
	}
	info, err := os.Stat("weights.safetensors")
	if err != nil || info.Size() >= 2_000_000 {
		t.Errorf("weights of %d bytes, want less than 2 MB: %v", info.Size(), err)
	}
	text, err := os.ReadFile("prior.json")
	if err != nil {
		t.Fatal(err)
	}
	e, err := prior.Experiment()
	if err != nil {
		t.Fatal(err)
	}
	var about struct {
		Seed     *uint64                          `json:"train_seed"`
		Steps    int                              `json:"steps"`
		Seconds  float64                          `json:"train_seconds"`
		TargetLL struct{ Mean, StdError float64 } `json:"target_ll"`
	}
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	// −1.42 is the log-likelihood of a standard normal, which knows nothing but the standardisation.
	if about.Seed == nil || *about.Seed != e.Train.Seed || about.Steps < 1 || !(about.Seconds > 0) ||
		!(about.TargetLL.Mean > -0.5*math.Log(2*math.Pi*math.E)) {
		t.Errorf("found %s", text)
	}
}

func TestOpen(t *testing.T) {
	r, err := prior.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(r.Names()) < 10 {
		t.Errorf("tensors %v", r.Names())
	}
}
