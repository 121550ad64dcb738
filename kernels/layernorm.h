// Layer normalisation n·gain + shift of every row, with n = (x − mean)/√(var + 1e-5) over the
// columns and the biased variance, and its gradients, see internal/models/ops/layernorm.go. With g the
// gradient of the result and h = g·gain,
//
//   gradient of x = (h − mean(h) − n·mean(h·n))/√(var + 1e-5)
//   gradient of gain = Σ g·n, gradient of shift = Σ g, over all rows
//
// chain.cu runs these functions, layernorm.cu the sums over rows. A warp computes a row.
#pragma once
#include "functions.h"
#include "task.h"

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

// layer_norm_rows computes LAYER_NORM for the rows [from, to): a = x [s, d], b = gain [d], c = shift
// [d].
DEVICE void layer_norm_rows(const Task& t, int from, int to) {
  int lane = threadIdx.x % 32, d = t.d;
  for (int row = from + threadIdx.x / 32; row < to; row += blockDim.x / 32) {
    const float* x = t.a + (size_t)row * d;
    Moments m = moments_of(x, d);
    for (int j = lane; j < d; j += 32) t.out[(size_t)row * d + j] = (x[j] - m.mean) * m.scale * t.b[j] + t.c[j];
  }
}

// layer_norm_grad_rows computes LAYER_NORM_GRAD: a = gradient of the result [s, d], b = x [s, d], c
// = gain [d]. It writes the gradient of x to out [s, d], unless that is null, and the mean and scale
// of every row to more [s, 2].
DEVICE void layer_norm_grad_rows(const Task& t, int from, int to) {
  int lane = threadIdx.x % 32, d = t.d;
  for (int row = from + threadIdx.x / 32; row < to; row += blockDim.x / 32) {
    const float *grad = t.a + (size_t)row * d, *x = t.b + (size_t)row * d;
    Moments m = moments_of(x, d);
    if (lane == 0) {
      t.more[2 * row] = m.mean;
      t.more[2 * row + 1] = m.scale;
    }
    if (!t.out) continue;
    float sum = 0, along = 0;
    for (int j = lane; j < d; j += 32) {
      float h = grad[j] * t.c[j];
      sum += h;
      along += h * (x[j] - m.mean) * m.scale;
    }
    sum = warp_sum(sum) / d;
    along = warp_sum(along) / d;
    float* out = t.out + (size_t)row * d;
    for (int j = lane; j < d; j += 32) out[j] = m.scale * (grad[j] * t.c[j] - sum - (x[j] - m.mean) * m.scale * along);
  }
}
