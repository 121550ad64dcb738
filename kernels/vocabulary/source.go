// Package vocabulary holds test kernels that use every word of kernels/device.h: their source and,
// with the build tag gpu, the image that nvcc compiled. The program does not contain them.
package vocabulary

import "embed"

// Source holds the file that nvcc and g++ compile.
//
//go:embed vocabulary.cu
var Source embed.FS
