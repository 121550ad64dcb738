package train

import "slices"

// averagedSteps is about how many steps the average of the weights reaches back.
const averagedSteps = 100

// averageEvery returns the number of steps between updates of the average. Each has to wait for a
// GPU, so there are few.
func (l *loop) averageEvery() int { return min(averagedSteps/10, l.schedule.ValidateEvery) }

// updateAverage adds the weights of the current step to their exponential average, if the run has
// validation. The first average is the mean of all weights so far. Validation of an average varies
// less from step to step than that of the weights, so its best is less a matter of chance.
func (l *loop) updateAverage() error {
	if l.validator == nil || l.step%l.averageEvery() != 0 {
		return nil
	}
	state, err := l.trainer.State()
	if err != nil {
		return l.named(err)
	}
	if l.average == nil {
		l.average = slices.Clone(state.Params)
		return nil
	}
	every := l.averageEvery()
	updates := float64(l.step / every)
	keep := float32(min(1-float64(every)/averagedSteps, (updates-1)/updates))
	for i, w := range state.Params {
		l.average[i] = keep*l.average[i] + (1-keep)*w
	}
	return nil
}
