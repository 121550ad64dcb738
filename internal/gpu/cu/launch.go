//go:build gpu

package cu

import (
	"fmt"
	"runtime"

	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/internal/gpu"
)

// unasked is the dynamic shared memory, in bytes, that a kernel may use without allowShared.
const unasked = 48 << 10

// function is a kernel. A gpu.Func is its position in Driver.functions, counted from 1.
type function struct {
	name    string
	handle  cu.Function
	sizes   []int  // of its parameters; nil if the driver does not know
	allowed uint32 // bytes of dynamic shared memory that it may use
}

// Function implements gpu.Driver.
func (d *Driver) Function(name string) (gpu.Func, error) {
	for i := range d.functions {
		if d.functions[i].name == name {
			return gpu.Func(i + 1), nil
		}
	}
	err := d.do("function", 0, func() error {
		for _, m := range d.modules {
			if h, err := m.Function(name); err == nil {
				d.functions = append(d.functions, function{name, h, parameterSizes(h), unasked})
				return nil
			}
		}
		return fmt.Errorf("no kernel %q in this program", name)
	})
	return gpu.Func(len(d.functions)), err
}

// Launch implements gpu.Driver. It allocates nothing.
func (d *Driver) Launch(f gpu.Func, dims gpu.Dims, p gpu.Params) error {
	if f == 0 || int(f) > len(d.functions) {
		return &gpu.Error{Call: "launch", Cause: fmt.Errorf("no kernel has the number %d", f)}
	}
	k := &d.functions[f-1]
	if d.closed {
		return &gpu.Error{Call: "launch", Kernel: k.name, Cause: errClosed}
	}
	if err := k.fits(p); err != nil {
		return &gpu.Error{Call: "launch", Kernel: k.name, Cause: err}
	}
	d.dims = dims
	for i := range p {
		d.values[i] = p[i].Bits
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cu.SetCurrentContext(d.context)
	if err == nil && dims.Shared > k.allowed {
		if err = allowShared(k.handle, dims.Shared); err == nil {
			k.allowed = dims.Shared
		}
	}
	if err == nil {
		err = launchOn(d.stream, k.handle, &d.dims, &d.values, len(p))
	}
	return d.wrap("launch", k.name, 0, err)
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

// Zero implements gpu.Driver.
func (d *Driver) Zero(dst gpu.Ptr, bytes int) error {
	if bytes == 0 {
		return nil
	}
	if d.closed {
		return &gpu.Error{Call: "zero", Bytes: bytes, Cause: errClosed}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cu.SetCurrentContext(d.context)
	if err == nil {
		err = cu.MemsetD8Async(cu.DevicePtr(dst), 0, int64(bytes), d.stream)
	}
	return d.wrap("zero", "", bytes, err)
}
