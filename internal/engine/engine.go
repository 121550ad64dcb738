// Package engine defines what can run a graph. A Program evaluates it, with gradients by the
// parameters if the graph has them; a Trainer makes optimiser steps. Both are compiled once, at the
// graph's capacity, and run at any extents within it.
//
// The implementations: reference (Gorgonia's TapeMachine and plain kernels, which the others are
// tested against), cpu (tiles of rows on all cores) and cuda (a captured graph of kernel launches
// on a GPU). Package plan takes a graph apart for the last two.
package engine

import "github.com/acqnp/acqnp/internal/ops"

// Float is the precision of a program.
type Float interface{ ~float32 | ~float64 }

// Program is a compiled graph. It is not safe for concurrent use.
type Program[T Float] interface {
	// Params returns the flat parameter vector, in the layout of ops.Graph.Tensors. The caller may
	// read and write it between runs.
	Params() []T
	// Grads returns the gradient of the cost by Params after a Run, in the same layout; nil for a
	// graph without gradients.
	Grads() []T
	// Input returns the buffer of a named input, which has room for the capacity. The caller fills
	// its leading [rows(space), width] at the extents of the coming Run.
	Input(name string) []T
	// Run evaluates the graph at the extents. Extents beyond the capacity are an error.
	Run(e ops.Extents) error
	// Output returns a named output of the last Run, [rows(space), width] at its extents. The slice
	// is valid until the next Run.
	Output(name string) []T
	// Close releases what the program holds (goroutines, memory). It is safe to call twice.
	Close() error
}
