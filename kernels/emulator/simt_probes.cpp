//go:build simt

// The kernels of the emulation's own tests.
#include "vocabulary.cu"
#include "faults.cu"
