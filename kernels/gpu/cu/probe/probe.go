//go:build gpu

// Package probe ends a process that has no usable NVIDIA GPU, with one clear line and status 1.
// gorgonia.org/cu does the same when it is initialised, but prints the driver's number to stdout.
// Go initialises packages in the order of their import paths, as far as their imports allow. This
// package comes first because it imports nothing that cu does not.
package probe

/*
#cgo LDFLAGS: -lcuda
#cgo linux CFLAGS: -I/usr/local/cuda/include
#include <cuda.h>
*/
import "C"

import (
	"fmt"
	"os"
)

func init() {
	r := C.cuInit(0)
	if r == C.CUDA_SUCCESS {
		return
	}
	var name, text *C.char
	C.cuGetErrorName(r, &name)
	C.cuGetErrorString(r, &text)
	words := fmt.Sprintf("CUDA error %d", int(r))
	if name != nil && text != nil {
		words = fmt.Sprintf("%s (%s)", C.GoString(text), C.GoString(name))
	}
	fmt.Fprintf(os.Stderr, "acqnp: no usable NVIDIA GPU: %s\n", words)
	os.Exit(1)
}
