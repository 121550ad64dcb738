//go:build gpu

package device

import (
	"slices"

	"github.com/acqnp/acqnp/kernels"
	"github.com/acqnp/acqnp/kernels/gpu/cu"
)

const emulated = false

func openCUDA(index int, precision string) (Device, error) {
	d, err := cu.Open(index)
	if err != nil {
		return nil, err
	}
	return CUDA(d, index, precision)
}

// compiled returns the GPUs for which this program has machine code.
func compiled() []string {
	images, _ := kernels.Fatbins() // opening a device reports the error
	return kernels.Compiled(images)
}

// runs returns how the device's GPU runs the kernels: PTX if any of them is compiled when it is loaded.
func runs(d Device) string {
	images, _ := kernels.Fatbins()
	capability := d.(*accelerator).driver.Device().Capability()
	if slices.ContainsFunc(images, func(i kernels.Image) bool { return i.Runs(capability) == kernels.PTX }) {
		return kernels.PTX
	}
	return kernels.MachineCode
}
