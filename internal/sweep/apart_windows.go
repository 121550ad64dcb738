package sweep

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart gives a child a console group of its own, so that end reaches it alone. The child does not end
// with this process.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// end asks a child to end in good order. Windows has no SIGTERM; CTRL_BREAK arrives as os.Interrupt.
func end(child *os.Process) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(child.Pid))
}
