//go:build gpu

package cu

import (
	"fmt"

	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// unasked is the most dynamic shared memory, in bytes, that a kernel may use without allowShared.
const unasked = 48 << 10

// function is a kernel. A gpu.Func is its position in Driver.functions, counted from 1.
type function struct {
	name    string
	handle  cu.Function
	sizes   []int  // of its parameters, in bytes; nil if the driver cannot tell
	allowed uint32 // bytes of dynamic shared memory that it may use
}

// Launch implements gpu.Driver. It allocates nothing on the device.
func (d *Driver) Launch(f gpu.Func, dims gpu.Dims, p gpu.Params) error {
	k, err := d.checked(f, p)
	if err != nil {
		return err
	}
	d.set(dims, p)
	return d.callKernel("launch", k.name, 0, func() error {
		if err := k.allow(dims.Shared); err != nil {
			return err
		}
		return launchOn(d.stream, k.handle, &d.dims, &d.values, len(p))
	})
}

// checked returns a kernel. It returns an error if the arguments do not fit it.
func (d *Driver) checked(f gpu.Func, p gpu.Params) (*function, error) {
	if f == 0 || int(f) > len(d.functions) {
		return nil, &gpu.Error{Call: "launch", Cause: fmt.Errorf("no kernel has the number %d", f)}
	}
	k := &d.functions[f-1]
	if err := k.fits(p); err != nil {
		return nil, &gpu.Error{Call: "launch", Kernel: k.name, Cause: err}
	}
	return k, nil
}

// set copies a launch to memory that C reads.
func (d *Driver) set(dims gpu.Dims, p gpu.Params) {
	d.dims = dims
	for i := range p {
		d.values[i] = p[i].Bits
	}
}

// allow lets the kernel use shared bytes of dynamic shared memory.
func (k *function) allow(shared uint32) error {
	if shared <= k.allowed {
		return nil
	}
	err := allowShared(k.handle, shared)
	if err == nil {
		k.allowed = shared
	}
	return err
}

// fits returns an error unless the arguments fit the kernel.
func (k *function) fits(p gpu.Params) error {
	if len(p) > mostArguments {
		return fmt.Errorf("%d arguments, want at most %d", len(p), mostArguments)
	}
	if k.sizes != nil {
		return p.Check(k.sizes)
	}
	for i := range p {
		if p[i].Size == 0 {
			return fmt.Errorf("argument %d is of a type that no kernel takes", i)
		}
	}
	return nil
}
