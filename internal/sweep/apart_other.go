//go:build !linux && !windows

package sweep

import (
	"syscall"
)

// apart does nothing: this system cannot end a child with its parent.
func apart() *syscall.SysProcAttr { return nil }
