package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/device"
)

type doctorOptions struct{ settings }

func newDoctor(a *app) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine has, and what is missing",
		Long: `Show the processor and what it can do, memory, GPU and driver, and which data sets are there, with a remedy for
what is missing.`,
		Example: `  acqnp doctor
  acqnp doctor --data-dir /srv/data --json`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error { return runDoctor(a, o) }),
	}
	o.addDataDir(cmd)
	return cmd
}

// diagnosis is what doctor finds.
type diagnosis struct {
	Version     string    `json:"version"`
	Go          string    `json:"go"`
	Platform    string    `json:"platform"`
	CPU         string    `json:"cpu"`
	Features    []string  `json:"cpu_features"`
	Kernels     string    `json:"kernels"`           // of the CPU, in force
	Available   []string  `json:"kernels_available"` // on this machine, the best first
	Cores       int       `json:"cores"`
	MemoryBytes int64     `json:"memory_bytes"` // 0: unknown
	MemoryLimit int64     `json:"memory_limit_bytes,omitempty"`
	GPU         bool      `json:"gpu"`         // visible
	GPUs        []string  `json:"gpus"`        // names, where the kernel driver tells them
	Driver      string    `json:"gpu_driver"`  // version
	CUDA        string    `json:"cuda_engine"` // the program that has it; empty where there is none
	CUDAError   string    `json:"cuda_error,omitempty"`
	Data        []dataSet `json:"data_sets"`
	Missing     []string  `json:"missing"`
}

func runDoctor(a *app, o doctorOptions) error {
	if err := device.CheckCPUKernels(); err != nil {
		return err
	}
	d := diagnosis{
		Version:  version(),
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:      processor(),
		Features: device.CPUFeatures(),
		Cores:    runtime.GOMAXPROCS(0),
		Data:     checkData(o.dataDir),
		Missing:  []string{},
	}
	d.Kernels, d.Available = device.CPUKernels()
	d.MemoryBytes, d.MemoryLimit = memory()
	machine := device.ThisMachine()
	d.GPU, d.GPUs, d.Driver = machine.GPU(), machine.GPUs(), machine.Driver()
	var err error
	if d.CUDA, err = machine.Engine(); err != nil {
		d.CUDAError = err.Error()
	}
	d.findMissing()
	return a.result(d, d.print)
}

// findMissing says what is not there and how to get it.
func (d *diagnosis) findMissing() {
	const cpu = ": --device auto computes on the CPU"
	switch {
	case !d.GPU:
		d.Missing = append(d.Missing, "no NVIDIA GPU is visible"+cpu)
	case d.CUDA == "":
		d.Missing = append(d.Missing, "no "+device.Program+" beside this program or in PATH, make gpu builds it"+cpu)
	case d.CUDAError != "":
		d.Missing = append(d.Missing, "the GPU cannot be used, "+d.CUDAError+cpu)
	}
	for _, s := range d.Data {
		if !s.Ready {
			d.Missing = append(d.Missing, fmt.Sprintf("data set %s: %s", s.Name, s.Help))
		}
	}
}

func (d *diagnosis) print(w io.Writer) error {
	line := func(name, text string) { fmt.Fprintf(w, "%-11s %s\n", name, text) }
	line("acqnp", d.Version+", "+d.Go+", "+d.Platform)
	line("processor", d.CPU)
	line("features", strings.Join(d.Features, " "))
	line("kernels", fmt.Sprintf("%s (%s chooses among %s)", d.Kernels, device.KernelsVariable, strings.Join(d.Available, ", ")))
	line("cores", strconv.Itoa(d.Cores))
	line("memory", d.memoryText())
	line("GPU", d.gpuText())
	line("CUDA engine", d.engineText())
	for _, s := range d.Data {
		line("data set", s.Name+": "+s.Detail)
	}
	for _, m := range d.Missing {
		line("missing", m)
	}
	return nil
}

func (d *diagnosis) memoryText() string {
	if d.MemoryBytes == 0 {
		return "unknown"
	}
	text := fmt.Sprintf("%.1f GiB", gib(d.MemoryBytes))
	if d.MemoryLimit > 0 {
		text += fmt.Sprintf(", limited to %.1f GiB", gib(d.MemoryLimit))
	}
	return text
}

func (d *diagnosis) gpuText() string {
	if !d.GPU {
		return "none"
	}
	name, driver := "NVIDIA", "driver unknown"
	if len(d.GPUs) > 0 {
		name = strings.Join(d.GPUs, ", ")
	}
	if d.Driver != "" {
		driver = d.Driver
	}
	return name + ", " + driver
}

func (d *diagnosis) engineText() string {
	switch {
	case d.CUDA == "":
		return "none"
	case d.CUDAError != "":
		return d.CUDA + ", not usable: " + d.CUDAError
	}
	return d.CUDA
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }

// processor is the CPU's own name where the system tells it.
func processor() string {
	for _, key := range []string{"model name", "Hardware", "Model"} {
		if v := procField("/proc/cpuinfo", key); v != "" {
			return v
		}
	}
	return runtime.GOARCH
}

// memory is the machine's and the control group's limit, in bytes; 0 where unknown or unlimited.
func memory() (total, limit int64) {
	if kb, err := strconv.ParseInt(strings.TrimSuffix(procField("/proc/meminfo", "MemTotal"), " kB"), 10, 64); err == nil {
		total = kb << 10
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if v, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && v < total {
			limit = v
		}
		break
	}
	return total, limit
}

// procField is the first value of a key in a file of "key : value" lines; empty where there is none.
func procField(file, key string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for _, line := range strings.Split(string(b), "\n") {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
