package doctor

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/device"
)

// Print writes the diagnosis as lines of text.
func (d Diagnosis) Print(w io.Writer) error {
	line := func(name, text string) { fmt.Fprintf(w, "%-11s %s\n", name, text) }
	line("acqnp", d.Version+", "+d.Go+", "+d.Platform)
	line("processor", d.CPU)
	line("features", strings.Join(d.Features, " "))
	line("kernels", fmt.Sprintf("%s (%s chooses among %s)", d.Kernels, device.KernelsVariable, strings.Join(d.Available, ", ")))
	line("bf16", d.bf16Text())
	line("cores", strconv.Itoa(d.Cores))
	line("memory", d.memoryText())
	line("GPU", d.gpuText())
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

func (d Diagnosis) bf16Text() string {
	if d.BF16 {
		return "in the processor: --precision bf16 is faster than fp32"
	}
	return "emulated: --precision bf16 is slower than fp32"
}

func (d Diagnosis) memoryText() string {
	if d.MemoryBytes == 0 {
		return "unknown"
	}
	text := fmt.Sprintf("%.1f GiB", gib(d.MemoryBytes))
	if d.MemoryLimit > 0 {
		text += fmt.Sprintf(", limited to %.1f GiB", gib(d.MemoryLimit))
	}
	return text
}

func (d Diagnosis) gpuText() string {
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

func (d Diagnosis) engineText() string {
	switch {
	case d.CUDA == "":
		return "none"
	case d.CUDAError != "":
		return d.CUDA + ", not usable: " + d.CUDAError
	}
	return d.CUDA
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }
