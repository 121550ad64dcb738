package train

import (
	"math"

	"github.com/acqnp/acqnp/internal/engine"
)

// lastLoss caches the loss of the last step. It asks the trainer, which may have to wait for a GPU,
// only when get is called.
type lastLoss struct {
	trainer engine.Trainer // nil once the trainer is closed
	known   bool           // whether value is the last step's
	value   float64        // NaN before the first step and after an error
	err     error          // of the trainer
	ask     func() float64 // get, made once so that steps do not allocate
}

// get returns the loss of the last step and keeps the trainer's error in err.
func (l *lastLoss) get() float64 {
	if l.known || l.trainer == nil {
		return l.value
	}
	l.known = true
	v, err := l.trainer.Loss()
	l.err, l.value = err, float64(v)
	if err != nil {
		l.value = math.NaN()
	}
	return l.value
}
