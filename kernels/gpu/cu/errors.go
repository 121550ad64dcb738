//go:build gpu

package cu

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// The driver's error codes for which cause adds an explanation.
const (
	outOfMemory           result = 2
	deviceUnavailable     result = 46
	noBinaryForGPU        result = 209
	eccUncorrectable      result = 214
	invalidPTX            result = 218
	nvlinkUncorrectable   result = 220
	jitCompilerNotFound   result = 221
	unsupportedPTXVersion result = 222
	notFound              result = 500
	illegalAddress        result = 700
	launchTimeout         result = 702
	deviceAssert          result = 710
	hardwareStackError    result = 714
	illegalInstruction    result = 715
	misalignedAddress     result = 716
	invalidAddressSpace   result = 717
	invalidPC             result = 718
	launchFailed          result = 719
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
	case noBinaryForGPU, invalidPTX, jitCompilerNotFound, unsupportedPTXVersion:
		return fmt.Errorf("no kernel image of this program runs on %s (compute capability %d.%d) with this driver: %w",
			d.device.Name, d.device.Major, d.device.Minor, r)
	case deviceUnavailable, eccUncorrectable, nvlinkUncorrectable, hardwareStackError:
		return fmt.Errorf("the GPU is lost: %w", r)
	case launchTimeout:
		return fmt.Errorf("a kernel ran longer than the driver allows on a GPU that drives a display: %w", r)
	case illegalAddress, deviceAssert, illegalInstruction, misalignedAddress, invalidAddressSpace, invalidPC, launchFailed:
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
