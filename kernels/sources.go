// Package kernels holds the CUDA kernels of the program: their sources and, under the build tag gpu, what nvcc made of them.
//
// Each NAME.cu is compiled into kernels/fatbin/NAME.fatbin by `make fatbins`; package kernels/emulator compiles the same files
// for the host, where tests run them without a GPU. device.h lists the words that kernels may use on both.
package kernels

import "embed"

// Sources holds the files that nvcc and g++ compile. The emulator imports them so that Go's build cache notices a change:
// cgo does not track a file that a .cpp includes.
//
//go:embed *.cu *.h
var Sources embed.FS
