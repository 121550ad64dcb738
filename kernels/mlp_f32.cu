// Multilayer perceptrons of the points of functions or of their contexts, in fp32 as in branch_f32.cu: see
// branch.h.
#include "stationary_kernels.h"

STATIONARY_MLP(f32, Singles, 64, 1)
STATIONARY_MLP_BACKWARD(f32, Singles, 64, 32, 4)
#if __CUDA_ARCH__ >= 800
STATIONARY_MLP(f32, Singles, 128, 1)
STATIONARY_MLP_BACKWARD(f32, Singles, 128, 32, 4)
STATIONARY_MLP_BACKWARD(f32, Singles, 128, 16, 8)
#endif
#if !defined(__CUDACC__) || __CUDA_ARCH__ < 800  // registers of later GPUs do not suffice, and need not
STATIONARY_MLP(f32s, SmallSingles, 128, 1)
STATIONARY_MLP_BACKWARD(f32s, SmallSingles, 128, 16, 8)
#endif
