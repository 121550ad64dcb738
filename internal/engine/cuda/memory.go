package cuda

import (
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// region is a part of the device's memory. The zero region is a null pointer. Regions get their
// addresses in allocate, after all of them have been reserved.
type region struct {
	buffer *analysis.Buffer
	offset int // in float32, within the buffer
}

// plus returns the region that begins n numbers later.
func (r region) plus(n int) region { return region{r.buffer, r.offset + n} }

// memory plans one allocation for all regions. A region is needed all the time, or from the first
// level of launches that use it to the last.
//
// A trainer has two sides, which take turns: while the launches of one run, the inputs of the other are
// uploaded. What holds inputs or their addresses is there once for each side.
type memory struct {
	buffers  []*analysis.Buffer
	kept     map[*analysis.Buffer]bool // those that are needed all the time
	address  map[*analysis.Buffer]gpu.Ptr
	sides    int
	side     int                      // that ptr gives the addresses of
	distance map[*analysis.Buffer]int // of what is there for each side: float32s from one side's to the next
}

// of returns the memory as one side sees it.
func (m memory) of(side int) *memory {
	m.side = side
	return &m
}

// reserve plans n numbers that are needed while launches use them.
func (m *memory) reserve(n int) region {
	b := &analysis.Buffer{Size: analysis.Align(max(n, 1))}
	m.buffers = append(m.buffers, b)
	return region{buffer: b}
}

// keep plans n numbers that are needed all the time.
func (m *memory) keep(n int) region {
	r := m.reserve(n)
	if m.kept == nil {
		m.kept = map[*analysis.Buffer]bool{}
	}
	m.kept[r.buffer] = true
	return r
}

// keepEach plans n numbers for each side that are needed all the time.
func (m *memory) keepEach(n int) region {
	n = analysis.Align(max(n, 1))
	r := m.keep(m.sides * n)
	m.distance[r.buffer] = n
	return r
}

// live sets the times at which buffers are in use, by the levels of the steps.
func (m *memory) live(steps []*step) {
	first, last := map[*analysis.Buffer]int{}, map[*analysis.Buffer]int{}
	end := 0
	for _, s := range steps {
		end = max(end, s.level)
		for _, r := range slices.Concat(s.reads, s.writes) {
			if from, used := first[r.buffer]; !used || s.level < from {
				first[r.buffer] = s.level
			}
			last[r.buffer] = max(last[r.buffer], s.level)
		}
	}
	for _, b := range m.buffers {
		b.From, b.To = first[b], last[b]
		if m.kept[b] {
			b.From, b.To = 0, end
		}
	}
}

// allocate allocates the memory and gives all regions their addresses.
func (m *memory) allocate(alloc func(bytes int) (gpu.Ptr, error)) (base gpu.Ptr, err error) {
	if base, err = alloc(4 * analysis.Place(m.buffers)); err != nil {
		return 0, err
	}
	m.address = map[*analysis.Buffer]gpu.Ptr{}
	for _, b := range m.buffers {
		m.address[b] = base + gpu.Ptr(4*b.Offset)
	}
	return base, nil
}

// overlap reports whether two buffers have memory in common.
func (m *memory) overlap(a, b *analysis.Buffer) bool {
	return m.address[a] < m.address[b]+gpu.Ptr(4*b.Size) && m.address[b] < m.address[a]+gpu.Ptr(4*a.Size)
}

// ptr returns a region's address on the memory's side; 0 for the zero region.
func (m *memory) ptr(r region) gpu.Ptr {
	if r.buffer == nil {
		return 0
	}
	return m.address[r.buffer] + gpu.Ptr(4*(r.offset+m.side*m.distance[r.buffer]))
}
