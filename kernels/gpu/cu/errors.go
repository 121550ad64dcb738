//go:build gpu

package cu

import (
	"errors"
	"fmt"
	"reflect"

	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// Error codes of the driver.
const (
	outOfMemory result = 2
	notFound    result = 500
)

// code returns the driver's error code. The errors of gorgonia.org/cu are codes in an unexported
// type.
func code(err error) (r result, ok bool) {
	if r, ok := err.(result); ok {
		return r, true
	}
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Int {
		return 0, false
	}
	return result(v.Int()), true
}

// cause adds an explanation to the error of a call.
func (d *Driver) cause(err error) error {
	r, ok := code(err)
	if !ok {
		return err
	}
	switch r {
	case outOfMemory:
		return gpu.ErrOutOfMemory
	case 200, 209, 218, 221, 222: // invalid image, no binary, invalid PTX, no compiler, unsupported version of PTX
		of := cu.Version()
		return fmt.Errorf("no kernel image of this program runs on %s (compute capability %d.%d) with this driver, which is for CUDA %d.%d; "+
			"releases need one for 12.0 or later (version 525): %w", d.device.Name, d.device.Major, d.device.Minor, of/1000, of%1000/10, r)
	case 46: // not available
		return fmt.Errorf("another process has the GPU for itself, or nobody may use it: nvidia-smi shows processes and compute mode: %w", r)
	case 214, 220, 714: // uncorrectable error of ECC or NVLink, error of the hardware stack
		return fmt.Errorf("the GPU is lost: %w", r)
	case 702: // timeout of a launch
		return fmt.Errorf("a kernel ran longer than the driver allows on a GPU that drives a display: %w", r)
	case 700, 710, 715, 716, 717, 718, 719: // illegal access or instruction, assertion, failed launch
		return fmt.Errorf("the GPU is lost to this process: this call, or a kernel started before it; "+
			"ACQNP_CUDA_DEBUG=1 names the kernel: %w", r)
	}
	return r
}

// wrap returns err as the cause of a *gpu.Error; nil if err is nil.
func (d *Driver) wrap(call, kernel string, bytes int, err error) error {
	if err == nil {
		return nil
	}
	return &gpu.Error{Call: call, Kernel: kernel, Bytes: bytes, Cause: d.cause(err)}
}

var errClosed = errors.New("the driver is closed")
