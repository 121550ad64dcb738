//go:build !windows

package sweep

import (
	"os"
	"syscall"
)

// end asks a child to end in good order.
func end(child *os.Process) error { return child.Signal(syscall.SIGTERM) }
