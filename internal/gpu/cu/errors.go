//go:build gpu

package cu

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/acqnp/acqnp/internal/gpu"
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
	illegalAddress        result = 700
	launchTimeout         result = 702
	hardwareStackError    result = 714
	launchFailed          result = 719
)

// cause returns the error of a call with a message that explains it. The errors of gorgonia.org/cu
// are the driver's error codes in an unexported type.
func (d *Driver) cause(err error) error {
	r, ok := err.(result)
	if !ok {
		v := reflect.ValueOf(err)
		if v.Kind() != reflect.Int {
			return err
		}
		r = result(v.Int())
	}
	switch r {
	case outOfMemory:
		return gpu.ErrOutOfMemory
	case noBinaryForGPU, invalidPTX, jitCompilerNotFound, unsupportedPTXVersion:
		return fmt.Errorf("no kernel image of this program runs on %s (compute capability %d.%d) with this driver: %w",
			d.device.Name, d.device.Major, d.device.Minor, r)
	case deviceUnavailable, eccUncorrectable, nvlinkUncorrectable, hardwareStackError:
		return fmt.Errorf("the GPU is lost: %w", r)
	case illegalAddress, launchTimeout, launchFailed:
		return fmt.Errorf("the GPU is lost to this process: this call, or a kernel started before it: %w", r)
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

var (
	errCapturing = errors.New("not allowed while a graph is captured")
	errClosed    = errors.New("the driver is closed")
)
