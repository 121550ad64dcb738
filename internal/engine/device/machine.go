package device

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Program is the file name of the program that has the CUDA engine.
const Program = "acqnp-cuda"

// Remedy says how to get that program.
const Remedy = `pip install "acqnp[cuda]" or the package ` + Program + " adds it, make gpu builds it"

// HandedOver is the environment variable that tells a program that another one has handed its work
// over to it. Such a program does not hand the work on.
const HandedOver = "ACQNP_HANDED_OVER"

// Machine holds what a route depends on besides the choice.
type Machine struct {
	System     string // runtime.GOOS
	Root       string // the root of the file system, "/" except in tests
	Executable string // the file of this program
	Version    string // of this program, as --version prints it after acqnp
	Path       string // $PATH
	HandedOver bool   // another program handed the work over to this one
	CanReplace bool   // this program can be replaced by another
}

// ThisMachine returns the machine that this program, of a version, runs on.
func ThisMachine(version string) Machine {
	executable, _ := os.Executable()
	return Machine{System: runtime.GOOS, Root: "/", Executable: executable, Version: version, Path: os.Getenv("PATH"),
		HandedOver: os.Getenv(HandedOver) != "", CanReplace: true}
}

// GPU reports whether an NVIDIA GPU is visible: whether the device file of the driver, or of WSL,
// can be opened. A device file without a driver does not count: libcuda.so leaves one where root
// loads it on a machine without a driver.
func (m Machine) GPU() bool {
	for _, file := range []string{"dev/nvidiactl", "dev/dxg"} {
		f, err := os.OpenFile(filepath.Join(m.Root, file), os.O_RDWR|syscall.O_NONBLOCK, 0)
		if err == nil {
			f.Close()
			return true
		}
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENXIO) && !errors.Is(err, syscall.ENODEV) {
			return true // a driver is there; its own program says why it cannot be used
		}
	}
	return false
}

// Driver returns the version of the NVIDIA kernel driver; empty if it is unknown.
func (m Machine) Driver() string {
	b, err := os.ReadFile(filepath.Join(m.Root, "proc/driver/nvidia/version"))
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(b), "\n")
	return strings.Join(strings.Fields(strings.TrimPrefix(first, "NVRM version:")), " ")
}

// GPUs returns the names of the NVIDIA GPUs that the kernel driver lists.
func (m Machine) GPUs() []string {
	files, _ := filepath.Glob(filepath.Join(m.Root, "proc/driver/nvidia/gpus/*/information"))
	names := []string{}
	for _, file := range files {
		b, _ := os.ReadFile(file)
		for line := range strings.Lines(string(b)) {
			if name, ok := strings.CutPrefix(line, "Model:"); ok {
				names = append(names, strings.TrimSpace(name))
			}
		}
	}
	return names
}

// Visible returns how many GPUs a program may use: those of CUDA_VISIBLE_DEVICES, or else those whose
// device files are here, which in a container are the container's.
func (m Machine) Visible() int {
	if list, set := visibleDevices(); set {
		return len(list)
	}
	files, _ := filepath.Glob(filepath.Join(m.Root, "dev/nvidia[0-9]*"))
	return len(files)
}

// Instances returns the list of CUDA_VISIBLE_DEVICES if it names instances of GPUs (MIG), of which a process
// sees the first alone, and otherwise nil.
func Instances() []string {
	list, _ := visibleDevices()
	if len(list) == 0 || !strings.HasPrefix(list[0], "MIG-") {
		return nil
	}
	return list
}

// visibleDevices returns the list of CUDA_VISIBLE_DEVICES, and whether the variable is set.
func visibleDevices() (list []string, set bool) {
	text, set := os.LookupEnv("CUDA_VISIBLE_DEVICES")
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' }), set
}

// Engine describes the program that has the CUDA engine.
type Engine struct {
	Program  string   // its file: this program, or acqnp-cuda; empty if there is none
	Compiled []string // the GPUs for which it has machine code, such as 8.6; nil if it is another program
	Runs     string   // how the first GPU runs its kernels; empty if that is unknown
	Err      error    // why it cannot use the GPU
}

// Engine looks for the program with the CUDA engine, and for the GPU that it would use.
func (m Machine) Engine() Engine {
	if !hasCUDA {
		e := Engine{Program: m.found()}
		if e.Program != "" {
			e.Err = m.usable(e.Program)
		}
		return e
	}
	e := Engine{Program: m.Executable, Compiled: compiled()}
	d, err := openCUDA(0, AutoPrecision)
	if err == nil {
		e.Runs = runs(d)
		err = d.Close()
	}
	e.Err = err
	return e
}

// found returns the file of acqnp-cuda, beside this program or in PATH; empty if there is none.
func (m Machine) found() string {
	for _, dir := range append([]string{filepath.Dir(m.Executable)}, filepath.SplitList(m.Path)...) {
		if !filepath.IsAbs(dir) {
			continue // never run a program of the working directory
		}
		file := filepath.Join(dir, Program)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// Route says where work is done.
type Route struct {
	Program string // the program that does the work in place of this one; empty for this one
	Choice         // the CPU or a CUDA device; auto only with a Program
	Why     string // the reason for the CPU, if the choice was auto
}

// Route returns the route of a choice. If c names a GPU that cannot be used, the error says why and
// names the remedy.
func (m Machine) Route(c Choice) (Route, error) {
	switch {
	case !c.Auto && !c.CUDA:
		return Route{}, nil
	case hasCUDA && c.CUDA:
		return Route{Choice: c}, nil
	case emulated:
		return Route{Why: "the emulated GPU is for tests"}, nil
	case c.Auto && !m.GPU():
		return Route{Why: "no NVIDIA GPU is visible"}, nil
	case hasCUDA:
		return Route{Choice: Choice{CUDA: true}}, nil
	}
	found, why := m.found(), ""
	switch {
	case m.HandedOver:
		why = m.Executable + " was built without the CUDA engine: build it with make gpu"
	case m.System != "linux":
		why = Program + " is for Linux, this is " + m.System
	case found == "" && m.GPU():
		why = "there is no " + Program + " beside this program or in PATH: " + Remedy
	case found == "":
		why = "no NVIDIA device found"
	case !m.CanReplace:
		why = "this program cannot be replaced by " + found
	default:
		if err := m.usable(found); err != nil {
			why = found + " cannot be used: " + err.Error()
			if !m.GPU() {
				why = "no NVIDIA device found, and " + why
			}
			break
		}
		return Route{Program: found, Choice: c}, nil
	}
	if c.Auto {
		return Route{Why: "a GPU is visible, but " + why}, nil
	}
	return Route{}, fmt.Errorf("--device %v: %s; --device cpu computes on the CPU", c, why)
}

// starting is the time that a GPU's driver may take to start.
const starting = 2 * time.Minute

// usable runs a program that has the CUDA engine, with --version, and returns its error message as
// an error. Such a program ends at its start if there is no usable GPU or a library is missing. A
// program of another version is an error too.
func (m Machine) usable(program string) error {
	ctx, cancel := context.WithTimeout(context.Background(), starting)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	var said, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &errs
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	words := strings.TrimPrefix(strings.Join(strings.Fields(errs.String()), " "), "acqnp: ")
	other := strings.TrimPrefix(strings.TrimSpace(said.String()), "acqnp ")
	switch {
	case err == nil && other != m.Version:
		return fmt.Errorf("it is acqnp %s, and this program is acqnp %s: install the same version of both", other, m.Version)
	case strings.Contains(words, noDriver):
		return errors.New("there is no NVIDIA driver (libcuda.so.1): install one, of version 525 or later")
	case err != nil && words != "":
		return errors.New(words)
	}
	return err
}

// noDriver is what the loader says of a program on a machine without the driver's library.
const noDriver = "libcuda.so.1: cannot open shared object file"
