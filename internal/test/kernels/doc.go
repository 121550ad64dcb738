// Package kernels holds the CUDA kernels, run on the host (build tag simt), to the plain ones of package ops, at odd
// sizes, and to the host's Adam and random numbers.
package kernels
