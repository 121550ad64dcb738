//go:build simt

package emulator

// #include <stdlib.h>
// #include "simt_runtime.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// Options describe the device to emulate. A zero stands for the value in brackets.
type Options struct {
	Major, Minor   int    // compute capability (the environment's SIMT_CAPABILITY, such as 75; otherwise 9.0)
	Memory         uint64 // bytes of device memory (1 GiB)
	SharedPerBlock int    // largest dynamic shared memory of a block, in bytes (that of the capability)
	Order          int    // of threads, blocks and graph nodes: 0 ascending, 1 descending, otherwise a random order's seed
}

// Driver is a gpu.Driver that runs the kernels on the host. It makes launches and uploads only when
// a call waits for them, which is the latest that a device may make them. It checks every access,
// unless Go's race detector is on (see Checked).
type Driver struct {
	device    gpu.Device
	order     int
	functions []function // a gpu.Func is the position here, counted from 1
	memory    map[gpu.Ptr]int
	used      uint64
	pinned    [][]byte
	stream    stream
	closed    bool
}

type function struct {
	name   string
	kernel *C.simt_kernel
	sizes  []int // of its parameters, in bytes
}

// machine is locked during calls to the C code, because its state is global to the process.
var machine sync.Mutex

// sharedPerBlock is the largest dynamic shared memory of a block, by compute capability.
var sharedPerBlock = map[int]int{75: 64 << 10, 80: 163 << 10, 86: 99 << 10, 87: 163 << 10, 89: 99 << 10, 90: 227 << 10}

// New returns a driver of a new emulated device.
func New(o Options) *Driver {
	if o.Major == 0 {
		capability, _ := strconv.Atoi(os.Getenv("SIMT_CAPABILITY"))
		o.Major, o.Minor = cmp.Or(capability, 90)/10, capability%10
	}
	d := gpu.Device{Name: "simt", Major: o.Major, Minor: o.Minor, Multiprocessors: 4, Memory: cmp.Or(o.Memory, 1<<30)}
	d.Hopper = d.Capability() == 90
	d.SharedPerBlock = cmp.Or(o.SharedPerBlock, sharedPerBlock[d.Capability()], 48<<10)
	return &Driver{device: d, order: o.Order, memory: map[gpu.Ptr]int{}}
}

// Checked reports whether the accesses of kernels are checked (see the package's comment).
func Checked() bool { return C.simt_checked() != 0 }

func (e *Driver) Device() gpu.Device { return e.device }

// Live returns the number of allocations that have not been freed.
func (e *Driver) Live() int { return len(e.memory) }

// usable returns the error of a call that cannot be made now.
func (e *Driver) usable(call string) error {
	switch {
	case e.closed:
		return &gpu.Error{Call: call, Cause: errors.New("the driver is closed")}
	case e.stream.err != nil:
		return e.stream.err
	}
	return nil
}

func (e *Driver) Alloc(bytes int) (gpu.Ptr, error) {
	if err := e.usable("alloc"); err != nil {
		return 0, err
	}
	if bytes <= 0 {
		return 0, &gpu.Error{Call: "alloc", Cause: fmt.Errorf("%d bytes, want at least 1", bytes)}
	}
	var p gpu.Ptr
	if e.used+uint64(bytes) <= e.device.Memory {
		machine.Lock()
		p = gpu.Ptr(C.simt_allocate(C.uint64_t(bytes)))
		machine.Unlock()
	}
	if p == 0 {
		return 0, &gpu.Error{Call: "alloc", Bytes: bytes, Cause: gpu.ErrOutOfMemory}
	}
	e.memory[p] = bytes
	e.used += uint64(bytes)
	return p, nil
}

func (e *Driver) Free(p gpu.Ptr) error {
	if p == 0 {
		return nil
	}
	err := e.usable("free")
	if err == nil {
		err = e.stream.run(len(e.stream.queue))
	}
	bytes, ok := e.memory[p]
	if !ok {
		return &gpu.Error{Call: "free", Cause: errors.New("the address is not the start of an allocation")}
	}
	machine.Lock()
	C.simt_free(C.uint64_t(p))
	machine.Unlock()
	delete(e.memory, p)
	e.used -= uint64(bytes)
	return err
}

func (e *Driver) Pinned(bytes int) ([]byte, error) {
	if err := e.usable("pinned"); err != nil {
		return nil, err
	}
	if bytes <= 0 {
		return nil, &gpu.Error{Call: "pinned", Cause: fmt.Errorf("%d bytes, want at least 1", bytes)}
	}
	p := unsafe.Slice((*byte)(C.calloc(1, C.size_t(bytes))), bytes)
	e.pinned = append(e.pinned, p)
	return p, nil
}

func (e *Driver) Unpin(b []byte) error {
	if b == nil {
		return nil
	}
	err := e.usable("unpin")
	if err == nil {
		err = e.stream.run(len(e.stream.queue))
	}
	for i, p := range e.pinned {
		if unsafe.SliceData(p) == unsafe.SliceData(b) {
			C.free(unsafe.Pointer(unsafe.SliceData(p)))
			e.pinned = slices.Delete(e.pinned, i, i+1)
			return err
		}
	}
	return &gpu.Error{Call: "unpin", Cause: errors.New("the memory was not pinned, or not by this driver")}
}

// LivePinned returns the number of pinned allocations that have not been freed.
func (e *Driver) LivePinned() int { return len(e.pinned) }

// isPinned reports whether b is pinned memory. Upload may read such memory after it returns.
func (e *Driver) isPinned(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for _, p := range e.pinned {
		if from := uintptr(unsafe.Pointer(unsafe.SliceData(p))); at >= from && at < from+uintptr(len(p)) {
			return true
		}
	}
	return false
}

func (e *Driver) Function(name string) (gpu.Func, error) {
	if err := e.usable("function"); err != nil {
		return 0, err
	}
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	k := C.simt_find_kernel(c)
	if k == nil {
		return 0, &gpu.Error{Call: "function", Kernel: name, Cause: errors.New("there is no such kernel")}
	}
	f := function{name: name, kernel: k}
	for _, n := range unsafe.Slice(k.sizes, k.count) {
		f.sizes = append(f.sizes, int(n))
	}
	e.functions = append(e.functions, f)
	return gpu.Func(len(e.functions)), nil
}

func (e *Driver) Close() error {
	if e.closed {
		return nil
	}
	err := e.Sync()
	machine.Lock()
	for p := range e.memory {
		C.simt_free(C.uint64_t(p))
	}
	machine.Unlock()
	for _, p := range e.pinned {
		C.free(unsafe.Pointer(unsafe.SliceData(p)))
	}
	e.memory, e.pinned, e.closed = nil, nil, true
	return err
}
