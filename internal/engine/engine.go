// Package engine defines how a compiled graph is run, whatever runs it. Its subpackages are the implementations:
// reference (Gorgonia's TapeMachine, the truth in tests), cpu (tiles of rows on all cores) and cuda (a captured graph of
// kernel launches on a GPU).
package engine

import "github.com/acqnp/acqnp/internal/ops"

// Float is the precision of a program.
type Float interface{ ~float32 | ~float64 }

// Program is a graph made ready to run at any extents within its capacity. It is not safe for concurrent use.
type Program[T Float] interface {
	// Params is the flat parameter vector, in the layout of ops.Graph.Tensors. The caller may read and write it
	// between runs.
	Params() []T
	// Grads is the gradient of the cost by Params after a Run, same layout; nil for a program without gradients.
	Grads() []T
	// Input is the buffer of a named input, sized for capacity; the caller fills its leading rows, packed at the
	// extents of the coming Run: [rows(space), width].
	Input(name string) []T
	// Run evaluates the graph at the extents. It returns an error where they exceed the capacity.
	Run(e ops.Extents) error
	// Output is a named output of the last Run, packed at its extents: [rows(space), width]. The slice is valid until
	// the next Run.
	Output(name string) []T
	// Close releases what the program holds (goroutines, memory). It is safe to call twice.
	Close() error
}
