//go:build gpu

// Package cu drives an NVIDIA GPU through gorgonia.org/cu. On a machine without a usable GPU, a
// program that imports this package ends at its start, with one line on stderr and status 1. The
// package needs only libcuda.so.1, of CUDA 11.4 or later.
package cu

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/kernels"
	"github.com/acqnp/acqnp/kernels/gpu"
	_ "github.com/acqnp/acqnp/kernels/gpu/cu/probe" // is initialised before gorgonia.org/cu
)

// turing is the lowest compute capability that the kernels run on, as gpu.Device.Capability counts.
const turing = 75

// Driver drives a GPU through its primary context, one stream, and another for the uploads of Ahead.
// Each such group of uploads comes before a later call of the first stream, so that a wait for the
// first is one for both. Its calls may come from any
// goroutine, one at a time: a call locks its thread and makes the context current there.
type Driver struct {
	device    gpu.Device
	ordinal   cu.Device
	context   cu.CUContext
	stream    cu.Stream
	ahead     cu.Stream
	inAhead   bool            // Upload uses the stream ahead
	images    []kernels.Image // that have not been loaded yet
	modules   []cu.Module
	functions []function
	events    []cu.Event // all events, for Close
	idle      []cu.Event // events that Mark can reuse
	memory    map[gpu.Ptr]bool
	pinned    [][]byte
	graphs    map[*graph]bool
	dims      gpu.Dims // of the current launch, in memory that C reads
	values    [mostArguments]uint64
	staging   []byte // pinned memory through which Upload copies memory of Go
	closed    bool
}

var _ gpu.Driver = (*Driver)(nil)

// Open opens a GPU and loads the kernels. ordinal counts from 0 among the GPUs that
// CUDA_VISIBLE_DEVICES leaves visible.
func Open(ordinal int) (*Driver, error) {
	d := &Driver{memory: map[gpu.Ptr]bool{}, graphs: map[*graph]bool{}}
	count, err := cu.NumDevices()
	if err == nil && (ordinal < 0 || ordinal >= count) {
		err = fmt.Errorf("no GPU %d: there are %d, counted from 0", ordinal, count)
	}
	if err == nil {
		d.ordinal, err = cu.GetDevice(ordinal)
	}
	if err != nil {
		return nil, d.wrap("open", "", 0, err)
	}
	if d.device, err = describe(d.ordinal); err == nil && d.device.Capability() < turing {
		err = fmt.Errorf("%s has compute capability %d.%d, expected 7.5 or more", d.device.Name, d.device.Major, d.device.Minor)
	}
	if err != nil {
		return nil, d.wrap("open", "", 0, err)
	}
	if d.context, err = d.ordinal.RetainPrimaryCtx(); err != nil {
		return nil, d.wrap("open", "", 0, err)
	}
	if err := d.call("open", 0, d.load); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// describe returns the description of a device.
func describe(d cu.Device) (gpu.Device, error) {
	name, err := d.Name()
	about := gpu.Device{Name: name}
	for _, a := range []struct {
		to   *int
		what cu.DeviceAttribute
	}{
		{&about.Major, cu.ComputeCapabilityMajor}, {&about.Minor, cu.ComputeCapabilityMinor},
		{&about.Multiprocessors, cu.MultiprocessorCount},
	} {
		n, e := d.Attribute(a.what)
		*a.to, err = n, errors.Join(err, e)
	}
	shared, e := sharedAtMost(d)
	memory, e2 := d.TotalMem()
	about.SharedPerBlock, about.Memory = shared, uint64(memory)
	return about, errors.Join(err, e, e2)
}

// call makes a call with the context current, on one thread.
func (d *Driver) call(name string, bytes int, f func() error) error {
	return d.callKernel(name, "", bytes, f)
}

// callKernel is call for a call that names a kernel.
func (d *Driver) callKernel(call, kernel string, bytes int, f func() error) error {
	if d.closed {
		return &gpu.Error{Call: call, Kernel: kernel, Bytes: bytes, Cause: errClosed}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cu.SetCurrentContext(d.context)
	if err == nil {
		err = f()
	}
	return d.wrap(call, kernel, bytes, err)
}

func (d *Driver) Device() gpu.Device { return d.device }

func (d *Driver) Alloc(bytes int) (gpu.Ptr, error) {
	var p cu.DevicePtr
	err := d.call("alloc", bytes, func() (err error) { p, err = cu.MemAlloc(int64(bytes)); return err })
	if err != nil {
		return 0, err
	}
	d.memory[gpu.Ptr(p)] = true
	return gpu.Ptr(p), nil
}

func (d *Driver) Free(p gpu.Ptr) error {
	if p == 0 {
		return nil
	}
	return d.call("free", 0, func() error {
		if err := d.stream.Synchronize(); err != nil {
			return err
		}
		delete(d.memory, p)
		return cu.MemFree(cu.DevicePtr(p))
	})
}

func (d *Driver) Pinned(bytes int) ([]byte, error) {
	var b []byte
	err := d.call("pinned", bytes, func() (err error) {
		if b, err = pin(bytes); err == outOfMemory {
			return errors.New("the host has too little memory that can be pinned")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	clear(b)
	d.pinned = append(d.pinned, b)
	return b, nil
}

func (d *Driver) Unpin(b []byte) error {
	if b == nil {
		return nil
	}
	return d.call("unpin", len(b), func() error {
		i := slices.IndexFunc(d.pinned, func(p []byte) bool { return &p[0] == &b[0] })
		if i < 0 {
			return errors.New("the memory was not pinned by this driver")
		}
		if err := d.stream.Synchronize(); err != nil {
			return err
		}
		d.pinned = slices.Delete(d.pinned, i, i+1)
		return cu.MemFreeHost(unsafe.Pointer(&b[0]))
	})
}

// Upload implements gpu.Driver. The GPU reads pinned memory later. Other memory is copied through the
// driver's own pinned memory before Upload returns.
func (d *Driver) Upload(dst gpu.Ptr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return d.call("upload", len(src), func() error {
		switch pinned := d.isPinned(src); {
		case d.inAhead && !pinned:
			return errors.New("ahead, of memory that is not pinned")
		case d.inAhead:
			return copyTo(dst, src, d.ahead)
		case pinned:
			return copyTo(dst, src, d.stream)
		}
		return d.stage(dst, src)
	})
}

// Ahead implements gpu.Driver. An event can be recorded anew as soon as streams have been told to wait
// for it.
func (d *Driver) Ahead(after gpu.Event, work func() error) (gpu.Event, error) {
	if e, ok := after.(*event); ok {
		err := d.call("ahead", 0, func() error {
			d.idle = append(d.idle, e.e)
			return d.ahead.Wait(e.e, 0)
		})
		if err != nil {
			return nil, err
		}
	}
	d.inAhead = true
	own := work()
	d.inAhead = false
	done, err := d.mark("ahead", d.ahead)
	if err == nil {
		err = d.call("ahead", 0, func() error { return d.stream.Wait(done.e, 0) })
	}
	if err = cmp.Or(own, err); err != nil {
		return nil, err
	}
	return done, nil
}

// copyTo starts a copy of pinned memory to the device.
func copyTo(dst gpu.Ptr, src []byte, s cu.Stream) error {
	return cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(&src[0]), int64(len(src)), s)
}

// stagingBytes is the size of the driver's own pinned memory.
const stagingBytes = 1 << 20

// stage copies memory of Go to the device, piece by piece.
func (d *Driver) stage(dst gpu.Ptr, src []byte) (err error) {
	if d.staging == nil {
		if d.staging, err = pin(stagingBytes); err != nil {
			return err
		}
		d.pinned = append(d.pinned, d.staging)
	}
	for len(src) > 0 {
		n := copy(d.staging, src)
		if err := copyTo(dst, d.staging[:n], d.stream); err != nil {
			return err
		}
		if err := d.stream.Synchronize(); err != nil {
			return err
		}
		dst, src = dst+gpu.Ptr(n), src[n:]
	}
	return nil
}

// isPinned reports whether b is part of what Pinned returned.
func (d *Driver) isPinned(b []byte) bool {
	at := uintptr(unsafe.Pointer(&b[0]))
	return slices.ContainsFunc(d.pinned, func(p []byte) bool {
		from := uintptr(unsafe.Pointer(&p[0]))
		return at >= from && at+uintptr(len(b)) <= from+uintptr(len(p))
	})
}

func (d *Driver) Download(dst []byte, src gpu.Ptr) error {
	if len(dst) == 0 {
		return nil
	}
	return d.call("download", len(dst), func() error {
		if err := d.stream.Synchronize(); err != nil {
			return err
		}
		return cu.MemcpyDtoH(unsafe.Pointer(&dst[0]), cu.DevicePtr(src), int64(len(dst)))
	})
}

func (d *Driver) Sync() error { return d.call("sync", 0, d.stream.Synchronize) }

func (d *Driver) Close() error {
	if d.closed {
		return nil
	}
	err := d.call("close", 0, d.release)
	d.closed = true
	return cmp.Or(err, d.wrap("close", "", 0, d.ordinal.ReleasePrimaryCtx()))
}

// release frees everything and returns only the first error, because on a lost GPU every call returns
// the same one.
func (d *Driver) release() (err error) {
	streams := slices.DeleteFunc([]cu.Stream{d.stream, d.ahead}, func(s cu.Stream) bool { return s == cu.NoStream })
	for _, s := range streams {
		err = cmp.Or(err, s.Synchronize())
	}
	for g := range d.graphs {
		err = cmp.Or(err, g.destroy())
	}
	for _, e := range d.events {
		err = cmp.Or(err, cu.DestroyEvent(&e))
	}
	for p := range d.memory {
		err = cmp.Or(err, cu.MemFree(cu.DevicePtr(p)))
	}
	for _, b := range d.pinned {
		err = cmp.Or(err, cu.MemFreeHost(unsafe.Pointer(&b[0])))
	}
	for _, m := range d.modules {
		err = cmp.Or(err, m.Unload())
	}
	for _, s := range streams {
		err = cmp.Or(err, s.Destroy())
	}
	return err
}
