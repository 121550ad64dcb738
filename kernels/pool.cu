// Means over the context points. Blocks of 256; grid: 1 to ceil(elements of the result / 256); no dynamic shared memory.
//
// set_mean       (e, in [from, d], out [Function or Ensemble, d], from, d)   from: Context or Resample
// set_mean_grad  (e, grad [Function or Ensemble, d], out [to, d], to, d)     to: Context or Resample
#include "extents.h"

extern "C" __global__ void __launch_bounds__(256)
set_mean(const Extents* __restrict__ e, const float* __restrict__ in, float* __restrict__ out, int from, int d) {
  int levels = from == space::Resample ? e->levels : 1, context = e->context;
  unsigned n = (unsigned)e->functions * levels * d;
  float share = 1.0f / context;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / d, column = i % d;
    unsigned first = row / levels * context * levels + row % levels;
    const float* x = in + (size_t)first * d + column;
    float sum = 0;
    for (int c = 0; c < context; c++) sum += share * x[(size_t)c * levels * d];
    out[i] = sum;
  }
}
KERNEL(set_mean)

extern "C" __global__ void __launch_bounds__(256)
set_mean_grad(const Extents* __restrict__ e, const float* __restrict__ grad, float* __restrict__ out, int to, int d) {
  unsigned levels = to == space::Resample ? e->levels : 1, context = e->context;
  unsigned n = (unsigned)rows(*e, to) * d;
  float share = 1.0f / context;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / d, column = i % d;
    out[i] = share * grad[(size_t)(row / (levels * context) * levels + row % levels) * d + column];
  }
}
KERNEL(set_mean_grad)
