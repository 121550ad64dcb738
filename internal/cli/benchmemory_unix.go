//go:build unix

package cli

import (
	"runtime"
	"syscall"
)

// peakMemory is the most memory that the process has had resident, in bytes; 0 where unknown.
func peakMemory() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10 // elsewhere in KiB
}
