// Package emulator runs the CUDA kernels on the host, for tests. It needs the build tag simt and a
// C++ compiler.
//
// A Driver is a gpu.Driver: it has memory, a stream and captured graphs as a GPU has. Threads of a
// block are fibers that run until they meet at a barrier, a shuffle or the end. In a checked build
// every access is checked for bounds, alignment, reads of shared memory that nothing wrote, and
// pairs of accesses that no barrier orders; see Checked.
package emulator
