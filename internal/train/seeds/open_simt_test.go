//go:build simt

package seeds_test

import (
	"github.com/acqnp/acqnp/internal/device"
)

const onCPU = false

// open opens the emulated GPU.
func open(int) (device.Device, error) {
	return device.Request{Choice: "cuda", Precision: device.AutoPrecision}.Open()
}
