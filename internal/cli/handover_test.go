//go:build !gpu && !simt

package cli_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/run/version"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestDevices(t *testing.T) {
	s := share(t)
	for device, code := range map[string]int{
		"auto": 0, "cpu": 0, "cuda": 1, "cuda:1": 1, "gpu": 2, "cuda:": 2, "cuda:x": 2, "": 2, "CPU": 2,
	} {
		o := acqnp("eval", "--run", s.run, "--device", device, "--out", filepath.Join(t.TempDir(), "eval.json"), "--quiet")
		if o.code != code {
			t.Errorf("--device %q: exit code %d, want %d: %s", device, o.code, code, o.err)
		}
		if code != 0 {
			checkRefusal(t, "--device "+device, o, code, "--device")
		}
	}
}

// fakeCUDA puts a program that claims to have the CUDA engine first in PATH.
func fakeCUDA(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, device.Program)
	must.Do(t, os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return file
}

// The other program gets the same arguments. Its output and exit code are the command's.
func TestWorkIsHandedOver(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	fakeCUDA(t, `[ "$1" = --version ] && echo 'acqnp `+version.String()+`' && exit
echo "$ACQNP_HANDED_OVER" >"`+out+`"
for word; do echo "<$word>" >>"`+out+`"; done
exit 7
`)
	cmd, errs := program(t, "bench", "--config", "a b", "--device", "cuda:1", "--steps=3")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
		t.Fatalf("%v\n%s", err, errs)
	}
	b, err := os.ReadFile(out)
	if want := "1\n<bench>\n<--config>\n<a b>\n<--device>\n<cuda:1>\n<--steps=3>\n"; err != nil || string(b) != want {
		t.Errorf("%v, got\n%swant\n%s", err, b, want)
	}
}

func TestHandingOverDoesNotGoRoundInCircles(t *testing.T) {
	fakeCUDA(t, `exec acqnp "$@"`)
	cmd, errs := program(t, "bench", "--config", share(t).config, "--device", "cuda")
	_ = cmd.Wait()
	checkRefusal(t, "a program without the engine", outcome{code: cmd.ProcessState.ExitCode(), err: errs.String()}, 1, "built without the CUDA engine")
}

// The program with the CUDA engine knows more of the GPU.
func TestDoctorIsHandedOver(t *testing.T) {
	file := fakeCUDA(t, "echo 'acqnp "+version.String()+"'\n")
	if o, program, argv, _ := called("doctor", "--json"); program != file || !slices.Equal(argv, []string{file, "doctor", "--json"}) {
		t.Errorf("%q started with %q: %s", program, argv, o.err)
	}
	file = fakeCUDA(t, "echo no usable GPU >&2\nexit 1\n")
	o, program, _, _ := called("doctor")
	if program != "" || o.code != 0 || !strings.Contains(o.out, "CUDA engine "+file+", not usable: no usable GPU\n") {
		t.Errorf("exit code %d, %q started: %s%s", o.code, program, o.out, o.err)
	}
}

// A program that was called says which one it is.
func TestTheProgramThatComputesIsNamed(t *testing.T) {
	s := share(t)
	args := []string{"eval", "--run", s.run, "--device", "cpu", "--overwrite", "--out", filepath.Join(t.TempDir(), "eval.json")}
	self := must.Get(os.Executable())(t)
	if o := acqnp(args...); strings.Contains(o.err, self) {
		t.Errorf("a program that nobody called: %s", o.err)
	}
	t.Setenv(device.HandedOver, "1")
	if o := acqnp(args...); o.code != 0 || !strings.Contains(o.err, ", by "+self+"\n") {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
}

func TestAGPUThatCannotBeUsed(t *testing.T) {
	file := fakeCUDA(t, "echo no usable GPU >&2\nexit 1\n")
	cmd, errs := program(t, "bench", "--config", share(t).config, "--device", "cuda")
	_ = cmd.Wait()
	checkRefusal(t, "a broken driver", outcome{code: cmd.ProcessState.ExitCode(), err: errs.String()}, 1, file+" cannot be used: no usable GPU")
}

// called runs acqnp with a Replace that fails.
func called(args ...string) (o outcome, program string, argv, env []string) {
	var out, err bytes.Buffer
	o.code = cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err, Replace: func(p string, a, e []string) error {
		program, argv, env = p, a, e
		return errors.New("too tired")
	}})
	o.out, o.err = out.String(), err.String()
	return o, program, argv, env
}

func TestAProgramThatDoesNotStart(t *testing.T) {
	file := fakeCUDA(t, "echo 'acqnp "+version.String()+"'\n")
	args := []string{"eval", "--run", share(t).run, "--device", "cuda", "--out", filepath.Join(t.TempDir(), "eval.json")}
	o, program, argv, env := called(args...)
	checkRefusal(t, "cuda", o, 1, file+" cannot be started: too tired")
	if program != file || !slices.Equal(argv, append([]string{file}, args...)) || !slices.Contains(env, device.HandedOver+"=1") {
		t.Errorf("%s %v", program, argv)
	}
	// Wrong flags are refused before anything is started.
	for _, wrong := range []string{"--threads=-1", "--precision=fp8"} {
		if o, program, _, _ := called(append(args, wrong)...); o.code != 2 || program != "" {
			t.Errorf("%s: exit code %d, %s started", wrong, o.code, program)
		}
	}
	if o, program, _, _ := called(append(slices.Clone(args[:4]), append([]string{"cpu"}, args[5:]...)...)...); o.code != 0 || program != "" {
		t.Errorf("--device cpu: exit code %d, %q started", o.code, program)
	}
}
