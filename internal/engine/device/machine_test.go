//go:build !gpu && !simt

package device_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/device"
)

// machine returns a machine with this program in a directory, and the named files under a root.
func machine(t *testing.T, names ...string) device.Machine {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		write(t, filepath.Join(root, name), "", 0o644)
	}
	return device.Machine{Root: root, Executable: filepath.Join(root, "bin", "acqnp"), CanReplace: true}
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// works and broken are programs with the CUDA engine, on machines with and without a usable GPU.
const (
	works  = "#!/bin/sh\nexit 0\n"
	broken = "#!/bin/sh\necho 'acqnp: no usable GPU' >&2\nexit 1\n"
)

func beside(t *testing.T, m device.Machine, script string) string {
	t.Helper()
	file := filepath.Join(filepath.Dir(m.Executable), device.Program)
	write(t, file, script, 0o755)
	return file
}

func route(t *testing.T, m device.Machine, choice string) (device.Route, error) {
	t.Helper()
	c, err := device.ParseChoice(choice)
	if err != nil {
		t.Fatal(err)
	}
	return m.Route(c)
}

// here checks that the route is the CPU in this program, for a reason that contains the words.
func here(t *testing.T, m device.Machine, choice, why string) {
	t.Helper()
	r, err := route(t, m, choice)
	if err != nil || r.Program != "" || r.CUDA || !strings.Contains(r.Why, why) || why == "" && r.Why != "" {
		t.Errorf("--device %s: %+v, %v, want the CPU since %q", choice, r, err, why)
	}
}

// refused checks that the error is one line that contains the words.
func refused(t *testing.T, m device.Machine, choice string, words ...string) {
	t.Helper()
	_, err := route(t, m, choice)
	if err == nil {
		t.Errorf("--device %s: no error", choice)
		return
	}
	for _, w := range append(words, "--device cpu", choice) {
		if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
			t.Errorf("--device %s: %q, want one line with %q", choice, err, w)
		}
	}
}

// handed checks that the route is another program.
func handed(t *testing.T, m device.Machine, choice, program string) {
	t.Helper()
	if r, err := route(t, m, choice); err != nil || r.Program != program {
		t.Errorf("--device %s: %+v, %v, want %s", choice, r, err, program)
	}
}

func TestWithoutAGPU(t *testing.T) {
	m := machine(t)
	here(t, m, "cpu", "")
	here(t, m, "auto", "no NVIDIA GPU is visible")
	refused(t, m, "cuda:0", "no NVIDIA device found")
	beside(t, m, broken)
	here(t, m, "auto", "no NVIDIA GPU is visible")
	refused(t, m, "cuda:1", "no usable GPU")
}

func TestAGPUWithoutTheProgram(t *testing.T) {
	for _, file := range []string{"dev/nvidiactl", "dev/dxg"} {
		m := machine(t, file)
		here(t, m, "cpu", "")
		here(t, m, "auto", "make gpu")
		refused(t, m, "cuda:0", "make gpu", device.Program)
	}
}

// Opening a socket fails as opening a device file without a driver does: with ENXIO.
func TestADeviceFileWithoutADriverIsNoGPU(t *testing.T) {
	m := machine(t, "dev/dxg")            // makes the folder
	t.Chdir(filepath.Join(m.Root, "dev")) // the path of a socket must be short
	if err := os.Remove("dxg"); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", "nvidiactl")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	here(t, m, "auto", "no NVIDIA GPU is visible")
}

func TestWorkIsHandedOver(t *testing.T) {
	m := machine(t, "dev/nvidiactl")
	file := beside(t, m, works)
	here(t, m, "cpu", "")
	handed(t, m, "auto", file)
	handed(t, m, "cuda", file)
	handed(t, m, "cuda:3", file)

	elsewhere := filepath.Join(t.TempDir(), device.Program)
	write(t, elsewhere, works, 0o755)
	m.Path = filepath.Join(m.Root, "nothing") + string(filepath.ListSeparator) + filepath.Dir(elsewhere)
	handed(t, m, "cuda", file) // a program in the same directory comes first
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	handed(t, m, "cuda", elsewhere)

	// A GPU can be usable though its device files are elsewhere.
	handed(t, device.Machine{Root: t.TempDir(), Path: m.Path, CanReplace: true}, "cuda", elsewhere)
}

func TestWhatIsNoProgram(t *testing.T) {
	m := machine(t, "dev/nvidiactl")
	file := beside(t, m, works)
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, m, "cuda:0", "make gpu")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	refused(t, m, "cuda:0", "make gpu")

	t.Chdir(t.TempDir())
	write(t, device.Program, works, 0o755)
	m.Path = "." + string(filepath.ListSeparator)
	refused(t, m, "cuda:0", "make gpu")
}

func TestAProgramThatCannotUseTheGPU(t *testing.T) {
	m := machine(t, "dev/nvidiactl")
	file := beside(t, m, broken)
	here(t, m, "auto", file+" cannot be used: no usable GPU")
	refused(t, m, "cuda:0", file+" cannot be used: no usable GPU")
	beside(t, m, "#!/nowhere\n")
	here(t, m, "auto", "cannot be used")
}

func TestNoLoopsAndNoReplacement(t *testing.T) {
	m := machine(t, "dev/nvidiactl")
	file := beside(t, m, works)
	m.HandedOver = true
	here(t, m, "auto", "without the CUDA engine")
	refused(t, m, "cuda:0", m.Executable, "without the CUDA engine")
	m.HandedOver, m.CanReplace = false, false
	here(t, m, "auto", file)
	refused(t, m, "cuda:0", file)
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
	if got := m.GPUs(); !slices.Equal(got, []string{"NVIDIA H200", "Tesla T4"}) {
		t.Errorf("GPUs %q", got)
	}
}

func TestTheEngineOfAMachine(t *testing.T) {
	m := machine(t, "dev/nvidiactl")
	if program, err := m.Engine(); program != "" || err != nil {
		t.Errorf("%q, %v", program, err)
	}
	file := beside(t, m, works)
	if program, err := m.Engine(); program != file || err != nil {
		t.Errorf("%q, %v", program, err)
	}
	beside(t, m, broken)
	if program, err := m.Engine(); program != file || err == nil {
		t.Errorf("%q, %v", program, err)
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
	}
}
