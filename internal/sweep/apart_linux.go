package sweep

import (
	"syscall"
)

// apart puts a child into a process group of its own, so that only this process passes the terminal's
// signals on, and has the kernel end it in good order if this process dies.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
