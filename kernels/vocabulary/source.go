// Package vocabulary holds test kernels that use every word of kernels/device.h: their source and,
// with the build tag gpu, the image that nvcc compiled. The program does not contain them.
package vocabulary

import "embed"

// Source holds the files that nvcc and g++ compile. vocabulary_hopper.cu has the words of hopper.h.
//
//go:embed vocabulary.cu vocabulary_hopper.cu
var Source embed.FS
