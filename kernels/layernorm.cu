// The sums over rows for the gradients of layer normalisation (layernorm.h). Blocks of 128; grid 1 to
// slices·ceil(d / 32); no dynamic shared memory. WEIGHT_GRAD_SUM of weights.cu, with k = 1, adds the
// slices.
#include "slices.h"

// layer_norm_grad_slices has a lane for each of 32 columns. Each of 4 warps takes every fourth row
// of a slice, then the warps' sums are added.
extern "C" __global__ void __launch_bounds__(128)
layer_norm_grad_slices(const Extents* __restrict__ e,      // sizes of the run
                       const float* __restrict__ grad,     // of the result [s, d]
                       const float* __restrict__ x,        // [s, d]
                       const float* __restrict__ moments,  // [s, 2], by layer_norm_grad
                       float* __restrict__ partial,        // [slices, 2·d]: of gain, then of shift
                       int s,                              // space of all matrices
                       int d) {                            // columns
  wait_for_inputs();
  __shared__ float gains[4][32], shifts[4][32];
  int n = rows(*e, s), each = slice_rows(n), slices = ceil_div(n, each), across = ceil_div(d, 32);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int item = blockIdx.x; item < slices * across; item += gridDim.x) {
    int slice = item / across, column = item % across * 32 + lane, end = min(n, (slice + 1) * each);
    float of_gain = 0, of_shift = 0;
    for (int row = slice * each + warp; column < d && row < end; row += 4) {
      float g = grad[(size_t)row * d + column];
      of_gain += g * (x[(size_t)row * d + column] - moments[2 * row]) * moments[2 * row + 1];
      of_shift += g;
    }
    gains[warp][lane] = of_gain;
    shifts[warp][lane] = of_shift;
    __syncthreads();
    if (warp == 0 && column < d) {
      float* to = partial + (size_t)slice * 2 * d + column;
      to[0] = gains[0][lane] + gains[1][lane] + gains[2][lane] + gains[3][lane];
      to[d] = shifts[0][lane] + shifts[1][lane] + shifts[2][lane] + shifts[3][lane];
    }
    __syncthreads();
  }
}
KERNEL(layer_norm_grad_slices)
