//go:build gpu

package cuda_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/kernels/gpu/cu"
)

// newDriver opens the machine's first GPU (scripts/gpu-check.sh).
func newDriver(t testing.TB) gpu.Driver {
	t.Helper()
	return must.Get(cu.Open(0))(t)
}
