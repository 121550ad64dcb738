//go:build gpu

package cuda_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/gpu/cu"
)

// newDriver is the machine's first GPU: the tests of the emulation, on the real thing
// (scripts/gpu-check.sh).
func newDriver(t testing.TB) gpu.Driver {
	t.Helper()
	d, err := cu.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
