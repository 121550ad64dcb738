package device

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/simd"
)

// KernelsVariable is the environment variable that chooses the CPU's kernels.
const KernelsVariable = simd.Variable

// CPUKernels returns the name of the CPU kernels in force, and those of all that this machine can
// run, the best first.
func CPUKernels() (inForce string, available []string) { return simd.Name(), simd.Available() }

// SameBits reports whether two CPU kernels, by their names, compute the same bits.
func SameBits(a, b string) bool { return simd.SameBits(a, b) }

// KernelsTitle returns the name of CPU kernels as it is written in a sentence: "AVX-512" for
// "avx512".
func KernelsTitle(name string) string {
	titles := map[string]string{"amx": "AMX", "avx512": "AVX-512", "avx2": "AVX2", "portable": "portable"}
	if title, known := titles[name]; known {
		return title
	}
	return strconv.Quote(name)
}

// CheckCPUKernels returns an *input.Error where the environment asks for CPU kernels that do not
// exist or that this machine cannot run.
func CheckCPUKernels() error {
	name := os.Getenv(KernelsVariable)
	switch {
	case name == "" || slices.Contains(simd.Available(), name):
		return nil
	case slices.Contains(simd.Names(), name):
		return &input.Error{File: KernelsVariable, Found: name + ", which this processor lacks", Expected: oneOf(simd.Available())}
	}
	return &input.Error{File: KernelsVariable, Found: strconv.Quote(name), Expected: oneOf(simd.Names())}
}

// oneOf lists names in words: "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// CPUFeatures returns the processor's instruction sets among those that matter for matrix
// arithmetic, by their names in Linux.
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
