package sweep_test

import (
	"os"
	"syscall"
)

// peak returns the most memory that a process held, in KiB.
func peak(p *os.ProcessState) int64 { return int64(p.SysUsage().(*syscall.Rusage).Maxrss) }
