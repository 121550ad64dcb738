package cli

import (
	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/doctor"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/run/version"
)

type doctorOptions struct {
	settings
	data bool
}

var _ = command(thisMachine, 1, newDoctor)

func newDoctor(a *app) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine has, and what is missing",
		Long: `Show the processor and its features, memory, GPU and driver, and how to get what is missing.
With --data, show the data sets of the paper's benchmarks too.`,
		Example: `  acqnp doctor
  acqnp doctor --data --data-dir /srv/data --json`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error { return runDoctor(a, o) }),
	}
	o.addDataDir(cmd)
	cmd.Flags().BoolVar(&o.data, "data", false, "look at the data sets of the benchmarks too")
	return cmd
}

func runDoctor(a *app, o doctorOptions) error {
	if err := device.CheckCPUKernels(); err != nil {
		return err
	}
	machine := device.ThisMachine(version.String())
	machine.CanReplace = a.Replace != nil
	if route, _ := machine.Route(device.Choice{CUDA: true}); route.Program != "" { // which knows more of the GPU
		return a.become(route.Program)
	}
	dataDir := ""
	if o.data {
		dataDir = o.dataDir
	}
	d := doctor.Look(dataDir, version.String())
	return a.result(d, d.Print)
}
