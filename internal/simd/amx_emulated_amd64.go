//go:build linux && amxemulated

package simd

import "golang.org/x/sys/cpu"

// hasTiles reports tiles on every processor with AVX-512: the build tag amxemulated is for tests under
// research/amx, which carries out AMX instructions in software.
var hasTiles = cpu.X86.HasAVX512F
