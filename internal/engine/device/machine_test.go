//go:build !gpu && !simt

package device_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/test/must"
)

// machine returns a machine with this program in a directory, and the named files under a root.
func machine(t *testing.T, names ...string) device.Machine {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		write(t, filepath.Join(root, name), "", 0o644)
	}
	return device.Machine{System: "linux", Version: "1.2.3 (abc)", Root: root, Executable: filepath.Join(root, "bin", "acqnp"), CanReplace: true}
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(content), mode))
}

// Programs with the CUDA engine, on machines with and without a usable GPU and a driver.
var (
	works  = "#!/bin/sh\necho 'acqnp 1.2.3 (abc)'\n"
	older  = "#!/bin/sh\necho 'acqnp 0.0.1 (abc)'\n"
	broken = "#!/bin/sh\necho 'acqnp: no usable GPU' >&2\nexit 1\n"
	bare   = "#!/bin/sh\necho '" + device.Program + ": error while loading shared libraries: " +
		"libcuda.so.1: cannot open shared object file: No such file or directory' >&2\nexit 127\n"
)

func beside(t *testing.T, m device.Machine, script string) string {
	t.Helper()
	file := filepath.Join(filepath.Dir(m.Executable), device.Program)
	write(t, file, script, 0o755)
	return file
}

// check compares the route of a choice: "program", for the one beside this program, "cpu" with words
// of the reason, or "error" with words of the message.
func check(t *testing.T, m device.Machine, choice, want string) {
	t.Helper()
	c := must.Get(device.ParseChoice(choice))(t)
	r, err := m.Route(c)
	kind, words, _ := strings.Cut(want, ": ")
	switch {
	case kind == "error":
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), words) ||
			!strings.HasPrefix(err.Error(), "--device "+choice) || !strings.Contains(err.Error(), "--device cpu") {
			t.Errorf("--device %s: %+v, %v, want one line with %q", choice, r, err, words)
		}
	case err != nil:
		t.Errorf("--device %s: %v, want %s", choice, err, want)
	case kind == "program":
		if r.Program != filepath.Join(filepath.Dir(m.Executable), device.Program) {
			t.Errorf("--device %s: %+v, want the program beside this one", choice, r)
		}
	case r.Program != "" || r.CUDA || !strings.Contains(r.Why, words) || words == "" && r.Why != "":
		t.Errorf("--device %s: %+v, want the CPU since %q", choice, r, words)
	}
}

func TestRoutes(t *testing.T) {
	for name, c := range map[string]struct {
		files, script    string // device files, and acqnp-cuda beside this program
		handedOver, kept bool
		want             map[string]string // by choice
	}{
		"no GPU": {want: map[string]string{"cpu": "cpu", "auto": "cpu: no NVIDIA GPU is visible", "cuda:0": "error: no NVIDIA device found"}},
		"no GPU, though a program": {script: broken,
			want: map[string]string{"auto": "cpu: no NVIDIA GPU is visible", "cuda:1": "error: no usable GPU"}},
		"no program": {files: "dev/nvidiactl",
			want: map[string]string{"cpu": "cpu", "auto": "cpu: make gpu", "cuda:0": "error: there is no " + device.Program + " beside this program or in PATH: " + device.Remedy}},
		"no program on WSL": {files: "dev/dxg", want: map[string]string{"cpu": "cpu", "auto": "cpu: make gpu", "cuda:0": "error: make gpu"}},
		"a program": {files: "dev/nvidiactl", script: works,
			want: map[string]string{"cpu": "cpu", "auto": "program", "cuda": "program", "cuda:3": "program"}},
		"a program, device files elsewhere": {script: works, want: map[string]string{"cuda": "program"}},
		"a program that cannot use the GPU": {files: "dev/nvidiactl", script: broken,
			want: map[string]string{"auto": "cpu: acqnp-cuda cannot be used: no usable GPU", "cuda:0": "error: acqnp-cuda cannot be used: no usable GPU"}},
		"a program of another version": {files: "dev/nvidiactl", script: older,
			want: map[string]string{"auto": "cpu: install the same version", "cuda": "error: it is acqnp 0.0.1 (abc), and this program is acqnp 1.2.3 (abc)"}},
		"a program without a driver": {script: bare,
			want: map[string]string{"auto": "cpu: no NVIDIA GPU is visible", "cuda": "error: no NVIDIA driver (libcuda.so.1): install one"}},
		"a program that does not start": {files: "dev/nvidiactl", script: "#!/nowhere\n", want: map[string]string{"auto": "cpu: cannot be used"}},
		"handed over": {files: "dev/nvidiactl", script: works, handedOver: true,
			want: map[string]string{"auto": "cpu: without the CUDA engine", "cuda:0": "error: acqnp was built without the CUDA engine"}},
		"not to be replaced": {files: "dev/nvidiactl", script: works, kept: true,
			want: map[string]string{"auto": "cpu: acqnp-cuda", "cuda:0": "error: acqnp-cuda"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, strings.Fields(c.files)...)
			m.HandedOver, m.CanReplace = c.handedOver, !c.kept
			if c.script != "" {
				beside(t, m, c.script)
			}
			for choice, want := range c.want {
				check(t, m, choice, want)
			}
		})
	}
}

// Opening a socket fails as opening a device file without a driver does: with ENXIO.
func TestADeviceFileWithoutADriverIsNoGPU(t *testing.T) {
	m := machine(t, "dev/dxg")            // makes the folder
	t.Chdir(filepath.Join(m.Root, "dev")) // the path of a socket must be short
	must.Do(t, os.Remove("dxg"))
	l, err := net.Listen("unix", "nvidiactl")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	check(t, m, "auto", "cpu: no NVIDIA GPU is visible")
}

// The program of this one's directory comes first, then those of PATH.
func TestTheProgramIsSearched(t *testing.T) {
	m := machine(t, "dev/nvidiactl")
	file, elsewhere := beside(t, m, works), filepath.Join(t.TempDir(), device.Program)
	write(t, elsewhere, works, 0o755)
	m.Path = filepath.Join(m.Root, "nothing") + string(filepath.ListSeparator) + filepath.Dir(elsewhere)
	check(t, m, "cuda", "program")
	must.Do(t, os.Remove(file))
	if r, err := m.Route(device.Choice{CUDA: true}); err != nil || r.Program != elsewhere {
		t.Errorf("%+v, %v, want %s", r, err, elsewhere)
	}
}

func TestWhatIsNoProgram(t *testing.T) {
	m := machine(t, "dev/nvidiactl")
	file := beside(t, m, works)
	must.Do(t, os.Chmod(file, 0o644))
	check(t, m, "cuda:0", "error: make gpu")
	must.Do(t, os.Remove(file))
	must.Do(t, os.Mkdir(file, 0o755))
	check(t, m, "cuda:0", "error: make gpu")

	t.Chdir(t.TempDir())
	write(t, device.Program, works, 0o755)
	m.Path = "." + string(filepath.ListSeparator)
	check(t, m, "cuda:0", "error: make gpu")
}

func TestOtherSystemsHaveNoEngine(t *testing.T) {
	m := machine(t)
	m.System = "windows"
	check(t, m, "auto", "cpu: no NVIDIA GPU is visible")
	check(t, m, "cuda", "error: "+device.Program+" is for Linux, this is windows")
}

func TestWhatTheDriverTells(t *testing.T) {
	m := machine(t)
	if m.Driver() != "" || len(m.GPUs()) > 0 {
		t.Errorf("%q, %q", m.Driver(), m.GPUs())
	}
	proc := filepath.Join(m.Root, "proc", "driver", "nvidia")
	write(t, filepath.Join(proc, "version"), "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1  Mon\nGCC version: 12\n", 0o644)
	for bus, name := range map[string]string{"0000:01:00.0": "NVIDIA H200", "0000:02:00.0": "Tesla T4"} {
		write(t, filepath.Join(proc, "gpus", bus, "information"), "Model: \t\t "+name+"\nIRQ: 12\n", 0o644)
	}
	if got := m.Driver(); got != "NVIDIA UNIX x86_64 Kernel Module 535.1 Mon" {
		t.Errorf("driver %q", got)
	}
	must.Same(t, []string{"NVIDIA H200", "Tesla T4"}, m.GPUs(), "GPUs")
}

func TestTheEngineOfAMachine(t *testing.T) {
	m := machine(t, "dev/nvidiactl")
	if e := m.Engine(); e.Program != "" || e.Err != nil {
		t.Errorf("%+v", e)
	}
	file := beside(t, m, works)
	if e := m.Engine(); e.Program != file || e.Err != nil {
		t.Errorf("%+v", e)
	}
	for _, script := range []string{broken, older} {
		beside(t, m, script)
		if e := m.Engine(); e.Program != file || e.Err == nil {
			t.Errorf("%+v", e)
		}
	}
}

// The GPUs that a program may use are those of its container, or those that CUDA_VISIBLE_DEVICES names.
func TestVisibleGPUs(t *testing.T) {
	m := machine(t, "dev/nvidiactl", "dev/nvidia-uvm", "dev/nvidia1", "dev/nvidia12")
	t.Setenv("CUDA_VISIBLE_DEVICES", "") // so that it is restored
	os.Unsetenv("CUDA_VISIBLE_DEVICES")
	if n := m.Visible(); n != 2 {
		t.Errorf("%d GPUs of two device files", n)
	}
	for list, want := range map[string]int{"": 0, "3": 1, "0,2,5": 3, "GPU-1a,GPU-2b": 2} {
		t.Setenv("CUDA_VISIBLE_DEVICES", list)
		if n := m.Visible(); n != want {
			t.Errorf("CUDA_VISIBLE_DEVICES=%q: %d GPUs, want %d", list, n, want)
		}
		if device.Instances() != nil {
			t.Errorf("CUDA_VISIBLE_DEVICES=%q: instances", list)
		}
	}
}
