package cli_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/cli/clitest"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/test/nolocks"
)

// thenFails is the environment variable that makes the program end with a fault that nothing can catch.
const thenFails = "CLI_TEST_THEN_FAILS"

// withoutLocks is the environment variable that makes it see file systems without locks.
const withoutLocks = "CLI_TEST_WITHOUT_LOCKS"

// TestMain puts acqnp into PATH: this binary under that name.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"acqnp": func() {
		if os.Getenv(withoutLocks) != "" {
			if err := nolocks.Forbid(); err != nil {
				panic(err)
			}
		}
		code := cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Replace: syscall.Exec})
		if os.Getenv(thenFails) != "" {
			new(sync.Mutex).Unlock() // a fatal error, as "out of memory" is
		}
		os.Exit(code)
	}})
}

type tests struct{ *testing.M }

// Run runs the tests without variables of this program, and removes the files that they share.
func (t tests) Run() int {
	clitest.Clear()
	code := t.M.Run()
	if sharedDir != "" {
		os.RemoveAll(sharedDir)
	}
	return code
}

// outcome is the result of a call of the program.
type outcome struct {
	code     int
	out, err string
}

func acqnp(args ...string) outcome {
	var out, err bytes.Buffer
	code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
	return outcome{code, out.String(), err.String()}
}

// succeed runs a command that must exit with 0.
func succeed(t *testing.T, args ...string) outcome {
	t.Helper()
	o := acqnp(args...)
	if o.code != 0 {
		t.Fatalf("acqnp %s: exit code %d\n%s", strings.Join(args, " "), o.code, o.err)
	}
	return o
}

// checkRefusal checks the exit code, that standard error is one line with the text, and that
// standard output is empty.
func checkRefusal(t *testing.T, name string, o outcome, code int, text string) {
	t.Helper()
	if o.code != code {
		t.Errorf("%s: exit code %d, want %d: %s", name, o.code, code, o.err)
	}
	if strings.Count(o.err, "\n") != 1 || !strings.HasPrefix(o.err, "acqnp") || !strings.Contains(o.err, text) {
		t.Errorf("%s: standard error is %q, want one line with %q", name, o.err, text)
	}
	if o.out != "" {
		t.Errorf("%s: standard output is %q", name, o.out)
	}
}

// tinyConfig is an experiment that trains in seconds.
const tinyConfig = `benchmark: sawtooth
model:
  name: acqnp
  representation: 8
  encoder: [8]
  adaptor: [8]
  adaptor_form: residual
  decoder: [8]
data: {points: [6, 12]}
train: {steps: 30, batch_size: 4, num_tau: 4, log_every: 10, checkpoint_every: 10, learning_rate: 1e-2}
eval: {num_tau: 5, batches: 3, batch_size: 2, num_points: 20, max_context: 8}
`

var (
	sharedDir string
	shareOnce sync.Once
)

// shared holds files that tests read and never change: a configuration, a run of it, its weights,
// and a context.
type shared struct{ config, run, weights, context string }

func share(t *testing.T) shared {
	t.Helper()
	s := shared{config: "tiny.yaml", run: "run", weights: "weights.safetensors", context: "context.csv"}
	shareOnce.Do(func() {
		var err error
		if sharedDir, err = os.MkdirTemp("", "acqnp-cli-*"); err != nil {
			t.Fatal(err)
		}
		config := must.Write(t, tinyConfig, sharedDir, s.config)
		run := filepath.Join(sharedDir, s.run)
		succeed(t, "train", "--config", config, "--run-dir", run, "--quiet", "--no-eval")
		succeed(t, "export", "--run", run, "--format", "torch", "--out", filepath.Join(sharedDir, s.weights))
		must.Write(t, "x,y\n-1,0.5\n0,0.25\n1,-0.5\n", sharedDir, s.context)
	})
	for _, path := range []*string{&s.config, &s.run, &s.weights, &s.context} {
		*path = filepath.Join(sharedDir, *path)
		must.Do(t, must.Err(os.Stat(*path)))
	}
	return s
}

// quantileRow is a row of quantiles.csv by column name.
type quantileRow map[string]string

func (r quantileRow) number(t *testing.T, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("%s: %v in %v", column, err, r)
	}
	return v
}

func readRows(t *testing.T, path string) (rows []quantileRow) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	all := must.Get(csv.NewReader(f).ReadAll())(t)
	for _, fields := range all[1:] {
		r := quantileRow{}
		for i, name := range all[0] {
			r[name] = fields[i]
		}
		rows = append(rows, r)
	}
	return rows
}
