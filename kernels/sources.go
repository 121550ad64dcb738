// Package kernels holds the CUDA kernels of the program: their sources and, with the build tag gpu,
// the images that nvcc compiled.
//
// `make fatbins` compiles each NAME.cu into kernels/fatbin/NAME.fatbin. Package kernels/emulator
// compiles the same files for the host, where tests run them without a GPU. device.h lists the
// words that kernels may use.
package kernels

import "embed"

// Sources holds the files that nvcc and g++ compile. The emulator imports them so that Go's build
// cache notices changes: cgo does not track the files that a .cpp includes.
//
//go:embed *.cu *.h
var Sources embed.FS
