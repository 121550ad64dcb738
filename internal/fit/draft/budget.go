package draft

import (
	"math"

	"github.com/acqnp/acqnp/internal/train"
)

// Trials and trainings are planned by counted operations, so that plans are the same everywhere.
const (
	rate     = 80e9 // floating-point operations a second of a core in training
	overhead = 3e6  // of a step besides its operations, counted as operations
	workers  = 2    // cores that a budget counts
	together = 1.6  // speed of a training on two cores, in units of one core's
	stages   = 0.6  // share of the budget for the stages of a search
	longer   = 4    // factor of the steps of a longer trial; the rest of the budget pays for it
)

const (
	patience  = 30   // validations without a better one, in trials and in training
	mostSteps = 8000 // of a trial
	trainingS = 150  // seconds of two ordinary cores that a training takes at most
)

// leastSteps is the least number of steps of a trial and between its validations. Tests lower it.
var leastSteps = 20

// A budget holds the operations of a training step and of a validation.
type budget struct{ step, validation float64 }

// budgetOf counts the operations of a training with validation.
func budgetOf(o train.Options) (b budget, err error) {
	b.step, b.validation, err = train.Cost(o)
	return b, err
}

// validateEvery returns the number of steps between validations. They then cost at most a fifth of the
// training.
func (b budget) validateEvery() int {
	every := 5 * b.validation / (b.step + overhead)
	unit := leastSteps / 2
	return max(leastSteps, unit*int(math.Ceil(every/float64(unit))))
}

// each returns the operations of a step with its share of a validation.
func (b budget) each() float64 {
	return b.step + overhead + (b.validation+overhead)/float64(b.validateEvery())
}

// longest returns the largest number of steps of a training.
func (b budget) longest() int {
	return min(max(leastSteps, rounded(trainingS*rate*together/b.each())), 100_000)
}

// rounded returns v, rounded down to two digits.
func rounded(v float64) int {
	if !(v > 100) {
		return max(int(v), 1)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return int(math.Floor(v/unit) * unit)
}
