// Package cli implements the command line. [Main] runs one command.
//
// Each command has a file with its options, its cobra command and its run function. Commands parse
// flags, call the other packages and print. Results go to standard output, progress and errors to
// standard error. Only exitCode turns errors into exit codes.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
)

// Exit codes of the program.
const (
	exitDone        = 0
	exitFailed      = 1   // the work failed, or the device in --device is missing
	exitUsage       = 2   // wrong usage, configuration or input
	exitInterrupted = 130 // stopped by SIGINT, SIGTERM or SIGHUP; training has written a checkpoint
	exitBrokenPipe  = 141 // nobody reads the pipe that is standard output
)

// Streams are the program's standard streams, and what another program than acqnp gives it.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Replace  func(program string, args, env []string) error // syscall.Exec; nil on systems without it

	// Groups makes the source of the benchmark groups: that of research/pretrained; nil elsewhere.
	Groups func(config.Experiment) *datasets.Source
}

// An app holds what the commands of one call share.
type app struct {
	Streams
	quiet, json bool // --quiet, --json
	overwrite   bool // --overwrite, of commands that write files
	args        []string
	variables   map[string]string // from a flag to the environment variable that has set it
	command     string            // the command that runs, such as "acqnp train"
	started     bool              // whether its run function was called; errors before are wrong usage
	warnings    warning.Record    // of what the command reads and computes; its result has the lines
	told        int               // how many of them warn has shown
	opened      device.Device     // the device that the command computes on; nil if it does not compute
}

// open opens the data of an experiment that a command trains or evaluates.
func (a *app) open(e config.Experiment, dataDir string) (*datasets.Source, error) {
	if b, _ := catalogue.Find(e.Benchmark); b.Kind == catalogue.Groups && a.Groups != nil {
		return a.Groups(e), nil
	}
	return benchmark.Open(e, dataDir)
}

// Main runs the command in args, without the program's name, and returns the exit code.
func Main(args []string, s Streams) (code int) {
	log.SetOutput(io.Discard)   // drops messages of libraries, such as the HTTP client's
	debug.SetTraceback("crash") // Go ends with 2 when memory runs out, which is exitUsage; now it ends by SIGABRT
	memory.LimitGarbage("/")
	ctx, cancel, stop := interruptible()
	defer stop()
	s.Err = watched(s.Err, cancel)
	a := &app{Streams: s, args: args, variables: map[string]string{}, command: "acqnp"}
	defer func() {
		if a.opened != nil {
			_ = a.opened.Close() // the command has waited for all results
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			a.report(fmt.Sprintf("internal error: %v", p), exitFailed, "")
			if os.Getenv("ACQNP_DEBUG") == "1" {
				s.Err.Write(debug.Stack())
			}
			code = exitFailed
		}
	}()
	root := newRoot(a)
	root.SetArgs(args)
	a.json, _ = strconv.ParseBool(os.Getenv(variable("json"))) // for errors before fromEnvironment
	cmd, err := root.ExecuteContextC(ctx)
	a.command = cmd.CommandPath()
	if err == nil {
		return exitDone
	}
	a.blame(err)
	code = a.exitCode(ctx, err)
	if code == exitBrokenPipe {
		return code
	}
	text := err.Error()
	switch {
	case code == exitUsage && !a.started:
		text += " (see " + a.command + " --help)"
	case errors.Is(err, context.Canceled):
		text = "interrupted"
	}
	a.report(text, code, cause(err))
	return code
}

// cause names the causes of an error that a program must tell from others, for --json.
func cause(err error) string {
	var diverged *train.NonFiniteError
	switch {
	case errors.Is(err, run.ErrBusy):
		return "busy"
	case errors.As(err, &diverged):
		return "diverged"
	}
	return ""
}

// exitCode returns the exit code for an error.
func (a *app) exitCode(ctx context.Context, err error) int {
	var bad *invalid.Input
	var file *fs.PathError
	unwritten := errors.As(err, &file) && file.Path == os.Stdout.Name()
	switch {
	case unwritten && errors.Is(file, syscall.EPIPE):
		return exitBrokenPipe
	case unwritten:
		return exitFailed
	case !a.started, errors.As(err, &bad):
		return exitUsage
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

// report writes an error as one line to standard error. cause is for --json.
func (a *app) report(text string, code int, cause string) {
	text = strings.Join(strings.Fields(text), " ")
	if a.json {
		e := progress.Event("error", "error", text)
		e["command"], e["exit_code"] = a.command, code
		if cause != "" {
			e["cause"] = cause
		}
		b, _ := json.Marshal(e)
		fmt.Fprintf(a.Err, "%s\n", b)
		return
	}
	fmt.Fprintln(a.Err, progress.Printable(a.command+": "+text, ""))
}

// run returns the function that cobra calls to run a command: f, which reads arguments from cmd.
func (a *app) run(f func(cmd *cobra.Command) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		a.command, a.started = cmd.CommandPath(), true
		err := f(cmd)
		var bad *invalid.Input
		if errors.As(err, &bad) && bad.File == "" && cmd.Flags().Lookup(bad.Key) != nil { // a package names a field
			bad.File, bad.Key = "--"+bad.Key, ""
		}
		return err
	}
}

// progress returns the reporter that --quiet and --json ask for.
func (a *app) progress() progress.Reporter {
	p := progress.New(a.Err, a.json)
	if a.quiet {
		return progress.Quiet(p)
	}
	return p
}

// warn shows the warnings that came since the last call, and returns all for the result of the command. No
// progress may be shown at the time.
func (a *app) warn() []string {
	lines := a.warnings.Lines()
	for _, line := range lines[a.told:] {
		a.progress().Warn(line)
	}
	a.told = len(lines)
	return lines
}

// result prints the result of a command: v as one line of JSON under --json, otherwise what text
// writes.
func (a *app) result(v any, text func(io.Writer) error) error {
	var b strings.Builder
	if !a.json {
		if err := text(&b); err != nil {
			return err
		}
		_, err := io.WriteString(a.Out, progress.Printable(b.String(), "\n\t"))
		return err
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(a.Out, b.String())
	return err
}

// line prints the result of a command, for people as one line.
func (a *app) line(v any, format string, args ...any) error {
	return a.result(v, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	})
}

// table prints the result of a command, for people as columns.
func (a *app) table(v any, rows [][]string) error {
	return a.result(v, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range rows {
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
		return t.Flush()
	})
}
