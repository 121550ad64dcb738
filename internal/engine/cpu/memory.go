package cpu

import (
	"runtime"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// memory makes the buffers of a program. A memory that only counts adds up their sizes and makes
// nothing: its slices and matrices are nil.
type memory struct {
	counting bool
	bytes    float64 // of all buffers so far; a float64 does not overflow
	worker   float64 // of these, the last worker's
}

// floats makes n float32.
func (m *memory) floats(n int) []float32 {
	m.bytes += 4 * float64(n)
	if m.counting {
		return nil
	}
	return make([]float32, n)
}

// packed makes a matrix [k, n].
func (m *memory) packed(k, n int) *simd.Packed {
	m.bytes += 4 * float64(simd.PackedSize(k, n))
	if m.counting {
		return nil
	}
	return simd.NewPacked(k, n)
}

// part is v[from:from+n], nil where v was only counted.
func part(v []float32, from, n int) []float32 {
	if v == nil {
		return nil
	}
	return v[from : from+n]
}

// Bytes returns how much memory New takes for a graph and so many threads, 0 for all cores. It
// allocates none of it.
func Bytes(g *ops.Graph, threads int) (float64, error) {
	a, err := plan.Analyse(g)
	if err != nil {
		return 0, err
	}
	m := &memory{counting: true}
	if err := emptyProgram(g).compile(a, 1, m); err != nil {
		return 0, err
	}
	return m.bytes + m.worker*float64(cores(threads)-1), nil
}

// cores is the number of threads that are asked for, 0 for all.
func cores(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}
