//go:build linux && amd64

// Command amx runs a program and carries out its AMX instructions in software, for tests on a
// processor without AMX:
//
//	go test -tags amxemulated -exec "$PWD/bin/amx" ./internal/simd
//
// It starts the program under ptrace. The processor refuses an AMX instruction with SIGILL; the
// command then computes what the instruction would, moves the thread behind it and lets it go on.
// Every thread has its own tiles. The instructions are those that internal/simd/gen writes. Some ten
// microseconds an instruction make timings meaningless.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: amx PROGRAM [ARGUMENT...]")
		os.Exit(2)
	}
	signal.Ignore(unix.SIGINT) // the program gets it too, and decides
	runtime.LockOSThread()     // ptrace knows one tracing thread
	code, err := run(os.Args[1], os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "amx:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// run runs a program and returns its exit status: 128 more than the signal if one ended it.
func run(name string, args []string) (int, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return 0, err
	}
	process, err := os.StartProcess(path, args, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &unix.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return 0, err
	}
	t := tracer{first: process.Pid, threads: map[int]*thread{}}
	return t.trace()
}
