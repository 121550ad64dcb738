// Package kernels tests the CUDA kernels, on the emulator (build tag simt) or on a GPU (build tag
// gpu), against the plain kernels of package ops, at odd sizes, and against Adam and the random
// numbers of the host.
package kernels
