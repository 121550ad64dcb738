// Package doctor finds out what this machine offers acqnp, what is missing and how to get it.
package doctor

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/paper"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/simd"
)

// Diagnosis is the result of Look. Its JSON fields are those of acqnp doctor --json.
type Diagnosis struct {
	Version     string         `json:"version"`
	Go          string         `json:"go"`
	Platform    string         `json:"platform"`
	CPU         string         `json:"cpu"`
	Features    []string       `json:"cpu_features"`
	Kernels     string         `json:"kernels"`           // the CPU kernels in use
	Available   []string       `json:"kernels_available"` // on this machine, the best first
	BF16        bool           `json:"bf16_kernels"`      // --precision bf16 runs on AVX512_BF16
	Cores       int            `json:"cores"`
	MemoryBytes int64          `json:"memory_bytes"`                 // 0 if unknown
	MemoryLimit int64          `json:"memory_limit_bytes,omitempty"` // of the control group; 0 if none
	GPU         bool           `json:"gpu"`                          // whether one is visible
	GPUs        []string       `json:"gpus"`                         // names that the driver knows
	Driver      string         `json:"gpu_driver"`                   // its version
	CUDA        string         `json:"cuda_engine"`                  // path of acqnp-cuda, "" if absent
	CUDAError   string         `json:"cuda_error,omitempty"`         // why it cannot be used
	Compiled    []string       `json:"cuda_compiled,omitempty"`      // the GPUs for which it has machine code
	Runs        string         `json:"cuda_runs,omitempty"`          // what the GPU runs: machine code or PTX
	Data        []paper.Status `json:"data_sets,omitempty"`          // if they were asked for
	Network     string         `json:"pretrained_network"`           // its weights
	Missing     []string       `json:"missing"`                      // each with the remedy
}

// Look examines the machine and, unless dataDir is "", the data sets below it. version is the program's.
func Look(dataDir, version string) Diagnosis {
	d := Diagnosis{
		Version:  version,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:      processor(),
		Features: device.CPUFeatures(),
		Cores:    runtime.GOMAXPROCS(0),
		Network:  pretrained.About().String(),
		Missing:  []string{},
	}
	if dataDir != "" {
		d.Data = paper.Check(dataDir)
	}
	d.Kernels, d.Available, d.BF16 = simd.Name(), simd.Available(), simd.HasHalves()
	d.MemoryBytes, d.MemoryLimit = memory.Machine("/")
	machine := device.ThisMachine(version)
	d.GPU, d.GPUs, d.Driver = machine.GPU(), machine.GPUs(), machine.Driver()
	engine := machine.Engine()
	d.CUDA, d.Compiled, d.Runs = engine.Program, engine.Compiled, engine.Runs
	if engine.Err != nil {
		d.CUDAError = engine.Err.Error()
	}
	d.findMissing()
	return d
}

// findMissing fills d.Missing.
func (d *Diagnosis) findMissing() {
	const cpu = "; --device auto computes on the CPU"
	switch {
	case !d.GPU:
		d.Missing = append(d.Missing, "no NVIDIA GPU is visible"+cpu)
	case d.CUDA == "":
		d.Missing = append(d.Missing, "no "+device.Program+" beside this program or in PATH: "+device.Remedy+cpu)
	case d.CUDAError != "":
		d.Missing = append(d.Missing, "the GPU cannot be used: "+d.CUDAError+cpu)
	}
	for _, s := range d.Data {
		if !s.Ready {
			d.Missing = append(d.Missing, fmt.Sprintf("data set %s: %s", s.Benchmark, s.Help))
		}
	}
}

// Print writes the diagnosis as lines of text.
func (d Diagnosis) Print(w io.Writer) error {
	line := func(name, text string) { fmt.Fprintf(w, "%-11s %s\n", name, text) }
	line("acqnp", d.Version+", "+d.Go+", "+d.Platform)
	line("processor", d.CPU)
	line("features", strings.Join(d.Features, " "))
	line("kernels", fmt.Sprintf("%s (%s chooses among %s)", d.Kernels, simd.Variable, strings.Join(d.Available, ", ")))
	if d.BF16 {
		line("bf16", "in the processor: --precision bf16 is faster than fp32")
	} else {
		line("bf16", "emulated: --precision bf16 is slower than fp32")
	}
	line("cores", strconv.Itoa(d.Cores))
	line("memory", d.memoryText())
	if d.GPU {
		line("GPU", cmp.Or(strings.Join(d.GPUs, ", "), "NVIDIA")+", "+cmp.Or(d.Driver, "driver unknown"))
	} else {
		line("GPU", "none")
	}
	line("CUDA engine", d.engineText())
	line("network", "pretrained: "+d.Network)
	for _, s := range d.Data {
		line("data set", s.Benchmark+": "+s.Detail)
	}
	for _, m := range d.Missing {
		line("missing", m)
	}
	return nil
}

func (d Diagnosis) engineText() string {
	text := cmp.Or(d.CUDA, "none")
	if len(d.Compiled) > 0 {
		text += ", machine code for GPUs of " + strings.Join(d.Compiled, ", ")
	}
	if d.Runs != "" {
		text += ", the GPU runs " + d.Runs
	}
	if d.CUDA != "" && d.CUDAError != "" {
		text += ", not usable: " + d.CUDAError
	}
	return text
}

func (d Diagnosis) memoryText() string {
	if d.MemoryBytes == 0 {
		return "unknown"
	}
	text := fmt.Sprintf("%.1f GiB", float64(d.MemoryBytes)/(1<<30))
	if d.MemoryLimit > 0 {
		text += fmt.Sprintf(", limited to %.1f GiB", float64(d.MemoryLimit)/(1<<30))
	}
	return text
}

// processor returns the CPU's name from /proc/cpuinfo, or else its architecture.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for _, key := range []string{"model name", "Hardware", "Model"} {
		for line := range strings.Lines(string(text)) { // such as "model name	: AMD EPYC"
			if k, v, _ := strings.Cut(line, ":"); strings.TrimSpace(k) == key && strings.TrimSpace(v) != "" {
				return strings.TrimSpace(v)
			}
		}
	}
	return runtime.GOARCH
}
