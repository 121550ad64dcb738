// Operations on single elements, see internal/ops/elementwise.go. add also adds two gradients of
// one value. A thread computes one element at a time. Blocks of 256; grid 1 to ceil(elements of the
// result / 256); no dynamic shared memory.
#include "extents.h"
#include "functions.h"

extern "C" __global__ void __launch_bounds__(256)
columns(const Extents* __restrict__ e,  // sizes of the run
        const float* __restrict__ in,   // [s, width_in]
        float* __restrict__ out,        // [s, width]
        int s,                          // space of all matrices
        int width_in,                   // columns of in
        int from,                       // the first column that is copied
        int width) {                    // columns of out
  unsigned n = (unsigned)rows(*e, s) * width;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = in[i / width * width_in + from + i % width];
}
KERNEL(columns)

extern "C" __global__ void __launch_bounds__(256)
join(const Extents* __restrict__ e,  // sizes of the run
     const float* __restrict__ a,    // [s, p]
     const float* __restrict__ b,    // [s, q]
     float* __restrict__ out,        // [s, p + q]: the columns of a, then those of b
     int s,                          // space of all matrices
     int p,                          // columns of a
     int q) {                        // columns of b
  unsigned width = p + q, n = (unsigned)rows(*e, s) * width;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / width, column = i % width;
    out[i] = column < (unsigned)p ? a[row * p + column] : b[row * q + column - p];
  }
}
KERNEL(join)

extern "C" __global__ void __launch_bounds__(256)
ones(const Extents* __restrict__ e,  // sizes of the run
     float* __restrict__ out,        // [s, d]
     int s,                          // space of out
     int d) {                        // columns
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = 1;
}
KERNEL(ones)

extern "C" __global__ void __launch_bounds__(256)
sigmoid(const Extents* __restrict__ e,  // sizes of the run
        const float* __restrict__ z,    // [s, d]
        float* __restrict__ out,        // [s, d]
        int s,                          // space of all matrices
        int d) {                        // columns
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = sigmoid_of(z[i]);
}
KERNEL(sigmoid)

extern "C" __global__ void __launch_bounds__(256)
sigmoid_grad(const Extents* __restrict__ e,     // sizes of the run
             const float* __restrict__ grad,    // [s, d]
             const float* __restrict__ result,  // [s, d]
             float* __restrict__ out,           // [s, d]
             int s,                             // space of all matrices
             int d) {                           // columns
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = grad[i] * result[i] * (1 - result[i]);
}
KERNEL(sigmoid_grad)

// level returns τ = 0.001 + 0.998·u.
DEVICE float level(float u) { return LEVEL_FLOOR + (1 - 2 * LEVEL_FLOOR) * u; }

extern "C" __global__ void __launch_bounds__(256)
uniform_level(const Extents* __restrict__ e,  // sizes of the run
              const float* __restrict__ u,    // [s, d]
              float* __restrict__ out,        // [s, d]
              int s,                          // space of all matrices
              int d) {                        // columns
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = level(u[i]);
}
KERNEL(uniform_level)

extern "C" __global__ void __launch_bounds__(256)
uniform_logit(const Extents* __restrict__ e,  // sizes of the run
              const float* __restrict__ u,    // [s, d]
              float* __restrict__ out,        // [s, d]
              int s,                          // space of all matrices
              int d) {                        // columns
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = logf(level(u[i])) - logf(level(1 - u[i]));
}
KERNEL(uniform_logit)

extern "C" __global__ void __launch_bounds__(256)
add(const Extents* __restrict__ e,  // sizes of the run
    const float* __restrict__ a,    // [s, d]
    const float* __restrict__ b,    // [s, d]
    float* __restrict__ out,        // [s, d]
    int s,                          // space; a weight is one row of Parameter
    int d) {                        // columns
  unsigned n = (unsigned)rows(*e, s) * d;
  for (unsigned i = thread(); i < n; i += threads()) out[i] = a[i] + b[i];
}
KERNEL(add)
