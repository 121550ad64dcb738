// Package doctor looks at what this machine has for acqnp, and says what is missing and how to get
// it.
package doctor

import (
	"fmt"
	"runtime"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
)

// Diagnosis is what Look finds. Its JSON fields are those of acqnp doctor --json.
type Diagnosis struct {
	Version     string            `json:"version"`
	Go          string            `json:"go"`
	Platform    string            `json:"platform"`
	CPU         string            `json:"cpu"`
	Features    []string          `json:"cpu_features"`
	Kernels     string            `json:"kernels"`           // of the CPU, in force
	Available   []string          `json:"kernels_available"` // on this machine, the best first
	Cores       int               `json:"cores"`
	MemoryBytes int64             `json:"memory_bytes"` // 0: unknown
	MemoryLimit int64             `json:"memory_limit_bytes,omitempty"`
	GPU         bool              `json:"gpu"`         // visible
	GPUs        []string          `json:"gpus"`        // names, as far as the kernel driver tells them
	Driver      string            `json:"gpu_driver"`  // version
	CUDA        string            `json:"cuda_engine"` // the program that has it; empty if there is none
	CUDAError   string            `json:"cuda_error,omitempty"`
	Data        []datasets.Status `json:"data_sets"`
	Missing     []string          `json:"missing"`
}

// Look returns what the machine has, and which data sets are below dataDir. version is the
// program's.
func Look(dataDir, version string) Diagnosis {
	d := Diagnosis{
		Version:  version,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:      processor(),
		Features: device.CPUFeatures(),
		Cores:    runtime.GOMAXPROCS(0),
		Data:     datasets.Check(dataDir),
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
	return d
}

// findMissing adds what is not there, and how to get it.
func (d *Diagnosis) findMissing() {
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
			d.Missing = append(d.Missing, fmt.Sprintf("data set %s: %s", s.Benchmark, s.Help))
		}
	}
}
