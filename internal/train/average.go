package train

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config"
)

// validAverage is about the number of steps over which a run with validation averages the weights.
const validAverage = 100

// An average is an exponential average of the weights.
type average struct {
	steps int       // that it reaches back, about; 0: there is none
	every int       // steps between its updates; each has to wait for a GPU, so there are few
	of    []float32 // the average [NumParams]; nil before the first update
}

// newAverage returns the average of a run, without an update.
func newAverage(t config.Train) average {
	if t.ValidateEvery > 0 {
		return average{steps: validAverage, every: min(validAverage/10, t.ValidateEvery)}
	}
	return average{steps: t.EMA, every: max(1, t.EMA/10)}
}

// updateAverage adds the weights of the current step to their average, if the run has one. The first
// average is the mean of all weights so far. An average varies less from step to step than the weights.
// It predicts better, and which of its validations is the best depends less on chance.
func (l *loop) updateAverage() error {
	a := &l.average
	if a.steps == 0 || l.step%a.every != 0 {
		return nil
	}
	state, err := l.trainer.State()
	if err != nil {
		return l.named(err)
	}
	if a.of == nil {
		a.of = slices.Clone(state.Params)
		return nil
	}
	updates := float64(l.step / a.every)
	keep := float32(min(1-float64(a.every)/float64(a.steps), (updates-1)/updates))
	for i, w := range state.Params {
		a.of[i] = keep*a.of[i] + (1-keep)*w
	}
	return nil
}
