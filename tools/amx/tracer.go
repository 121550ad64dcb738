//go:build linux && amd64

package main

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// tracer follows a process, its threads and the processes that they start.
type tracer struct {
	first   int // the process
	threads map[int]*thread
}

// thread is a thread and its tiles. Code does not change, so each instruction is decoded once.
type thread struct {
	id    int
	tiles tiles
	code  map[uint64]instruction
}

// options follow new threads and processes, and end them if the tracer ends.
const options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL

// trace lets the stopped process run to its end and returns its exit status.
func (t *tracer) trace() (int, error) {
	for {
		var status unix.WaitStatus
		id, err := unix.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, fmt.Errorf("wait: %w", err)
		case status.Stopped():
			if err := t.stopped(id, status); err != nil && !errors.Is(err, unix.ESRCH) { // ESRCH: the thread was killed
				return 0, err
			}
			continue
		}
		delete(t.threads, id)
		if id == t.first && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		if id == t.first {
			return status.ExitStatus(), nil
		}
	}
}

// stopped handles a stop of a thread and lets it go on.
func (t *tracer) stopped(id int, status unix.WaitStatus) error {
	th, known := t.threads[id]
	if !known {
		th = &thread{id: id, code: map[uint64]instruction{}}
		t.threads[id] = th
		if id == t.first {
			if err := unix.PtraceSetOptions(id, options); err != nil {
				return fmt.Errorf("ptrace: %w", err)
			}
		}
		return unix.PtraceCont(id, 0) // the first stop is ptrace's own
	}
	signal := status.StopSignal()
	switch {
	case signal == unix.SIGILL:
		done, err := th.step()
		if err != nil {
			return err
		}
		if done {
			signal = 0
		}
	case signal == unix.SIGTRAP && status.TrapCause() > 0:
		if status.TrapCause() == unix.PTRACE_EVENT_EXEC {
			*th = thread{id: id, code: map[uint64]instruction{}}
		}
		signal = 0
	}
	return unix.PtraceCont(id, int(signal))
}

// step carries out the AMX instruction at which the thread stopped, and those right behind it. It
// reports whether there was one.
func (th *thread) step() (done bool, err error) {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(th.id, &regs); err != nil {
		return false, err
	}
	for {
		i, ok := th.instruction(regs.Rip)
		if !ok || !th.tiles.execute(i, &regs, processMemory(th.id)) {
			break
		}
		regs.Rip += uint64(i.size)
		done = true
	}
	if !done {
		return false, nil
	}
	return true, unix.PtraceSetRegs(th.id, &regs)
}

// instruction returns the instruction at an address. ok is false if it is none of AMX.
func (th *thread) instruction(at uint64) (i instruction, ok bool) {
	i, seen := th.code[at]
	if !seen {
		var code [longest]byte
		// The last instruction of a page may be followed by nothing, so a part is enough.
		n := processMemory(th.id).readSome(at, code[:])
		i = decode(code[:n])
		th.code[at] = i
	}
	return i, i.kind != none
}

// processMemory is the memory of a process, which one of its threads names.
type processMemory int

func (m processMemory) readSome(at uint64, to []byte) int {
	local := []unix.Iovec{{Base: &to[0]}}
	local[0].SetLen(len(to))
	// A read that crosses into a page that does not exist returns what is before it only if the
	// two parts have their own vectors.
	n := min(len(to), int(0x1000-at%0x1000))
	remote := []unix.RemoteIovec{{Base: uintptr(at), Len: n}, {Base: uintptr(at) + uintptr(n), Len: len(to) - n}}
	read, err := unix.ProcessVMReadv(int(m), local, remote, 0)
	if err != nil {
		return 0
	}
	return read
}

// rows describes rows in the process: n bytes each, stride bytes apart.
func rows(at, stride uint64, count, n int) []unix.RemoteIovec {
	if stride == uint64(n) {
		return []unix.RemoteIovec{{Base: uintptr(at), Len: count * n}}
	}
	v := make([]unix.RemoteIovec, count)
	for i := range v {
		v[i] = unix.RemoteIovec{Base: uintptr(at + uint64(i)*stride), Len: n}
	}
	return v
}

// read reads count rows of n bytes, and reports whether all of them exist.
func (m processMemory) read(at, stride uint64, count, n int, to []byte) bool {
	local := []unix.Iovec{{Base: &to[0]}}
	local[0].SetLen(count * n)
	got, err := unix.ProcessVMReadv(int(m), local, rows(at, stride, count, n), 0)
	return err == nil && got == count*n
}

// write writes count rows of n bytes, and reports whether all of them exist.
func (m processMemory) write(at, stride uint64, count, n int, from []byte) bool {
	local := []unix.Iovec{{Base: &from[0]}}
	local[0].SetLen(count * n)
	put, err := unix.ProcessVMWritev(int(m), local, rows(at, stride, count, n), 0)
	return err == nil && put == count*n
}
