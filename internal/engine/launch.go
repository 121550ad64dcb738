package engine

import (
	"time"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// LaunchTime is how long a kernel launch of a training step takes.
type LaunchTime struct {
	Kernel string
	Blocks int
	Median time.Duration
	Least  time.Duration
	Early  bool // in a step it may start before the launch before it has ended
}

// LaunchTimer is a Trainer on a GPU. TimeLaunches makes a step with the inputs of the coming one,
// `times` times over, and waits after each launch. It returns the launches in the order of the step.
type LaunchTimer interface {
	TimeLaunches(e ops.Extents, batch int, rate float64, times int) ([]LaunchTime, error)
}
