package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/ops"
)

// blocksPerMultiprocessor limits the blocks of a launch: enough to hide latencies, and few enough
// that each block's work outweighs the time of its start.
const blocksPerMultiprocessor = 16

// machine is a compiled graph with its memory on the device.
type machine struct {
	*compiler
	driver gpu.Driver
	base   gpu.Ptr // the start of its memory
	graph  gpu.Graph
	closed bool
}

// load allocates the memory of a compiled graph and captures its launches.
func load(d gpu.Driver, c *compiler) (*machine, error) {
	m := &machine{compiler: c, driver: d}
	var err error
	m.base, err = c.settle(func(bytes int) (gpu.Ptr, error) {
		p, err := d.Alloc(bytes)
		if err != nil {
			err = fmt.Errorf("cuda: %.1f MB for a run of %v: %w", float64(bytes)/1e6, c.of.Capacity, err)
		}
		return p, err
	})
	if err != nil {
		return nil, err
	}
	if err := m.prepare(); err != nil {
		return nil, first(err, m.Close())
	}
	return m, nil
}

// prepare uploads the tables and captures the launches.
func (m *machine) prepare() error {
	for _, t := range m.tables {
		if err := m.driver.Upload(m.ptr(t.at), t.bytes); err != nil {
			return err
		}
	}
	calls, err := bind(m.driver, &m.memory, m.launches)
	if err != nil {
		return err
	}
	m.graph, err = record(m.driver, calls)
	return err
}

// Close frees the device's memory. The driver stays open.
func (m *machine) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	err := m.driver.Free(m.base) // waits for the runs of the graph
	if m.graph != nil {
		err = first(err, m.graph.Close())
	}
	return err
}

// first returns the first error that is not nil. Later ones are its consequences.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns an error for extents that cannot be run.
func (m *machine) check(e ops.Extents) error {
	if m.closed {
		return errClosed
	}
	if err := m.of.Check(e); err != nil {
		return fmt.Errorf("cuda: %w", err)
	}
	return nil
}

// host is the host's memory that a step uploads: struct Step, and every input at capacity.
type host struct {
	step   []byte
	inputs map[string][]float32
}

// newHost allocates pinned memory for a step, except for levels that are drawn on the device.
func (m *machine) newHost() (*host, error) {
	h := &host{inputs: map[string][]float32{}}
	var err error
	if h.step, err = m.driver.Pinned(stepBytes); err != nil {
		return nil, err
	}
	for _, in := range m.of.Inputs {
		if in.Name == levelsInput && m.levels {
			continue
		}
		if h.inputs[in.Name], err = m.pinned(m.of.Capacity.Rows(in.Space) * in.Width); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// pinned allocates n numbers of pinned memory.
func (m *machine) pinned(n int) ([]float32, error) {
	b, err := m.driver.Pinned(4 * max(n, 1))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4)[:n], nil
}

// upload uploads struct Step and the rows of the inputs that the extents e have.
func (m *machine) upload(h *host, e ops.Extents, batch int, rate float64) error {
	for i, n := range [...]int{e.Functions, e.Context, e.Points, e.Levels} {
		binary.LittleEndian.PutUint32(h.step[4*i:], uint32(n))
	}
	binary.LittleEndian.PutUint64(h.step[16:], uint64(batch))
	binary.LittleEndian.PutUint64(h.step[24:], math.Float64bits(rate))
	if err := m.driver.Upload(m.ptr(m.step), h.step); err != nil {
		return err
	}
	for _, in := range m.of.Inputs {
		data := h.inputs[in.Name]
		n := e.Rows(in.Space) * in.Width
		if data == nil || n == 0 {
			continue
		}
		if err := m.driver.Upload(m.ptr(m.inputs[in.Name]), bytesOf(data[:n])); err != nil {
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
