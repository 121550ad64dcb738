//go:build simt && !gpu

package device

import (
	"fmt"

	"github.com/acqnp/acqnp/kernels/emulator"
)

// emulated: the GPU is one on the host, for tests. It is used only where it is asked for.
const emulated = true

func openCUDA(index int, precision string) (Device, error) {
	if index != 0 {
		return nil, fmt.Errorf("no GPU %d: the emulated one is 0", index)
	}
	return accelerated(emulator.New(emulator.Options{}), index, precision)
}
