// Package engine defines what runs a graph. A Program evaluates the graph, and the gradient of the
// cost if the graph has one. A Trainer makes optimiser steps. Both are compiled once, at the graph's
// capacity, and run at any extents within it.
//
// The implementations: reference (Gorgonia's TapeMachine and plain kernels, which the others are
// tested against), cpu (tiles of rows on all cores) and cuda (a captured graph of kernel launches
// on a GPU). Package analysis analyses a graph for the last two.
package engine

import "github.com/acqnp/acqnp/internal/models/ops"

// Float is the element type of a program.
type Float interface{ ~float32 | ~float64 }

// Program is a compiled graph. It is not safe for concurrent use.
type Program[T Float] interface {
	// Params returns the flat parameter vector, in the layout of ops.Graph.Tensors. The caller may
	// read and write it between runs, and calls Params again before it writes after a run, so that an
	// engine copies parameters to its device only when they may have changed.
	Params() []T
	// Grads returns the gradient of the cost with respect to Params after a Run, in the same
	// layout; nil for a graph without gradients.
	Grads() []T
	// Input returns the buffer of a named input, [rows(space), width] at capacity. Before a Run the
	// caller fills the leading rows that the run's extents need. It returns nil if the graph has no
	// such input.
	Input(name string) []T
	// Run evaluates the graph at the extents. Extents beyond the capacity are an error.
	Run(e ops.Extents) error
	// Output returns a named output of the last Run, [rows(space), width] at its extents; nil if
	// the graph has no such output. The slice is valid until the next Run.
	Output(name string) []T
	// Close releases what the program holds (goroutines, memory). It is safe to call twice.
	Close() error
}
