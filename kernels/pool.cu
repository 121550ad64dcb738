// Means over the context points, see internal/ops/pool.go. A thread computes one element of the
// result at a time. Blocks of 256; grid 1 to ceil(elements of the result / 256); no dynamic shared
// memory.
#include "extents.h"

extern "C" __global__ void __launch_bounds__(256)
set_mean(const Extents* __restrict__ e,  // sizes of the run
         const float* __restrict__ in,   // [from, d]
         float* __restrict__ out,        // [Function or Ensemble, d]
         int from,                       // Context or Resample
         int d) {                        // columns
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
set_mean_grad(const Extents* __restrict__ e,   // sizes of the run
              const float* __restrict__ grad,  // [Function or Ensemble, d]
              float* __restrict__ out,         // [to, d]
              int to,                          // Context or Resample
              int d) {                         // columns
  unsigned levels = to == space::Resample ? e->levels : 1, context = e->context;
  unsigned n = (unsigned)rows(*e, to) * d;
  float share = 1.0f / context;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / d, column = i % d;
    out[i] = share * grad[(size_t)(row / (levels * context) * levels + row % levels) * d + column];
  }
}
KERNEL(set_mean_grad)
