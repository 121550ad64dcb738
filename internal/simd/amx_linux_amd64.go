package simd

import (
	"syscall"

	"golang.org/x/sys/cpu"
)

// hasTiles asks the kernel for the tiles' registers, which a process gets for the asking alone.
var hasTiles = func() bool {
	const requestPermission, tileData = 0x1023, 18
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 || !cpu.X86.HasAVX512F {
		return false
	}
	_, _, err := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return err == 0
}()
