package cuda

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// blocksPerMultiprocessor limits the blocks of a launch: enough to hide latencies, and few enough
// that each block's work outweighs the time of its start.
const blocksPerMultiprocessor = 16

// machine is a compiled graph with its memory on the device.
type machine struct {
	*compiler
	driver      gpu.Driver
	base        gpu.Ptr   // the start of its memory
	pages       [][]byte  // its pinned memory
	calls       [2][]call // of each side
	after       [][]int   // for each call, the calls that must end before it begins
	synchronous bool      // each launch is waited for
	late        bool      // no launch starts before the one before it has ended
	started     bool      // the launches have been made once
	graphs      [2]gpu.Graph
	closed      bool
}

// load allocates the memory of a compiled graph and prepares its launches.
func load(d gpu.Driver, c *compiler, o Options) (*machine, error) {
	m := &machine{compiler: c, driver: d, synchronous: o.Synchronous, late: o.NoEarly}
	c.finish()
	var err error
	m.base, err = c.allocate(func(bytes int) (gpu.Ptr, error) {
		p, err := d.Alloc(bytes)
		if err != nil {
			err = fmt.Errorf("cuda: %.1f MB for a run of %v: %w", float64(bytes)/1e6, c.source.Capacity, err)
		}
		return p, err
	})
	if err != nil {
		return nil, err
	}
	if err := m.prepare(); err != nil {
		return nil, cmp.Or(err, m.Close())
	}
	return m, nil
}

// prepare uploads the tables and finds the kernels of the launches.
func (m *machine) prepare() (err error) {
	for side := range m.sides {
		memory := m.of(side)
		for _, t := range m.tables {
			bytes := t.bytes
			for _, task := range t.tasks {
				bytes = task.appendTo(bytes, memory)
			}
			if err := m.driver.Upload(memory.ptr(t.at), bytes); err != nil {
				return err
			}
		}
		if m.calls[side], err = bind(m.driver, memory, m.launches); err != nil {
			return err
		}
	}
	m.after = dependencies(&m.memory, m.launches)
	return nil
}

// Close frees the memory on the device and the pinned memory. The driver stays open.
func (m *machine) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	err := m.driver.Free(m.base) // waits for the runs of the graph
	for _, b := range m.pages {
		err = cmp.Or(err, m.driver.Unpin(b))
	}
	for _, g := range m.graphs {
		if g != nil {
			err = cmp.Or(err, g.Close())
		}
	}
	return err
}

// check returns an error for extents that cannot be run.
func (m *machine) check(e ops.Extents) error {
	if m.closed {
		return errClosed
	}
	if err := m.source.Check(e); err != nil {
		return fmt.Errorf("cuda: %w", err)
	}
	return nil
}

// host is the host's memory that a step uploads: struct Step and the inputs at capacity, in one
// block that is laid out like the device's.
type host struct {
	block  []float32
	inputs map[string][]float32
}

// newHost allocates pinned memory for a step, except for levels that are drawn on the device.
func (m *machine) newHost() (h *host, err error) {
	h = &host{inputs: map[string][]float32{}}
	if h.block, err = m.pinned(m.uploaded); err != nil {
		return nil, err
	}
	for _, in := range m.source.Inputs {
		if at := m.inputs[in.Name]; at.buffer == m.step.buffer {
			h.inputs[in.Name] = h.block[at.offset:][:m.source.Capacity.Rows(in.Space)*in.Width]
		}
	}
	return h, nil
}

// pinned allocates n numbers of pinned memory, which Close frees.
func (m *machine) pinned(n int) ([]float32, error) {
	b, err := m.pinnedBytes(4 * max(n, 1))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4)[:n], nil
}

// pinnedBytes allocates pinned memory, which Close frees.
func (m *machine) pinnedBytes(n int) ([]byte, error) {
	b, err := m.driver.Pinned(n)
	if err == nil {
		m.pages = append(m.pages, b)
	}
	return b, err
}

// spare is the most unused numbers that a single copy may upload. Copying them takes about as long as
// starting one or two more copies.
const spare = 1 << 16

// upload uploads struct Step and the inputs' rows within the extents to a side. It makes one copy, or
// one for each input if a single copy would include more than spare unused numbers.
func (m *machine) upload(side int, h *host, e ops.Extents, batch int, rate float64) error {
	step := bytesOf(h.block[:stepBytes/4])
	for i, n := range [...]int{e.Groups, e.Context, e.Points, e.Levels} {
		binary.LittleEndian.PutUint32(step[4*i:], uint32(n))
	}
	binary.LittleEndian.PutUint64(step[16:], uint64(batch))
	binary.LittleEndian.PutUint64(step[24:], math.Float64bits(rate))
	parts := [][2]int{{0, stepBytes / 4}} // from and to, in the block
	used := stepBytes / 4
	for _, in := range m.source.Inputs {
		if n := e.Rows(in.Space) * in.Width; h.inputs[in.Name] != nil && n > 0 {
			from := m.inputs[in.Name].offset
			parts = append(parts, [2]int{from, from + n})
			used += n
		}
	}
	if last := parts[len(parts)-1][1]; last-used <= spare {
		parts = [][2]int{{0, last}}
	}
	for _, p := range parts {
		if err := m.driver.Upload(m.of(side).ptr(m.step.plus(p[0])), bytesOf(h.block[p[0]:p[1]])); err != nil {
			return err
		}
	}
	return nil
}

// download waits for the device and copies numbers from it.
func (m *machine) download(dst []float32, from region) error {
	if len(dst) == 0 {
		return nil
	}
	return m.driver.Download(bytesOf(dst), m.ptr(from))
}

// bytesOf returns the memory of numbers. Host and device have the same byte order.
func bytesOf(v []float32) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v))
}

var errClosed = errors.New("cuda: the program or trainer is closed")
