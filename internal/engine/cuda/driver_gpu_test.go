//go:build gpu

package cuda_test

import (
	"testing"

	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/kernels/gpu/cu"
)

// newDriver opens the machine's first GPU (scripts/gpu-check.sh).
func newDriver(t testing.TB) gpu.Driver {
	t.Helper()
	d, err := cu.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
