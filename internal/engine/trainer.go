package engine

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/ops"
)

// Trainer makes optimiser steps where it computes: forward, backward and Adam. It is not safe for concurrent use.
type Trainer interface {
	// Input is the buffer of a named input of the coming Step, sized for capacity; the caller fills its leading rows,
	// packed at the step's extents: [rows(space), width]. It is to be asked for before every step, since buffers may
	// alternate. It is nil where the graph has no such input or the trainer makes it itself, as levels "u" may be.
	Input(name string) []float32
	// Step makes the optimiser step of a batch, counted from 0, at a learning rate. It may return before the work is
	// done, and then an error of an earlier step. Extents beyond the capacity are an error.
	Step(e ops.Extents, batch int, rate float64) error
	// Loss is the cost of the last step's batch, before its update. It waits for all steps, and is a *NonFiniteError
	// if one of them found a NaN or an infinity.
	Loss() (float32, error)
	// State is what another Trainer needs to go on. It waits for all steps, and is a *NonFiniteError if one of them
	// found a NaN or an infinity: a State without error is finite. Its slices are valid until the next Step or Load.
	State() (State, error)
	// Load takes up a state, whose slices it copies. Moments left nil are zero.
	Load(State) error
	// Close releases what the trainer holds (goroutines, memory). It is safe to call twice.
	Close() error
}

// State is what an optimiser keeps between steps.
type State struct {
	Params  []float32 // in the layout of ops.Graph.Tensors
	M, V    []float32 // Adam's moments, same layout
	Updates int       // that Adam has made; steps that LossScale had to skip are not among them
	LossScale
}

// LossScale keeps small gradients of half precision above its underflow. A step that overflows is skipped and lowers
// the scale; Good steps without overflow raise it again. Scale is 0 where there is none yet: the trainer then starts
// with its own, if it needs one.
type LossScale struct {
	Scale float32
	Good  int // steps since the scale was changed
}

// NonFiniteError says which number of a step is NaN or infinite. No later step is applied, and neither is this one if its
// loss or gradient is not finite.
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
