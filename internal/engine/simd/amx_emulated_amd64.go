//go:build linux && amxemulated

package simd

import "golang.org/x/sys/cpu"

// hasTiles believes in tiles: the build tag amxemulated is for tests under tools/amx, which carries
// out AMX instructions in software.
var hasTiles = cpu.X86.HasAVX512F
