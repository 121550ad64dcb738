package sweep

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// An event is a line that a child writes to standard error under --json.
type event struct {
	Event   string   `json:"event"` // note, warning, progress or error
	Message string   `json:"message"`
	Cause   string   `json:"cause"` // of an error
	Unit    string   `json:"unit"`
	Done    int      `json:"done"`
	Total   int      `json:"total"`
	Loss    *float64 `json:"loss"`
	LeftS   *float64 `json:"left_s"`
}

// An ending says how a child ended.
type ending struct {
	code    int    // its exit code; −1 if a signal ended it
	cause   string // causeBusy, run.Diverged or another word of the child
	message string // its error in one line
}

// The exit codes of a child between which the pool distinguishes.
const (
	codeDone        = 0
	codeFailed      = 1
	codeInput       = 2
	codeInterrupted = 130
)

// patience is how long a child may take to write its checkpoint after SIGTERM.
const patience = 10 * time.Minute

// start runs the program with args and calls on for each event. If ctx ends, or on Linux if this process
// dies, the child gets SIGTERM, on Windows CTRL_BREAK, and training writes a checkpoint. start returns an error only if the
// child could not be run.
func start(ctx context.Context, program string, args, environment []string, on func(event)) (ending, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = environment
	cmd.Cancel = func() error { return end(cmd.Process) }
	cmd.WaitDelay = patience
	cmd.SysProcAttr = apart()
	errs, err := cmd.StderrPipe()
	if err != nil {
		return ending{}, err
	}
	// Linux sends that signal when the thread dies that started the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return ending{}, err
	}
	var e ending
	e.message = listen(errs, func(v event) {
		if v.Event == "error" {
			e.cause = v.Cause
		}
		on(v)
	})
	err = cmd.Wait()
	e.code = cmd.ProcessState.ExitCode()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, context.Canceled) {
		return e, err
	}
	if e.code < 0 {
		e.message = fmt.Sprintf("the process was ended: %v", cmd.ProcessState)
	}
	return e, nil
}

// listen reads events until the end. It returns the message of the error event. Without one it returns the
// first line that is not an event, such as one of the Go runtime.
func listen(r io.Reader, on func(event)) (message string) {
	lines := bufio.NewReaderSize(r, 1<<16)
	foreign := ""
	for {
		line, err := lines.ReadString('\n')
		var v event
		switch {
		case json.Unmarshal([]byte(line), &v) == nil && v.Event != "":
			if v.Event == "error" {
				message = v.Message
			}
			on(v)
		case foreign == "":
			foreign = strings.TrimSpace(line)
		}
		if err != nil {
			return cmp.Or(message, foreign)
		}
	}
}
