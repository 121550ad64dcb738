package gpu

import (
	"errors"
	"fmt"
)

// ErrOutOfMemory is the cause of an Error if the device has too little memory.
var ErrOutOfMemory = errors.New("out of memory on the device")

// Error is the error of a call to the driver.
type Error struct {
	Call   string // such as "launch" or "alloc"
	Kernel string // of the call, if it has one
	Bytes  int    // of the call, if it has a size
	Cause  error  // the driver's message, or ErrOutOfMemory
}

// Error returns one line: "CUDA CALL KERNEL (N bytes): cause".
func (e *Error) Error() string {
	call := "CUDA " + e.Call
	if e.Kernel != "" {
		call += " " + e.Kernel
	}
	if e.Bytes > 0 {
		call += fmt.Sprintf(" (%d bytes)", e.Bytes)
	}
	return fmt.Sprintf("%s: %v", call, e.Cause)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }
