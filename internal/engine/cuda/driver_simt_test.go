//go:build simt && !gpu

package cuda_test

import (
	"testing"

	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
)

func newDriver(testing.TB) gpu.Driver { return emulator.New(emulator.Options{}) }
