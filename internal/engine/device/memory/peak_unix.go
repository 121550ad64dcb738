//go:build unix

package memory

import (
	"runtime"
	"syscall"
)

// Peak returns the largest resident size of the process so far, in bytes, or 0 if it is not known.
func Peak() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10 // elsewhere in KiB
}
