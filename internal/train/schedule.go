package train

import (
	"math"

	"github.com/acqnp/acqnp/internal/config"
)

// LearningRate is the rate of a step, counted from 0. The constant schedule keeps learning_rate; the cosine one anneals
// it to zero over T = t.Steps, all of training: lr·(1+cos(πi/T))/2.
func LearningRate(t config.Train, step int) float64 {
	if t.Schedule == "cosine" {
		return t.LearningRate * (1 + math.Cos(math.Pi*float64(step)/float64(t.Steps))) / 2
	}
	return t.LearningRate
}
