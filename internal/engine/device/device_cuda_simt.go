//go:build simt && !gpu

package device

import (
	"fmt"

	"github.com/acqnp/acqnp/kernels/emulator"
)

// emulated is true: the GPU is emulated on the host, for tests. --device auto does not choose it.
const emulated = true

func openCUDA(index int, precision string) (Device, error) {
	if index != 0 {
		return nil, fmt.Errorf("no GPU %d: only the emulated GPU 0", index)
	}
	return CUDA(emulator.New(emulator.Options{}), index, precision)
}

func compiled() []string { return nil }

func runs(Device) string { return "" }
