//go:build simt

// The kernels of the emulator's own tests.
#include "vocabulary.cu"
#include "faults.cu"
