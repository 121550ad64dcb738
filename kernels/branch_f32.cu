// The branch with fp32 products as sums of three products of halves (since sm_75), see
// stationary_math.h. weights and hidden take twice the bytes of half precision, and a warp takes 16 rows
// through the layers.
#include "stationary_kernels.h"

STATIONARY(f32, Singles, 64, 1)
STATIONARY_BACKWARD(f32, Singles, 64, 32, 4)
#if __CUDA_ARCH__ >= 800
STATIONARY(f32, Singles, 128, 1)
STATIONARY_BACKWARD(f32, Singles, 128, 32, 4)
STATIONARY_BACKWARD(f32, Singles, 128, 16, 8)
#endif
// For Turing, whose 64 KB of shared memory are as much as the weights of a layer of width 128. The low
// halves of the weights come through the L1 cache and the L2.
STATIONARY(f32s, SmallSingles, 128, 1)
STATIONARY_BACKWARD(f32s, SmallSingles, 128, 16, 8)
