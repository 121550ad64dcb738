//go:build gpu

package device

import "github.com/acqnp/acqnp/kernels/gpu/cu"

const emulated = false

func openCUDA(index int, precision string) (Device, error) {
	d, err := cu.Open(index)
	if err != nil {
		return nil, err
	}
	return CUDA(d, index, precision)
}
