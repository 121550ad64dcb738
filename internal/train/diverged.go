package train

import (
	"errors"
	"fmt"

	"github.com/acqnp/acqnp/internal/engine"
)

// NonFiniteError is the error of a run that met a NaN or an infinity. The run ends at this step and does
// not save it.
type NonFiniteError struct {
	Step       int    // the step that failed, counted from 1 as in metrics.jsonl
	Seed       uint64 // train.seed
	Quantity   string // "loss", "gradient", "weight", an Adam moment, "m" or "v", or "valid_ll"
	Tensor     string // "loss", or the first tensor that holds the value
	Value      float32
	Checkpoint string // path of the newest checkpoint; "" if none was written before this step
}

func (e *NonFiniteError) Error() string {
	what := "the loss"
	switch e.Quantity {
	case "m", "v":
		what = fmt.Sprintf("Adam's moment %s of %s", e.Quantity, e.Tensor)
	case "valid_ll":
		what = "the log-likelihood of the validation"
	case "gradient", "weight":
		what = fmt.Sprintf("the %s of %s", e.Quantity, e.Tensor)
	}
	last := "no checkpoint was written before it"
	if e.Checkpoint != "" {
		last = "the last checkpoint before it is " + e.Checkpoint
	}
	return fmt.Sprintf("training diverged at step %d (batch %d of seed %d): %s is %v; %s; a lower train.learning_rate may help",
		e.Step, e.Step-1, e.Seed, what, e.Value, last)
}

// named adds the step and the newest checkpoint to an engine's *NonFiniteError. It returns other
// errors unchanged.
func (l *loop) named(err error) error {
	if err == nil {
		return nil
	}
	var bad *engine.NonFiniteError
	if !errors.As(err, &bad) {
		return err
	}
	return &NonFiniteError{Step: bad.Batch + 1, Seed: l.schedule.Seed, Quantity: bad.Quantity, Tensor: bad.Tensor,
		Value: bad.Value, Checkpoint: l.checkpoint}
}
