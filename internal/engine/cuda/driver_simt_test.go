//go:build simt && !gpu

package cuda_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/engine/gpu"
	"github.com/acqnp/acqnp/kernels/emulator"
)

func newDriver(testing.TB) gpu.Driver { return emulator.New(emulator.Options{}) }
