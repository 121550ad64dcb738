package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run/version"
)

// environment lists the flags that environment variables may set: ACQNP_DATA_DIR sets --data-dir.
var environment = []string{"data-dir", "device", "precision", "threads", "quiet", "json"}

func variable(flag string) string {
	return "ACQNP_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets flags that were not given from environment variables. It records the
// variables in a.variables.
func (a *app) fromEnvironment(flags *pflag.FlagSet) error {
	v := viper.New()
	for _, name := range environment {
		f := flags.Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		if err := v.BindEnv(name, variable(name)); err != nil {
			return err
		}
		if !v.IsSet(name) {
			continue
		}
		if err := f.Value.Set(v.GetString(name)); err != nil {
			return &invalid.Input{File: variable(name), Found: strconv.Quote(os.Getenv(variable(name))), Expected: "a value that --" + name + " takes"}
		}
		a.variables["--"+name] = variable(name)
	}
	return nil
}

// blame puts the variable's name into an error about a flag that a variable has set.
func (a *app) blame(err error) {
	var bad *invalid.Input
	if errors.As(err, &bad) && a.variables[bad.File] != "" {
		bad.File = a.variables[bad.File]
	}
}

// settings are the flags of every command that computes.
type settings struct {
	app       *app
	dataDir   string
	choice    string // --device
	precision string
	threads   int

	device device.Device // nil before openDevice
}

func (s *settings) addFlags(a *app, cmd *cobra.Command) {
	s.addDevice(a, cmd)
	cmd.Flags().StringVar(&s.precision, "precision", device.AutoPrecision, "`FORMAT` of matrix products: auto, or fp32 or bf16 on a CPU, or fp32 or fp16 on a GPU; --device auto takes the CPU for bf16")
	must(cmd.RegisterFlagCompletionFunc("precision", cobra.FixedCompletions(
		[]string{device.AutoPrecision, device.FP32, device.FP16, device.BF16}, cobra.ShellCompDirectiveNoFileComp)))
}

// addDevice adds all flags but --precision, which is auto then.
func (s *settings) addDevice(a *app, cmd *cobra.Command) {
	s.app, s.precision = a, device.AutoPrecision
	s.addDataDir(cmd)
	f := cmd.Flags()
	f.StringVar(&s.choice, "device", "auto", "`DEVICE` to compute on: auto, cpu or cuda[:N]")
	f.IntVar(&s.threads, "threads", 0, "`NUMBER` of CPU threads; 0 for all cores")
	must(cmd.RegisterFlagCompletionFunc("device", cobra.FixedCompletions(
		[]string{"auto", "cpu", "cuda"}, cobra.ShellCompDirectiveNoFileComp)))
}

func (s *settings) addDataDir(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.dataDir, "data-dir", "data", "`DIR` of the data sets")
}

// openDevice checks the flags and opens the device. If acqnp-cuda has the device's engine, openDevice
// replaces this program by it.
func (s *settings) openDevice() error {
	if err := checkCPU(s.threads); err != nil {
		return err
	}
	request := device.Request{Choice: s.choice, Precision: s.precision, Threads: s.threads, Version: version.String()}
	if s.app.Replace != nil {
		request.Become = s.app.become
	}
	var err error
	s.device, err = request.Open()
	s.app.opened = s.device
	return err
}

// checkCPU checks --threads, and the kernels that ACQNP_SIMD names.
func checkCPU(threads int) error {
	return cmp.Or(checkRange("--threads", threads, 0, maxThreads), device.CheckCPUKernels())
}

// become replaces this program by another, with the same arguments.
func (a *app) become(program string) error {
	env := append(os.Environ(), device.HandedOver+"=1")
	return a.Replace(program, append([]string{program}, a.args...), env)
}

// announce notes which device computes, and which program if another one was called.
func (s *settings) announce(p progress.Reporter) {
	text := fmt.Sprintf("computing on %v", s.device)
	if m := device.ThisMachine(version.String()); m.HandedOver {
		text += ", by " + m.Executable
	}
	p.Note(text, progress.Field{Name: "device", Value: s.device.Name()})
}

// cores returns the number of threads that the engine uses.
func (s *settings) cores() int {
	if s.threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return s.threads
}

// maxThreads is more than any machine has cores. It keeps a typing error from starting a million
// goroutines.
const maxThreads = 4096

// must panics on an error that only a mistake in this program can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
