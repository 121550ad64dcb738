package cpu

import (
	"runtime"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// memory allocates the buffers of a program and counts their bytes. If counting is set it allocates
// nothing and returns nil.
type memory struct {
	counting bool
	bytes    float64 // of all buffers so far; a float64 does not overflow
	worker   float64 // bytes of the last worker
}

// allocate counts n float32 and creates them, unless memory is only counted.
func allocate[T any](m *memory, n int, create func() T) (made T) {
	m.bytes += 4 * float64(n)
	if m.counting {
		return made
	}
	return create()
}

// floats allocates n float32.
func (m *memory) floats(n int) []float32 {
	return allocate(m, n, func() []float32 { return make([]float32, n) })
}

// packed allocates a matrix [k, n].
func (m *memory) packed(k, n int) *simd.Packed {
	return allocate(m, simd.PackedSize(k, n), func() *simd.Packed { return simd.NewPacked(k, n) })
}

// packedHalves allocates a matrix [k, n] of bfloat16 numbers.
func (m *memory) packedHalves(k, n int) *simd.PackedHalves {
	return allocate(m, simd.PackedHalvesSize(k, n), func() *simd.PackedHalves { return simd.NewPackedHalves(k, n) })
}

// part returns v[from:from+n], or nil if v was only counted.
func part(v []float32, from, n int) []float32 {
	if v == nil {
		return nil
	}
	return v[from : from+n]
}

// Bytes returns the number of bytes that New, or NewBF16 if bf16 is set, allocates for a graph. It allocates none of them.
// threads 0 means all cores.
func Bytes(g *ops.Graph, threads int, bf16 bool) (float64, error) {
	a, err := analysis.Analyse(g)
	if err != nil {
		return 0, err
	}
	m, p := &memory{counting: true}, emptyProgram(g)
	p.bf16 = bf16
	if err := p.compile(a, 1, m); err != nil {
		return 0, err
	}
	return m.bytes + m.worker*float64(cores(threads)-1), nil
}

// cores returns threads, or the number of cores if threads is 0.
func cores(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}
