package device

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/simd"
)

// inBF16 ends the name of CPU kernels that compute in precision bf16: avx512+bf16.
const inBF16 = "+" + BF16

// InBF16 reports whether the CPU kernels of a name compute in precision bf16.
func InBF16(name string) bool { return strings.HasSuffix(name, inBF16) }

// kernelSet returns the name without the precision.
func kernelSet(name string) string { return strings.TrimSuffix(name, inBF16) }

// SameBits reports whether the CPU kernels of two names compute the same bits.
func SameBits(a, b string) bool {
	return InBF16(a) == InBF16(b) && simd.SameBits(kernelSet(a), kernelSet(b))
}

// KernelsTitle returns the name of CPU kernels for use in a sentence: "AVX-512" for "avx512", "AVX-512
// bf16" for "avx512+bf16".
func KernelsTitle(name string) string {
	title := map[string]string{"amx": "AMX", "avx512": "AVX-512", "avx2": "AVX2", "portable": "portable"}[kernelSet(name)]
	switch {
	case title == "":
		return strconv.Quote(name)
	case InBF16(name):
		return title + " " + BF16
	}
	return title
}

// KernelsSettings returns what a user sets to get the kernels of a name in place of those in use.
func KernelsSettings(name, inUse string) string {
	var settings []string
	if !simd.SameBits(kernelSet(name), kernelSet(inUse)) {
		settings = append(settings, simd.Variable+"="+kernelSet(name))
	}
	if InBF16(name) != InBF16(inUse) {
		settings = append(settings, "--precision "+map[bool]string{true: BF16, false: FP32}[InBF16(name)])
	}
	return strings.Join(settings, " and ")
}

// CheckCPUKernels returns an *invalid.Input if simd.Variable names CPU kernels that do not exist or
// that this machine cannot run.
func CheckCPUKernels() error {
	name := os.Getenv(simd.Variable)
	switch {
	case name == "" || slices.Contains(simd.Available(), name):
		return nil
	case slices.Contains(simd.Names(), name):
		return &invalid.Input{File: simd.Variable, Found: name + ", which this processor lacks", Expected: invalid.Listed(simd.Available(), " or ")}
	}
	return &invalid.Input{File: simd.Variable, Found: strconv.Quote(name), Expected: invalid.Listed(simd.Names(), " or ")}
}

// CPUFeatures returns Linux's names of those instruction sets of the processor that matter for
// matrix arithmetic.
func CPUFeatures() []string {
	found := []string{}
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"sse4.1", cpu.X86.HasSSE41}, {"avx", cpu.X86.HasAVX}, {"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA},
		{"avx512f", cpu.X86.HasAVX512F}, {"avx512bw", cpu.X86.HasAVX512BW}, {"avx512vl", cpu.X86.HasAVX512VL},
		{"avx512vnni", cpu.X86.HasAVX512VNNI}, {"avx512bf16", cpu.X86.HasAVX512BF16},
		{"amx_tile", cpu.X86.HasAMXTile}, {"amx_bf16", cpu.X86.HasAMXBF16}, {"amx_int8", cpu.X86.HasAMXInt8},
		{"asimd", cpu.ARM64.HasASIMD}, {"asimdhp", cpu.ARM64.HasASIMDHP}, {"sve", cpu.ARM64.HasSVE},
	} {
		if f.has {
			found = append(found, f.name)
		}
	}
	return found
}
