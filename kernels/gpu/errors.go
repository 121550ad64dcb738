package gpu

import (
	"errors"
	"fmt"
	"strings"
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
	var b strings.Builder
	b.WriteString("CUDA ")
	b.WriteString(e.Call)
	if e.Kernel != "" {
		b.WriteString(" ")
		b.WriteString(e.Kernel)
	}
	if e.Bytes > 0 {
		fmt.Fprintf(&b, " (%d bytes)", e.Bytes)
	}
	fmt.Fprintf(&b, ": %v", e.Cause)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }
