// The scalar functions of the models, for any argument; ops.Softplus and its neighbours. A NaN stays.
#pragma once
#include "device.h"

// The affine maps of the models, as in internal/ops.
#define GAUSSIAN_FLOOR 0.1f
#define LAPLACE_FLOOR 0.01f
#define LEVEL_FLOOR 0.001f

// softplus is log(1 + exp(x)).
DEVICE float softplus(float x) {
  float tail = log1pf(expf(-fabsf(x)));
  return x > 0 ? x + tail : tail;
}

DEVICE float sigmoid_of(float x) {
  if (x >= 0) return 1.0f / (1.0f + expf(-x));
  float e = expf(x);
  return e / (1.0f + e);
}

// gaussian_sigma is 0.1 + 0.9·softplus(s).
DEVICE float gaussian_sigma(float s) { return GAUSSIAN_FLOOR + (1 - GAUSSIAN_FLOOR) * softplus(s); }

// LogSum is a running log Σ exp(v) = max + log(sum); sum is 0 as long as nothing was added.
struct LogSum {
  float max, sum;
};

DEVICE LogSum log_sum() {
  LogSum l = {-INFINITY, 0};
  return l;
}

DEVICE void include(LogSum& l, float v) {
  if (!(v <= l.max)) {  // also for NaN, so that it stays visible
    l.sum = l.sum * expf(l.max - v) + 1;
    l.max = v;
    return;
  }
  l.sum += expf(v - l.max);
}

// joined is the same, bit for bit, in either order.
DEVICE LogSum joined(LogSum a, LogSum b) {
  if (a.sum == 0) return b;  // both maxima may be −∞
  if (b.max > a.max) {
    LogSum swap = a;
    a = b;
    b = swap;
  }
  a.sum += b.sum * expf(b.max - a.max);
  return a;
}

DEVICE float value(LogSum l) { return l.max + logf(l.sum); }

// warp_log_sum joins the lanes' sums; every lane gets the same.
DEVICE LogSum warp_log_sum(LogSum l) {
  for (int step = 16; step > 0; step /= 2) {
    LogSum other = {__shfl_xor_sync(~0u, l.max, step), __shfl_xor_sync(~0u, l.sum, step)};
    l = joined(l, other);
  }
  return l;
}

// warp_sum adds the lanes' numbers; every lane gets the same.
DEVICE float warp_sum(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  return v;
}
