// Operations on every element by itself. Blocks of 256; grid: 1 to ceil(elements of the result / 256); no dynamic shared
// memory.
//
// columns        (e, in [s, width_in], out [s, width], s, width_in, from, width)
// sigmoid        (e, z [s, d], out [s, d], s, d)
// sigmoid_grad   (e, grad [s, d], result [s, d], out [s, d], s, d)
// uniform_level  (e, u [s, d], out [s, d], s, d)
// uniform_logit  (e, u [s, d], out [s, d], s, d)
// add            (e, a [s, d], b [s, d], out [s, d], s, d)   of gradients; a weight counts as one row of space Parameter
#include "extents.h"
#include "functions.h"

extern "C" __global__ void __launch_bounds__(256)
columns(const Extents* __restrict__ e, const float* __restrict__ in, float* __restrict__ out, int s, int width_in, int from,
        int width) {
  unsigned n = (unsigned)rows(*e, s) * width;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = in[i / width * width_in + from + i % width];
}
KERNEL(columns)

extern "C" __global__ void __launch_bounds__(256)
sigmoid(const Extents* __restrict__ e, const float* __restrict__ z, float* __restrict__ out, int s, int d) {
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = sigmoid_of(z[i]);
}
KERNEL(sigmoid)

extern "C" __global__ void __launch_bounds__(256)
sigmoid_grad(const Extents* __restrict__ e, const float* __restrict__ grad, const float* __restrict__ result,
             float* __restrict__ out, int s, int d) {
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = grad[i] * result[i] * (1 - result[i]);
}
KERNEL(sigmoid_grad)

// level is τ = 0.001 + 0.998·u.
DEVICE float level(float u) { return LEVEL_FLOOR + (1 - 2 * LEVEL_FLOOR) * u; }

extern "C" __global__ void __launch_bounds__(256)
uniform_level(const Extents* __restrict__ e, const float* __restrict__ u, float* __restrict__ out, int s, int d) {
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = level(u[i]);
}
KERNEL(uniform_level)

extern "C" __global__ void __launch_bounds__(256)
uniform_logit(const Extents* __restrict__ e, const float* __restrict__ u, float* __restrict__ out, int s, int d) {
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = logf(level(u[i])) - logf(level(1 - u[i]));
}
KERNEL(uniform_logit)

extern "C" __global__ void __launch_bounds__(256)
add(const Extents* __restrict__ e, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int s,
    int d) {
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = a[i] + b[i];
}
KERNEL(add)
