// Package gpu is what the CUDA engine needs of a device: a Driver with memory, copies, launches and
// captured graphs, on one stream. Two implementations run the same kernels: internal/gpu/cu on a
// GPU (build tag gpu) and kernels/emulator on the host (build tag simt).
package gpu

// Ptr is an address in the device's memory. 0 is no memory.
type Ptr uint64

// Func is a kernel, known to the driver that found it.
type Func uintptr

// Dims is the shape of a launch: blocks, threads of a block (x, y, z, all at least 1) and bytes of
// dynamic shared memory.
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
}

// Capability returns the compute capability as one number: 75 for 7.5.
func (d Device) Capability() int { return 10*d.Major + d.Minor }

// Driver drives one device through one stream. Uploads, Zero and launches happen in the order of
// their calls, but a call may return before its work is done. So a later call may return the error
// of a kernel, and after that the device cannot be used. Every error is an *Error. A driver is used
// by one goroutine at a time.
type Driver interface {
	Device() Device

	// Alloc takes device memory of undefined content, aligned to at least 16 bytes. If there is not
	// enough the error is ErrOutOfMemory (errors.Is), and the driver can still be used.
	Alloc(bytes int) (Ptr, error)
	// Free waits for all earlier calls and frees what Alloc returned. Freeing 0 does nothing.
	Free(p Ptr) error
	// Pinned returns zeroed host memory that uploads read while the host goes on. Close frees it.
	Pinned(bytes int) ([]byte, error)

	// Upload copies to the device. Pinned memory must not change until the caller has waited for an
	// event marked after the call, or for Sync. Other memory may change at once.
	Upload(dst Ptr, src []byte) error
	// Download waits for all earlier calls and copies from the device.
	Download(dst []byte, src Ptr) error
	// Zero fills device memory with zeros.
	Zero(dst Ptr, bytes int) error

	// Function finds a kernel.
	Function(name string) (Func, error)
	// Launch starts a kernel. A shape or parameters that do not fit it are an error of this call.
	Launch(f Func, d Dims, p Params) error
	// Capture keeps the launches and Zeros that record makes, without doing them. record must make
	// no other calls.
	Capture(record func() error) (Graph, error)

	// Mark returns an event after the calls so far.
	Mark() (Event, error)
	// Sync waits for all earlier calls.
	Sync() error
	// Close waits and frees everything. It is safe to call twice.
	Close() error
}

// Graph is a captured sequence of launches and Zeros.
type Graph interface {
	// Replay does what was captured, in order with the driver's other calls.
	Replay() error
	Close() error
}

// Event is a point in the order of a driver's calls.
type Event interface {
	// Wait returns when everything before the event is done. It is called once and frees the event.
	Wait() error
}
