// Package emulator runs the CUDA kernels on the host, for tests. It needs the build tag simt, cgo
// and g++.
//
// A Driver is a gpu.Driver: like a GPU's driver it has memory, a stream and captured graphs.
// Threads of a block are fibers that run until they meet at a barrier, a shuffle or the end. In a
// checked build every access is checked for bounds, alignment, reads of shared memory that nothing
// wrote, pairs of accesses that no barrier orders, use of global memory before wait_for_inputs, and of
// memory to which an upload of Ahead is under way; see Checked. What works in the background (cp.async,
// wgmma, bulk copies) does so as late as the kernel's waits allow.
package emulator
