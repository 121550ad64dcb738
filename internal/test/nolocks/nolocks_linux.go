//go:build linux && (amd64 || arm64)

package nolocks

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// Known says that Forbid works on this system.
const Known = true

// Of the kernel's headers prctl.h, seccomp.h, filter.h and audit.h.
const (
	setNoNewPrivs = 38
	modeFilter    = 1
	allThreads    = 1 // SECCOMP_FILTER_FLAG_TSYNC
	allow         = 0x7fff0000
	fail          = 0x00050000 // with an error number in the low bits

	loadWord   = 0x20 // BPF_LD | BPF_W | BPF_ABS
	jumpEqual  = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	returnWord = 0x06 // BPF_RET | BPF_K
)

// seccomp is the number of the system call of that name.
var seccomp = map[string]uintptr{"amd64": 317, "arm64": 277}[runtime.GOARCH]

type instruction struct {
	code     uint16
	_, no    uint8
	constant uint32
}

type program struct {
	length uint16
	first  *instruction
}

// Forbid lets flock fail with ENOLCK in all threads of this process and in its children, for good.
func Forbid() error {
	filter := []instruction{
		{code: loadWord, constant: 0}, // the number of the system call
		{code: jumpEqual, constant: syscall.SYS_FLOCK, no: 1},
		{code: returnWord, constant: fail | uint32(syscall.ENOLCK)},
		{code: returnWord, constant: allow},
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, _, e := syscall.Syscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0); e != 0 {
		return fmt.Errorf("prctl: %w", e)
	}
	p := program{uint16(len(filter)), &filter[0]}
	if _, _, e := syscall.Syscall(seccomp, modeFilter, allThreads, uintptr(unsafe.Pointer(&p))); e != 0 {
		return fmt.Errorf("seccomp: %w", e)
	}
	return nil
}
