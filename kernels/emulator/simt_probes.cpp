//go:build simt

// The kernels of the emulator's own tests.
#include "simt.h"
#include "../vocabulary/vocabulary.cu"
#include "../vocabulary/vocabulary_hopper.cu"
#include "faults.cu"
#include "faults_hopper.cu"
