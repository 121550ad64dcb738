package train_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// engine/testdata/adam.py wrote the recording with PyTorch.
func TestCosineFollowsPyTorch(t *testing.T) {
	raw := must.Get(os.ReadFile("../engine/testdata/adam.json"))(t)
	var r struct {
		Cosine struct {
			LR    float64   `json:"lr"`
			Steps int       `json:"steps"`
			Rates []float64 `json:"rates"`
		} `json:"cosine"`
	}
	must.Do(t, json.Unmarshal(raw, &r))
	c := r.Cosine
	s := config.Train{Schedule: "cosine", LearningRate: c.LR, Steps: c.Steps}
	for i, want := range c.Rates {
		// PyTorch multiplies ratio by ratio from step to step: its own error grows to some 1e-15 of
		// the first rate.
		if got := train.LearningRate(s, 0, i); math.Abs(got-want) > 1e-13*c.LR {
			t.Errorf("step %d: %v, PyTorch has %v", i, got, want)
		}
	}
	if got := train.LearningRate(s, 0, c.Steps/2); math.Abs(got-c.LR/2) > 1e-16 {
		t.Errorf("half-way: %v, want half of %v", got, c.LR)
	}
}
