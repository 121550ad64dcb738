//go:build simt

// The kernels of the emulation's own tests.
#include "simttest/vocabulary.cu"
#include "simttest/faults.cu"
