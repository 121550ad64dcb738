// Package gpu defines what the CUDA engine needs from a device: a Driver with memory, copies,
// launches and graphs, on one stream. Two implementations run the same kernels:
// kernels/gpu/cu on a GPU (build tag gpu) and kernels/emulator on the host (build tag simt).
package gpu

import "time"

// Ptr is an address in the device's memory; 0 is the null pointer.
type Ptr uint64

// Func is a kernel, valid only for the driver that returned it.
type Func uintptr

// Dims is the shape of a launch: Grid is the number of blocks and Block the number of threads of
// each, in x, y and z, all at least 1. Shared is the dynamic shared memory of a block in bytes.
type Dims struct {
	Grid, Block [3]uint32
	Shared      uint32
}

// Line returns the shape of a one-dimensional launch.
func Line(blocks, threads, shared int) Dims {
	return Dims{Grid: [3]uint32{uint32(blocks), 1, 1}, Block: [3]uint32{uint32(threads), 1, 1}, Shared: uint32(shared)}
}

// Device describes a device.
type Device struct {
	Name            string
	Major, Minor    int // compute capability
	Multiprocessors int
	SharedPerBlock  int    // largest dynamic shared memory of a block, in bytes
	Memory          uint64 // in bytes
	Hopper          bool   // it runs the program's kernels for sm_90a
}

// Capability returns the compute capability as one number: 75 for 7.5.
func (d Device) Capability() int { return 10*d.Major + d.Minor }

// Driver drives one device through one stream. Uploads and launches happen in the order of
// their calls, except those of Ahead, but a call may return before its work is done. So the error of a kernel may come
// from a later call. After a kernel's error the device cannot be used. Every error is an *Error. A
// driver is used by one goroutine at a time.
type Driver interface {
	Device() Device

	// Alloc allocates device memory of undefined content, aligned to at least 16 bytes. If there is
	// too little memory, the error is ErrOutOfMemory (errors.Is), and the driver can still be used.
	Alloc(bytes int) (Ptr, error)
	// Free waits for all earlier calls and frees what Alloc returned. Freeing 0 does nothing.
	Free(p Ptr) error
	// Pinned allocates zeroed, page-locked host memory, which uploads read while the host goes on.
	Pinned(bytes int) ([]byte, error)
	// Unpin waits for all earlier calls and frees what Pinned returned. Close frees the rest. Unpin
	// of nil does nothing.
	Unpin(b []byte) error

	// Upload copies to the device. Pinned memory must not change until the caller has waited for an
	// event marked after the call, or for Sync. Other memory may change at once.
	Upload(dst Ptr, src []byte) error
	// Ahead makes uploads of pinned memory beside the work of earlier calls: those that work makes
	// begin when after has happened, at once if it is nil, and the calls after Ahead begin when they are
	// done. Between after and Ahead no call may use the memory that they write. Ahead frees after, and
	// returns an event that happens when the uploads are done. work makes no other calls.
	Ahead(after Event, work func() error) (Event, error)
	// Download waits for all earlier calls and copies from the device.
	Download(dst []byte, src Ptr) error

	// Function finds a kernel.
	Function(name string) (Func, error)
	// Launch starts a kernel. It returns an error if the shape or the parameters do not fit the
	// kernel.
	Launch(f Func, d Dims, p Params) error
	// Graph makes a graph of launches, without starting them. Like Launch, it returns an error if
	// a shape or parameters do not fit.
	Graph(nodes []Node) (Graph, error)

	// Mark returns an event that happens when all calls so far are done.
	Mark() (Event, error)
	// Sync waits for all earlier calls.
	Sync() error
	// Time waits for all earlier calls, then calls work and waits for the calls that it made. It
	// returns the time that the device took for them. An emulated device measures the host's time.
	Time(work func() error) (time.Duration, error)
	// Close waits for all calls and frees everything. It is safe to call twice.
	Close() error
}

// Node is a launch in a graph.
type Node struct {
	Func   Func
	Dims   Dims
	Params Params
	After  []int // indices of the nodes that must end before this one begins; all less than its own
	Late   bool  // it is never started before they have ended, see Early
}

// Early reports for each node whether it may be started before the node that it comes after has ended,
// as long as it waits for that end before it uses global memory (wait_for_inputs of kernels/device.h
// says why that is enough). It must come after one node alone, and alone after that one: the case that
// CUDA's manual describes.
func Early(nodes []Node) []bool {
	next := make([]int, len(nodes)) // how many nodes come after each
	for _, n := range nodes {
		for _, before := range n.After {
			if before >= 0 && before < len(nodes) {
				next[before]++
			}
		}
	}
	early := make([]bool, len(nodes))
	for i, n := range nodes {
		early[i] = !n.Late && len(n.After) == 1 && n.After[0] >= 0 && n.After[0] < i && next[n.After[0]] == 1
	}
	return early
}

// Graph is a graph of launches.
type Graph interface {
	// Replay makes the launches, in order with the driver's other calls. Two launches may run at the
	// same time if neither comes after the other.
	Replay() error
	// Early reports for each node whether the device may start it before the one before it has ended,
	// which needs compute capability 9.0 and a driver of CUDA 12.3 or later.
	Early() []bool
	Close() error
}

// Event is a point in the order of a driver's calls.
type Event interface {
	// Wait returns when everything before the event is done. It is called once, unless Ahead was given
	// the event, and frees it.
	Wait() error
}
