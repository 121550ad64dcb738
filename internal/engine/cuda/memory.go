package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/gpu"
)

// region is a part of the device's memory. The zero region is a null pointer. Regions get their
// addresses in settle, after all of them have been reserved.
type region struct {
	buffer *plan.Buffer
	offset int // in float32, within the buffer
}

// plus returns the region that begins n numbers later.
func (r region) plus(n int) region { return region{r.buffer, r.offset + n} }

// memory plans one allocation for all regions. A region is needed all the time, or from one item to
// another.
type memory struct {
	buffers []*plan.Buffer
	last    int // after the last item
	address map[*plan.Buffer]gpu.Ptr
}

// reserve plans n numbers that are needed from one item to another, both included.
func (m *memory) reserve(n, from, to int) region {
	b := &plan.Buffer{Size: plan.Align(max(n, 1)), From: from, To: to}
	m.buffers = append(m.buffers, b)
	return region{buffer: b}
}

// keep plans n numbers that are needed all the time.
func (m *memory) keep(n int) region { return m.reserve(n, -1, m.last) }

// settle allocates the memory and gives all regions their addresses.
func (m *memory) settle(alloc func(bytes int) (gpu.Ptr, error)) (base gpu.Ptr, err error) {
	if base, err = alloc(4 * plan.Place(m.buffers)); err != nil {
		return 0, err
	}
	m.address = map[*plan.Buffer]gpu.Ptr{}
	for _, b := range m.buffers {
		m.address[b] = base + gpu.Ptr(4*b.Offset)
	}
	return base, nil
}

// ptr returns a region's address; 0 for the zero region.
func (m *memory) ptr(r region) gpu.Ptr {
	if r.buffer == nil {
		return 0
	}
	return m.address[r.buffer] + gpu.Ptr(4*r.offset)
}
