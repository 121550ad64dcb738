package device_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/simd"
)

func TestKernelsOfTheCPU(t *testing.T) {
	inForce, available := simd.Name(), simd.Available()
	if !slices.Contains(available, inForce) || available[len(available)-1] != "portable" {
		t.Errorf("%s of %v", inForce, available)
	}
	if got := device.CPU(1).Kernels(); got != inForce {
		t.Errorf("the CPU's kernels are %q, want %q", got, inForce)
	}
}

func TestUnknownKernelsAreRefused(t *testing.T) {
	available := simd.Available()
	for _, name := range append([]string{""}, available...) {
		t.Setenv("ACQNP_SIMD", name)
		if err := device.CheckCPUKernels(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"foo", "AVX2", "avx512 ", "\x1b[31m"} {
		t.Setenv("ACQNP_SIMD", name)
		var bad *invalid.Input
		if err := device.CheckCPUKernels(); !errors.As(err, &bad) || bad.Expected != "amx, avx512, avx2 or portable" {
			t.Errorf("%q: %v", name, err)
		} else if strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q is printed raw", name)
		}
	}
	for _, name := range []string{"amx", "avx512", "avx2"} {
		if slices.Contains(available, name) {
			continue
		}
		t.Setenv("ACQNP_SIMD", name)
		err := device.CheckCPUKernels()
		var bad *invalid.Input
		if !errors.As(err, &bad) || !strings.Contains(bad.Found, name+", which this processor lacks") || strings.Contains(bad.Expected, name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestFeaturesNameAMX(t *testing.T) {
	before := cpu.X86
	t.Cleanup(func() { cpu.X86 = before })
	cpu.X86.HasAMXTile, cpu.X86.HasAMXBF16, cpu.X86.HasAMXInt8 = true, true, false
	got := device.CPUFeatures()
	if !slices.Contains(got, "amx_tile") || !slices.Contains(got, "amx_bf16") || slices.Contains(got, "amx_int8") {
		t.Errorf("%v", got)
	}
}
