package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/gpu"
)

// region is a stretch of the device's memory, or nothing. Launches name regions, which get their addresses once all of
// them are known.
type region struct {
	buffer *plan.Buffer
	offset int // in float32, within the buffer
}

// plus is the region n numbers further on.
func (r region) plus(n int) region { return region{r.buffer, r.offset + n} }

// place is the region's distance from the start of all memory, in float32.
func (r region) place() int { return r.buffer.Offset + r.offset }

// everything is the start of all memory.
var everything = region{buffer: &plan.Buffer{}}

// memory plans one allocation: what lives all the time, and what lives from one item of the order to another.
type memory struct {
	buffers []*plan.Buffer
	last    int // item
	base    gpu.Ptr
}

// reserve keeps n numbers from one item to another, both included.
func (m *memory) reserve(n, from, to int) region {
	b := &plan.Buffer{Size: plan.Align(max(n, 1)), From: from, To: to}
	m.buffers = append(m.buffers, b)
	return region{buffer: b}
}

// keep keeps n numbers all the time.
func (m *memory) keep(n int) region { return m.reserve(n, -1, m.last) }

// place fixes all offsets and returns the bytes needed.
func (m *memory) place() int { return 4 * plan.Place(m.buffers) }

// address is a region's address once the memory has its base; 0 for nothing.
func (m *memory) address(r region) gpu.Ptr {
	if r.buffer == nil {
		return 0
	}
	return m.base + gpu.Ptr(4*r.place())
}
