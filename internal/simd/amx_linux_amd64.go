//go:build !amxemulated

package simd

import (
	"syscall"

	"golang.org/x/sys/cpu"
)

// hasTiles reports whether the tile registers can be used. Linux grants them only to a process that
// asks for them.
var hasTiles = func() bool {
	const requestPermission, tileData = 0x1023, 18
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 || !cpu.X86.HasAVX512F {
		return false
	}
	_, _, err := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return err == 0
}()
