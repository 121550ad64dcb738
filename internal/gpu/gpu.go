// Package gpu is all that the CUDA engine asks of a device: memory, copies, launches and captured graphs, on one stream.
// Two implementations run the same engine and the same kernels: internal/gpu/cu on a GPU (build tag gpu) and
// kernels.Emulator on the host (build tag simt).
package gpu

// Ptr is an address in the device's memory; 0 is no memory.
type Ptr uint64

// Func is a kernel of the driver that gave it.
type Func uintptr

// Dims is the shape of a launch: blocks, threads of a block (x, y, z, all at least 1) and bytes of dynamic shared memory.
type Dims struct {
	Grid, Block [3]uint32
	Shared      uint32
}

// Line is the shape of a one-dimensional launch.
func Line(blocks, threads, shared int) Dims {
	return Dims{Grid: [3]uint32{uint32(blocks), 1, 1}, Block: [3]uint32{uint32(threads), 1, 1}, Shared: uint32(shared)}
}

// Device describes what the driver drives.
type Device struct {
	Name            string
	Major, Minor    int    // compute capability
	Multiprocessors int    //
	SharedPerBlock  int    // largest dynamic shared memory of a block, in bytes
	Memory          uint64 // in bytes
}

// Capability is the compute capability as one number: 75 for 7.5.
func (d Device) Capability() int { return 10*d.Major + d.Minor }

// Driver drives one device through one stream. Uploads, Zero and launches are done in the order of their calls and may
// return before they are done, so the error of a kernel may come from a later call; after it the device is of no more use.
// Every error is an *Error. A driver is used by one goroutine at a time.
type Driver interface {
	Device() Device

	// Alloc takes device memory, aligned to 16 bytes at least, of undefined content. Where there is not enough the error
	// is ErrOutOfMemory by errors.Is and the driver goes on working.
	Alloc(bytes int) (Ptr, error)
	// Free gives back what Alloc gave, after waiting for all calls before it. Freeing 0 does nothing.
	Free(p Ptr) error
	// Pinned is zeroed host memory that uploads read while the host goes on; Close frees it.
	Pinned(bytes int) ([]byte, error)

	// Upload copies to the device. Pinned memory must stay as it is until an event marked after the call has been waited
	// for, or Sync; any other memory may change at once.
	Upload(dst Ptr, src []byte) error
	// Download copies from the device, after waiting for all calls before it.
	Download(dst []byte, src Ptr) error
	// Zero fills device memory with zeros.
	Zero(dst Ptr, bytes int) error

	// Function finds a kernel.
	Function(name string) (Func, error)
	// Launch starts a kernel. A shape or parameters that do not fit it are an error at once.
	Launch(f Func, d Dims, p Params) error
	// Capture keeps the launches and Zeros that record makes, without doing them. No other call is allowed meanwhile.
	Capture(record func() error) (Graph, error)

	// Mark is a point between the calls before it and those after it.
	Mark() (Event, error)
	// Sync waits for all calls before it.
	Sync() error
	// Close waits and gives back everything. It is safe to call twice.
	Close() error
}

// Graph is a captured sequence of launches.
type Graph interface {
	// Replay does what was captured, in order with the driver's other calls. Memory is read as it is then.
	Replay() error
	Close() error
}

// Event is a point in the order of a driver's calls.
type Event interface {
	// Wait returns when everything before the event is done. It is called once, and gives the event back.
	Wait() error
}
