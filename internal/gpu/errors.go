package gpu

import (
	"errors"
	"fmt"
	"strings"
)

// ErrOutOfMemory is the cause of an Error where the device has too little memory.
var ErrOutOfMemory = errors.New("out of memory on the device")

// Error is a call to the driver that failed.
type Error struct {
	Call   string // such as "launch" or "alloc"
	Kernel string // where the call has one
	Bytes  int    // where the call has a size
	Cause  error  // the driver's words, or ErrOutOfMemory
}

// Error is one line: "CUDA CALL KERNEL (N bytes): cause".
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

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }
