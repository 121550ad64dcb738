//go:build gpu

package kernels

import (
	"testing"

	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/kernels/gpu/cu"
	"github.com/acqnp/acqnp/kernels/vocabulary"
)

// newDriver opens the machine's first GPU, which runs threads in any order (scripts/gpu-check.sh).
func newDriver(t testing.TB, _ int) gpu.Driver {
	t.Helper()
	d, err := cu.Open(0)
	if err == nil {
		err = d.Load(vocabulary.Fatbin)
	}
	if err == nil && withoutHopper(d) == "" {
		err = d.Load(vocabulary.Hopper)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// withoutHopper says why the words of hopper.h cannot be tried. It returns "" if they can.
func withoutHopper(d gpu.Driver) string {
	if len(vocabulary.Hopper) == 0 {
		return "nvcc was too old for the words of sm_90a"
	}
	return beforeHopper(d)
}
