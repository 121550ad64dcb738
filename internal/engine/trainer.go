package engine

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/ops"
)

// Trainer makes optimiser steps on its device: forward, backward and Adam. It is not safe for
// concurrent use.
type Trainer interface {
	// Input returns the buffer of a named input of the coming Step, which has room for the
	// capacity. The caller fills its leading [rows(space), width] at the step's extents. Call it
	// before every step, since buffers may alternate. It returns nil if the graph has no such input
	// or the trainer draws it itself, as it may the levels "u".
	Input(name string) []float32
	// Step makes the optimiser step of a batch, counted from 0, at a learning rate. It may return
	// before the work is done; its error may then be an earlier step's. Extents beyond the capacity
	// are an error.
	Step(e ops.Extents, batch int, rate float64) error
	// Loss waits for all steps and returns the cost of the last one's batch, before its update. The
	// error is a *NonFiniteError if a step found a NaN or an infinity.
	Loss() (float32, error)
	// State waits for all steps and returns what another Trainer needs to go on. The error is a
	// *NonFiniteError if a step found a NaN or an infinity: a State without error is finite. Its
	// slices are valid until the next Step or Load.
	State() (State, error)
	// Load goes on from a state, whose slices it copies. Moments that are nil are zero.
	Load(State) error
	// Close releases what the trainer holds (goroutines, memory). It is safe to call twice.
	Close() error
}

// State is what an optimiser keeps between steps.
type State struct {
	Params  []float32 // in the layout of ops.Graph.Tensors
	M, V    []float32 // Adam's moments, same layout
	Updates int       // that Adam has made, not counting steps that LossScale skipped
	LossScale
}

// LossScale is the factor of the loss that keeps small gradients in half precision from underflow.
// A step that overflows is skipped and lowers the scale; enough good steps raise it again. Scale 0
// stands for none yet: the trainer starts with its own, if it needs one.
type LossScale struct {
	Scale float32
	Good  int // steps since the scale was changed
}

// NonFiniteError says which number of a step is NaN or infinite. No later step is applied, and
// neither is this one if its loss or gradient is not finite.
type NonFiniteError struct {
	Batch    int    // of the step, counted from 0
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
