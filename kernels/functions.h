// The scalar functions of the models, as in internal/models/ops. They accept any argument and return a NaN
// for a NaN.
#pragma once
#include "device.h"

// The smallest level, as in internal/models/ops.
#define LEVEL_FLOOR 0.001f

// softplus returns log(1 + exp(x)).
DEVICE float softplus(float x) {
  float tail = log1pf(expf(-fabsf(x)));
  return x > 0 ? x + tail : tail;
}

// sigmoid_of returns 1 / (1 + exp(−x)).
DEVICE float sigmoid_of(float x) {
  if (x >= 0) return 1.0f / (1.0f + expf(-x));
  float e = expf(x);
  return e / (1.0f + e);
}

// sigma_of returns floor + (1−floor)·softplus(s), the scale of a likelihood.
DEVICE float sigma_of(float s, float floor) { return floor + (1 - floor) * softplus(s); }

// LogSum is a running log Σ exp(v) = max + log(sum). sum is 0 before the first v.
struct LogSum {
  float max, sum;
};

DEVICE LogSum log_sum() {
  LogSum l = {-INFINITY, 0};
  return l;
}

// include adds exp(v).
DEVICE void include(LogSum& l, float v) {
  if (!(v <= l.max)) {  // also true for a NaN, so that it reaches the result
    l.sum = l.sum * expf(l.max - v) + 1;
    l.max = v;
    return;
  }
  l.sum += expf(v - l.max);
}

// joined adds two running sums. It returns the same bits in either order.
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

// warp_log_sum adds the lanes' running sums and returns the result to every lane.
DEVICE LogSum warp_log_sum(LogSum l) {
  for (int step = 16; step > 0; step /= 2) {
    LogSum other = {__shfl_xor_sync(~0u, l.max, step), __shfl_xor_sync(~0u, l.sum, step)};
    l = joined(l, other);
  }
  return l;
}

// warp_sum adds the lanes' numbers and returns the sum to every lane.
DEVICE float warp_sum(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  return v;
}
