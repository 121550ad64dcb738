// Layer normalisation n·gain + shift of every row, with n = (x − mean)/√(var + 1e-5) over the
// columns and the biased variance, and its gradients, see internal/ops/layernorm.go. With g the
// gradient of the result and h = g·gain,
//
//   gradient of x = (h − mean(h) − n·mean(h·n))/√(var + 1e-5)
//   gradient of gain = Σ g·n, gradient of shift = Σ g, over all rows
//
// Blocks of 128; no dynamic shared memory.
//
// | kernel | computes | grid |
// | --- | --- | --- |
// | layer_norm | the result; a warp for each row | 1 to ceil(rows of s / 4) |
// | layer_norm_grad | part NormInGrad, and what layer_norm_grad_slices needs; a warp for each row | 1 to ceil(rows of s / 4) |
// | layer_norm_grad_slices | for every slice of rows (slices.h), the sums of parts GainGrad and ShiftGrad | 1 to slices·ceil(d / 32) |
//
// weight_grad_sum of linear.cu, with k = 1, adds the slices.
#include "functions.h"
#include "slices.h"

#define LAYER_NORM_EPSILON 1e-5f

// Moments of a row: its mean, and scale = 1/√(var + 1e-5).
struct Moments {
  float mean, scale;
};

// moments_of returns the moments of x [d], computed by a warp. The variance is a sum of squares of
// differences from the mean, so it loses no digits where the mean is large.
DEVICE Moments moments_of(const float* x, int d) {
  int lane = threadIdx.x % 32;
  float sum = 0, squares = 0;
  for (int j = lane; j < d; j += 32) sum += x[j];
  Moments m;
  m.mean = warp_sum(sum) / d;
  for (int j = lane; j < d; j += 32) squares += (x[j] - m.mean) * (x[j] - m.mean);
  m.scale = 1 / sqrtf(warp_sum(squares) / d + LAYER_NORM_EPSILON);
  return m;
}

extern "C" __global__ void __launch_bounds__(128)
layer_norm(const Extents* __restrict__ e,    // sizes of the run
           const float* __restrict__ x,      // [s, d]
           const float* __restrict__ gain,   // [d]
           const float* __restrict__ shift,  // [d]
           float* __restrict__ out,          // [s, d]
           int s,                            // space of all matrices
           int d) {                          // columns
  int n = rows(*e, s);
  for (int row = thread() / 32; row < n; row += threads() / 32) {
    size_t at = (size_t)row * d;
    Moments m = moments_of(x + at, d);
    for (int j = threadIdx.x % 32; j < d; j += 32) out[at + j] = (x[at + j] - m.mean) * m.scale * gain[j] + shift[j];
  }
}
KERNEL(layer_norm)

extern "C" __global__ void __launch_bounds__(128)
layer_norm_grad(const Extents* __restrict__ e,   // sizes of the run
                const float* __restrict__ grad,  // of the result [s, d]
                const float* __restrict__ x,     // [s, d]
                const float* __restrict__ gain,  // [d]
                float* __restrict__ out,         // gradient of x [s, d], or null
                float* __restrict__ moments,     // mean and scale of every row [s, 2]
                int s,                           // space of all matrices
                int d) {                         // columns
  int n = rows(*e, s), lane = threadIdx.x % 32;
  for (int row = thread() / 32; row < n; row += threads() / 32) {
    size_t at = (size_t)row * d;
    Moments m = moments_of(x + at, d);
    if (lane == 0) {
      moments[2 * row] = m.mean;
      moments[2 * row + 1] = m.scale;
    }
    if (!out) continue;
    float sum = 0, along = 0;
    for (int j = lane; j < d; j += 32) {
      float h = grad[at + j] * gain[j];
      sum += h;
      along += h * (x[at + j] - m.mean) * m.scale;
    }
    sum = warp_sum(sum) / d;
    along = warp_sum(along) / d;
    for (int j = lane; j < d; j += 32)
      out[at + j] = m.scale * (grad[at + j] * gain[j] - sum - (x[at + j] - m.mean) * m.scale * along);
  }
}
KERNEL(layer_norm_grad)

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
