package engine

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// Trainer makes optimiser steps on its device: forward, backward and Adam. It is not safe for
// concurrent use.
type Trainer interface {
	// Input returns the buffer of a named input of the coming Step, [rows(space), width] at
	// capacity. The caller fills the leading rows that the step's extents need. Call it before
	// every step, since buffers may alternate. It returns nil if the graph has no such input, or if
	// the trainer draws the input itself, as it may do with the levels "u".
	Input(name string) []float32
	// Step makes the optimiser step of a batch, counted from 0, with a learning rate. It may return
	// before the work is done, and its error may come from an earlier step. Extents beyond the
	// capacity are an error.
	Step(e ops.Extents, batch int, rate float64) error
	// Loss waits for all steps and returns the cost of the last one's batch, before its update. The
	// error is a *NonFiniteError if a step found a NaN or an infinity.
	Loss() (float32, error)
	// State waits for all steps and returns what another Trainer needs to go on. The error is a
	// *NonFiniteError if a step found a NaN or an infinity. A State without an error is finite. Its
	// slices are valid until the next Step or Load.
	State() (State, error)
	// Load copies a state. The next Step goes on from it. Moments that are nil count as zeros.
	Load(State) error
	// Close releases what the trainer holds (goroutines, memory). It is safe to call twice.
	Close() error
}

// State is what an optimiser keeps between steps.
type State struct {
	Params  []float32 // in the layout of ops.Graph.Tensors
	M, V    []float32 // Adam's moments, same layout
	Updates int       // Adam's updates, without the steps that LossScale skipped
	LossScale
}

// LossScale is the factor by which the loss is multiplied, so that small gradients do not underflow
// in half precision. A step that overflows is skipped and lowers the scale; enough good steps raise
// it again. Scale 0 means that no trainer has set it yet; a trainer that needs a scale then starts
// with its default.
type LossScale struct {
	Scale float32
	Good  int // steps since the scale was changed
}

// NonFiniteError names a number of a step that is a NaN or an infinity. The trainer applies no
// later step. It does not apply this one either if its loss or gradient is not finite.
type NonFiniteError struct {
	Batch    int    // the step's batch, counted from 0
	Quantity string // "loss", "gradient", or what the update made: Adam's moments "m" and "v", "weight"
	Tensor   string // "loss", or the first tensor that holds such a value
	Value    float32
}

func (e *NonFiniteError) Error() string {
	what := "the " + e.Quantity
	if e.Quantity != "loss" {
		what += " of " + e.Tensor
	}
	return fmt.Sprintf("batch %d: %s is %v", e.Batch, what, e.Value)
}
