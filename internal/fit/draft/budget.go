package draft

import "math"

// Trainings are planned by counted operations, so that plans are the same everywhere.
const (
	rate     = 80e9 // floating-point operations a second of a core in training
	overhead = 3e6  // of a step besides its operations, counted as operations
	together = 1.6  // speed of a training on two cores, in units of one core's
	most     = 150  // seconds of two ordinary cores that a training takes at most

	leastSteps = 20 // of a training, and between its validations
)

// A budget holds the operations of a training step and of a validation.
type budget struct{ step, validation float64 }

// validateEvery returns the number of steps between validations. They then cost at most a fifth of the
// training.
func (b budget) validateEvery() int {
	every := 5 * b.validation / (b.step + overhead)
	return max(leastSteps, leastSteps/2*int(math.Ceil(every/(leastSteps/2))))
}

// longest returns the largest number of steps of a training.
func (b budget) longest() int {
	each := b.step + overhead + (b.validation+overhead)/float64(b.validateEvery())
	return min(max(leastSteps, rounded(most*rate*together/each)), 100_000)
}

// rounded returns v, rounded down to two digits.
func rounded(v float64) int {
	if !(v > 100) {
		return max(int(v), 1)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return int(math.Floor(v/unit) * unit)
}
