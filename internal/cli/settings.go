package cli

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/progress"
)

// environment names the flags that the environment may set too: --data-dir is ACQNP_DATA_DIR, and so on.
var environment = []string{"data-dir", "device", "precision", "threads", "quiet", "json"}

func variable(flag string) string {
	return "ACQNP_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets the flags that were left out from the environment. The flag's own parser judges the value.
func fromEnvironment(flags *pflag.FlagSet) error {
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
			return &input.Error{File: variable(name), Found: strconv.Quote(os.Getenv(variable(name))),
				Expected: "what --" + name + " takes"}
		}
	}
	return nil
}

// refuseEmpty refuses a flag that was given and left empty, as --run-dir "$DIR" is where the variable is not set. It would
// silently mean the default.
func refuseEmpty(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if slices.Contains(values, "") {
			err = &input.Error{File: "--" + f.Name, Found: "an empty value", Expected: "one, or no such flag"}
		}
	})
	return err
}

// settings are the flags of every command that computes.
type settings struct {
	app       *app
	dataDir   string
	choice    string // --device
	precision string
	threads   int

	device device.Device // that check has opened
}

func (s *settings) addFlags(a *app, cmd *cobra.Command) {
	s.app = a
	s.addDataDir(cmd)
	f := cmd.Flags()
	f.StringVar(&s.choice, "device", "auto", "`WHERE` to compute: auto, cpu or cuda[:N]")
	f.StringVar(&s.precision, "precision", device.AutoPrecision, "`FORMAT` of the quantile branch's products on a GPU: auto, fp32, tf32 or fp16")
	f.IntVar(&s.threads, "threads", 0, "threads of the engine; 0 for all cores")
	complete := func(flag string, values ...string) {
		must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	complete("device", "auto", "cpu", "cuda")
	complete("precision", device.AutoPrecision, device.FP32, device.TF32, device.FP16)
}

func (s *settings) addDataDir(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.dataDir, "data-dir", "data", "`DIR` of the data sets")
	must(cmd.MarkFlagDirname("data-dir"))
}

// check checks the flags and opens the device, or hands the whole command over to the program that has it.
func (s *settings) check() error {
	if err := checkRange("--threads", s.threads, 0, maxThreads); err != nil {
		return err
	}
	if err := device.CheckCPUKernels(); err != nil {
		return err
	}
	choice, err := device.ParseChoice(s.choice)
	if err != nil {
		return err
	}
	if err := device.CheckPrecision(choice, s.precision); err != nil {
		return err
	}
	machine := device.ThisMachine()
	machine.CanReplace = s.app.Replace != nil
	route, err := machine.Route(choice)
	if err != nil {
		return err
	}
	if route.Program != "" {
		if route, err = s.app.handOver(route); err != nil {
			return err
		}
	}
	if s.device, err = route.Open(s.precision, s.threads); err != nil {
		return err
	}
	s.app.opened = s.device
	return nil
}

// handOver becomes the route's program, with the same arguments. It comes back only where that cannot be done: with an
// error, or with the route that auto takes instead.
func (a *app) handOver(r device.Route) (device.Route, error) {
	env := append(os.Environ(), device.HandedOver+"=1")
	err := a.Replace(r.Program, append([]string{r.Program}, a.args...), env)
	if !r.Auto {
		return r, fmt.Errorf("--device %v: %s cannot be started: %w; --device cpu does without", r.Choice, r.Program, err)
	}
	return device.Route{Why: fmt.Sprintf("a GPU is visible, but %s cannot be started: %v", r.Program, err)}, nil
}

// announce says what computes, so that no device is used silently.
func (s *settings) announce(p progress.Reporter) {
	p.Note(fmt.Sprintf("computing on %v", s.device), progress.Field{Name: "device", Value: s.device.Name()})
}

// cores is how many threads the engine uses.
func (s *settings) cores() int {
	if s.threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return s.threads
}

// maxThreads is far above any machine's cores and keeps a slip of the hand from starting a million goroutines.
const maxThreads = 4096

// checkRange refuses a number outside lo..hi.
func checkRange(flag string, v, lo, hi int) error {
	if v < lo || v > hi {
		return &input.Error{File: flag, Found: strconv.Itoa(v), Expected: fmt.Sprintf("%d to %d", lo, hi)}
	}
	return nil
}

// must is for calls that only a programming error can make fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
