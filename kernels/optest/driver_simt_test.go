//go:build simt && !gpu

package optest

import (
	"testing"

	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/kernels"
)

// newDriver is an emulator that takes blocks and threads in one of three orders.
func newDriver(_ testing.TB, order int) gpu.Driver {
	return kernels.NewEmulator(kernels.EmulatorOptions{Order: order})
}
