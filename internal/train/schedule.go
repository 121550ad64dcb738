package train

import (
	"math"

	"github.com/acqnp/acqnp/internal/config"
)

// LearningRate returns the learning rate of a step, counted from 0. The constant schedule keeps
// learning_rate. The cosine schedule lowers it to zero over T = t.Steps steps: at step i it is
// learning_rate·(1+cos(πi/T))/2.
func LearningRate(t config.Train, step int) float64 {
	if t.Schedule == "cosine" {
		return t.LearningRate * (1 + math.Cos(math.Pi*float64(step)/float64(t.Steps))) / 2
	}
	return t.LearningRate
}
