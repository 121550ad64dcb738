// Package doctor finds out what this machine offers acqnp, what is missing and how to get it.
package doctor

import (
	"fmt"
	"runtime"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/fit/pretrained"
)

// Diagnosis is the result of Look. Its JSON fields are those of acqnp doctor --json.
type Diagnosis struct {
	Version     string            `json:"version"`
	Go          string            `json:"go"`
	Platform    string            `json:"platform"`
	CPU         string            `json:"cpu"`
	Features    []string          `json:"cpu_features"`
	Kernels     string            `json:"kernels"`           // the CPU kernels in use
	Available   []string          `json:"kernels_available"` // on this machine, the best first
	BF16        bool              `json:"bf16_kernels"`      // --precision bf16 runs on AVX512_BF16 or AMX
	Cores       int               `json:"cores"`
	MemoryBytes int64             `json:"memory_bytes"`                 // 0 if unknown
	MemoryLimit int64             `json:"memory_limit_bytes,omitempty"` // of the control group; 0 if none
	GPU         bool              `json:"gpu"`                          // whether one is visible
	GPUs        []string          `json:"gpus"`                         // names that the driver knows
	Driver      string            `json:"gpu_driver"`                   // its version
	CUDA        string            `json:"cuda_engine"`                  // path of acqnp-cuda, "" if absent
	CUDAError   string            `json:"cuda_error,omitempty"`         // why it cannot be used
	Data        []datasets.Status `json:"data_sets"`
	Network     string            `json:"pretrained_network"` // its weights
	Missing     []string          `json:"missing"`            // each with the remedy
}

// Look examines the machine and the data sets below dataDir. version is the program's.
func Look(dataDir, version string) Diagnosis {
	d := Diagnosis{
		Version:  version,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:      processor(),
		Features: device.CPUFeatures(),
		Cores:    runtime.GOMAXPROCS(0),
		Data:     datasets.Check(dataDir),
		Network:  pretrained.About().String(),
		Missing:  []string{},
	}
	d.Kernels, d.Available = device.CPUKernels()
	d.BF16 = device.BF16Kernels()
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

// findMissing fills d.Missing.
func (d *Diagnosis) findMissing() {
	const cpu = "; --device auto computes on the CPU"
	switch {
	case !d.GPU:
		d.Missing = append(d.Missing, "no NVIDIA GPU is visible"+cpu)
	case d.CUDA == "":
		d.Missing = append(d.Missing, "no "+device.Program+" beside this program or in PATH; make gpu builds it"+cpu)
	case d.CUDAError != "":
		d.Missing = append(d.Missing, "the GPU cannot be used: "+d.CUDAError+cpu)
	}
	for _, s := range d.Data {
		if !s.Ready {
			d.Missing = append(d.Missing, fmt.Sprintf("data set %s: %s", s.Benchmark, s.Help))
		}
	}
}
