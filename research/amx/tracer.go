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
		n := processMemory(th.id).code(at, code[:])
		i = decode(code[:n])
		th.code[at] = i
	}
	return i, i.kind != none
}

// processMemory is the memory of a process, which one of its threads names.
type processMemory int

// code reads code, fewer bytes than asked for where nothing follows it.
func (m processMemory) code(at uint64, to []byte) int {
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

func (m processMemory) read(at, stride uint64, to *tile) bool {
	return moved(unix.ProcessVMReadv, m, at, stride, to)
}

func (m processMemory) write(at, stride uint64, from *tile) bool {
	return moved(unix.ProcessVMWritev, m, at, stride, from)
}

// moved moves a tile by a system call and reports whether all of it was moved.
func moved(call func(int, []unix.Iovec, []unix.RemoteIovec, uint) (int, error), m processMemory, at, stride uint64, t *tile) bool {
	local, remote := []unix.Iovec{{Base: &t[0][0]}}, make([]unix.RemoteIovec, len(t))
	local[0].SetLen(len(t) * len(t[0]))
	for i := range remote {
		remote[i] = unix.RemoteIovec{Base: uintptr(at + uint64(i)*stride), Len: len(t[0])}
	}
	n, err := call(int(m), local, remote, 0)
	return err == nil && n == len(t)*len(t[0])
}
