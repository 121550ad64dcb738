package train

import (
	"math"

	"github.com/acqnp/acqnp/internal/config"
)

// LearningRate returns the rate of step i, counted from 0. The constant schedule keeps
// learning_rate. The cosine schedule lowers it to zero over all T = t.Steps steps:
// learning_rate·(1+cos(πi/T))/2.
func LearningRate(t config.Train, step int) float64 {
	if t.Schedule == "cosine" {
		return t.LearningRate * (1 + math.Cos(math.Pi*float64(step)/float64(t.Steps))) / 2
	}
	return t.LearningRate
}
