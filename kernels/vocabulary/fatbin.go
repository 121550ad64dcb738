//go:build gpu

package vocabulary

import _ "embed"

// Fatbin is the compiled kernels, which `make fatbins` writes. Hopper is that of the kernels for GPUs
// of compute capability 9.0 alone; it is empty if nvcc was too old for them.
var (
	//go:embed vocabulary.fatbin
	Fatbin []byte
	//go:embed vocabulary_hopper.fatbin
	Hopper []byte
)
