// Package clitest runs scripts of commands, testscript's, with acqnp in their PATH. Scripts that cost much are in
// packages of their own, internal/test/fits and internal/test/predictions, since go test allows ten minutes a package;
// the others are in internal/cli.
package clitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/test/events"
)

// Main puts acqnp into PATH, which is this binary under that name, and runs the tests without variables of this
// program. It does not return.
func Main(m testscript.TestingM) {
	testscript.Main(cleared{m}, map[string]func(){"acqnp": func() {
		os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Replace: syscall.Exec}))
	}})
}

type cleared struct{ testscript.TestingM }

// Run unsets the variables of this program and runs the tests.
func (c cleared) Run() int {
	Clear()
	return c.TestingM.Run()
}

// Clear unsets the variables of this program, but for the folder of real data.
func Clear() {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "ACQNP_") && name != "ACQNP_SHARED" {
			os.Unsetenv(name)
		}
	}
}

// Run runs the scripts of testdata, each in a directory of its own, with more variables. $ROOT is the repository, here root,
// $SHARED the folder of real data. $TABLES has a table of 10 rivers, with the flow and the temperature at 5 depths,
// and one of 9 products, whose prices fall with age.
//
// Beside the commands of testscript they have
//
//	refuse TEXT ARG...       acqnp ARG... ends with 2, one line with TEXT and no change of any file
//	fail CODE TEXT ARG...    acqnp ARG... ends with CODE and one line with TEXT
//	json FILE KEY=VALUE...   the last JSON value of a file, or of stdout or stderr, has these values: a.0.b is
//	                         an element, a.# the length of a list, VALUE "" means absent, and @OTHER[:KEY]
//	                         the value in the file OTHER
//	events DIR TAG=STEP,...  TensorBoard shows values of these steps
//	copy FROM TO             copies a directory
func Run(t *testing.T, root string, vars ...string) {
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(cmp.Or(os.Getenv("ACQNP_SHARED"), filepath.Join(root, "../shared")), "data")
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(append(e.Vars, "ROOT="+root, "SHARED="+shared, "TABLES="+filepath.Join(root, "internal/cli/testdata")), vars...)
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "shared": // the real data sets, in $SHARED
				_, err := os.Stat(shared)
				return err == nil, nil
			case "memory": // less than a terabyte is available
				have, known := memory.Available("/")
				return known && have < 1e12, nil
			case "gpu":
				return device.ThisMachine("").GPU(), nil
			}
			return false, fmt.Errorf("no condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"refuse": func(ts *testscript.TestScript, _ bool, args []string) {
				before := contents(ts)
				refused(ts, 2, args[0], args[1:])
				if after := contents(ts); after != before {
					ts.Fatalf("it changed files:\n%s\n%s", before, after)
				}
			},
			"fail": func(ts *testscript.TestScript, _ bool, args []string) {
				code, err := strconv.Atoi(args[0])
				ts.Check(err)
				refused(ts, code, args[1], args[2:])
			},
			"json": func(ts *testscript.TestScript, neg bool, args []string) {
				v := lastJSON(ts, args[0])
				for _, arg := range args[1:] {
					key, want, _ := strings.Cut(arg, "=")
					if other, is := strings.CutPrefix(want, "@"); is {
						file, of, _ := strings.Cut(other, ":")
						want = element(lastJSON(ts, file), cmp.Or(of, key))
					}
					if got := element(v, key); (got == want) == neg {
						ts.Fatalf("%s has %s = %s, want %s (not: %t)", args[0], key, got, want, neg)
					}
				}
			},
			"events": func(ts *testscript.TestScript, _ bool, args []string) {
				shown, err := events.Shown(ts.MkAbs(args[0]))
				ts.Check(err)
				for _, arg := range args[1:] {
					tag, want, _ := strings.Cut(arg, "=")
					var steps []string
					for _, v := range shown[tag] {
						steps = append(steps, strconv.Itoa(v.Step))
					}
					if got := strings.Join(steps, ","); got != want {
						ts.Fatalf("%s has %s at steps %s, want %s", args[0], tag, got, want)
					}
				}
			},
			"copy": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
			},
		},
	})
}

// refused runs acqnp, which must end with a code, one line with a text, and no result.
func refused(ts *testscript.TestScript, code int, text string, args []string) {
	err := ts.Exec("acqnp", args...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != code {
		ts.Fatalf("ended with %v, want exit code %d", err, code)
	}
	line := ts.ReadFile("stderr")
	if strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "acqnp") || !strings.Contains(line, text) {
		ts.Fatalf("standard error is %q, want one line with %q", line, text)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output is %q", out)
	}
}

// contents returns all files of a script and what they hold.
func contents(ts *testscript.TestScript) string {
	var b bytes.Buffer
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, e fs.DirEntry, err error) error {
		fmt.Fprintln(&b, path, e.Type())
		if err == nil && e.Type().IsRegular() {
			content, readErr := os.ReadFile(path)
			b.WriteString(strconv.Quote(string(content)))
			err = readErr
		}
		return err
	}))
	return b.String()
}

// lastJSON returns the last JSON value of a file.
func lastJSON(ts *testscript.TestScript, file string) (v any) {
	for d := json.NewDecoder(strings.NewReader(ts.ReadFile(file))); ; {
		if err := d.Decode(&v); err == io.EOF {
			return v
		} else if err != nil {
			ts.Fatalf("%s: %v", file, err)
		}
	}
}

// element returns a part of a JSON value as text, "" if there is none.
func element(v any, key string) string {
	for part := range strings.SplitSeq(key, ".") {
		switch in := v.(type) {
		case map[string]any:
			if _, is := in[part]; !is {
				return ""
			}
			v = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			switch {
			case part == "#":
				v = float64(len(in))
			case err == nil && i < len(in):
				v = in[i]
			default:
				return ""
			}
		default:
			return ""
		}
	}
	if text, is := v.(string); is {
		return text
	}
	b, _ := json.Marshal(v)
	return string(b)
}
