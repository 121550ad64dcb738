// Package kernels holds the CUDA sources and, under the build tag simt, runs them on the host: NewEmulator.
package kernels

import "embed"

// Sources are the files that nvcc and g++ compile. Embedding them makes Go's build cache notice every change: cgo does not
// track a file that a .cpp includes.
//
//go:embed *.cu *.h simttest/*.cu
var Sources embed.FS
