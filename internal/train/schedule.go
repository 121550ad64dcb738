package train

import (
	"math"

	"github.com/acqnp/acqnp/internal/config"
)

// LearningRate returns the learning rate of a step, counted from 0. The constant schedule keeps
// learning_rate. The cosine schedule lowers it to zero over T = t.Steps steps: at step i it is
// learning_rate·(1+cos(πi/T))/2. The plateau schedule keeps it, and then lowers it in equal steps
// to zero, over a tenth of the steps before. It begins to fall after step out, at which the
// patience ran out and training went back to the best weights; if out is 0, as late as the steps
// allow.
func LearningRate(t config.Train, out, step int) float64 {
	switch t.Schedule {
	case config.Cosine:
		return t.LearningRate * (1 + math.Cos(math.Pi*float64(step)/float64(t.Steps))) / 2
	case config.Plateau:
		if from, to := fall(t, out); step >= from {
			return t.LearningRate * float64(to-step) / float64(to-from)
		}
	}
	return t.LearningRate
}

// fall returns the steps, counted from 0, from which and up to which the plateau schedule lowers
// the learning rate.
func fall(t config.Train, out int) (from, to int) {
	if out > 0 {
		return out, min(out+max(1, out/10), t.Steps)
	}
	return t.Steps - t.Steps/11, t.Steps
}

// lastStep returns the step after which training ends. out is the step at which the patience ran
// out, or 0.
func lastStep(t config.Train, out int) int {
	switch {
	case out == 0:
		return t.Steps
	case t.Schedule == config.Plateau:
		_, to := fall(t, out)
		return to
	}
	return out
}
