package train

import "github.com/acqnp/acqnp/internal/engine"

// Adam is the optimiser.
type Adam[T engine.Float] = engine.Adam[T]

// NewAdam starts with zero moments for n parameters.
func NewAdam[T engine.Float](n int, weightDecay float64) *Adam[T] {
	return engine.NewAdam[T](n, weightDecay)
}
