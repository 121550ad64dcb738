//go:build simt && !gpu

package kernels

import (
	"testing"

	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// newDriver returns an emulator that runs blocks and threads in one of three orders.
func newDriver(_ testing.TB, order int) gpu.Driver {
	return emulator.New(emulator.Options{Order: order, Memory: 40 << 30}) // taken where it is used, see TestBranchFarImages
}

func withoutHopper(d gpu.Driver) string { return beforeHopper(d) }
