// The operations of the bootstrapping model, see internal/ops/bootstrap.go. A thread computes one
// element of the result at a time. Blocks of 256; grid 1 to ceil(elements of the result / 256); no
// dynamic shared memory.
//
// Below is the space of the levels of the space above: Row if above is Point, Resample if it is
// Context. ensemble_add_grad_point computes part PointGrad, ensemble_add_grad_level part
// EnsembleGrad.
#include "extents.h"
#include "functions.h"

extern "C" __global__ void __launch_bounds__(256)
ensemble_add(const Extents* __restrict__ e,  // sizes of the run
             const float* __restrict__ a,    // [above, d]
             const float* __restrict__ b,    // [Ensemble, d]
             float* __restrict__ out,        // [below, d]
             int above,                      // Point or Context
             int d,                          // columns
             int relu) {                     // 1: with ReLU
  unsigned levels = e->levels, points = rows_of_function(*e, above);
  unsigned n = e->functions * points * levels * d;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / d, column = i % d, point = row / levels;
    float sum = a[point * d + column] + b[(point / points * levels + row % levels) * d + column];
    out[i] = relu && sum < 0 ? 0 : sum;
  }
}
KERNEL(ensemble_add)

// masked returns the gradient before a ReLU with this result.
DEVICE float masked(float grad, float result, int relu) { return relu && result == 0 ? 0 : grad; }

extern "C" __global__ void __launch_bounds__(256)
ensemble_add_grad_point(const Extents* __restrict__ e,     // sizes of the run
                        const float* __restrict__ grad,    // [below, d]
                        const float* __restrict__ result,  // [below, d]
                        float* __restrict__ out,           // [above, d]
                        int above,                         // Point or Context
                        int d,                             // columns
                        int relu) {                        // 1 if the result went through a ReLU
  unsigned levels = e->levels, n = (unsigned)rows(*e, above) * d;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned at = i / d * levels * d + i % d;
    float sum = 0;
    for (unsigned k = 0; k < levels; k++, at += d) sum += masked(grad[at], result[at], relu);
    out[i] = sum;
  }
}
KERNEL(ensemble_add_grad_point)

extern "C" __global__ void __launch_bounds__(256)
ensemble_add_grad_level(const Extents* __restrict__ e,     // sizes of the run
                        const float* __restrict__ grad,    // [below, d]
                        const float* __restrict__ result,  // [below, d]
                        float* __restrict__ out,           // [Ensemble, d]
                        int above,                         // Point or Context
                        int d,                             // columns
                        int relu) {                        // 1 if the result went through a ReLU
  unsigned levels = e->levels, points = rows_of_function(*e, above);
  unsigned n = e->functions * levels * d;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / d, at = (row / levels * points * levels + row % levels) * d + i % d;
    float sum = 0;
    for (unsigned p = 0; p < points; p++, at += levels * d) sum += masked(grad[at], result[at], relu);
    out[i] = sum;
  }
}
KERNEL(ensemble_add_grad_level)

extern "C" __global__ void __launch_bounds__(256)
gather(const Extents* __restrict__ e,     // sizes of the run
       const float* __restrict__ values,  // [from, d]
       const float* __restrict__ index,   // [Resample, 1]
       float* __restrict__ out,           // [Resample, d]
       int from,                          // Context or Resample
       int d) {                           // columns
  unsigned levels = e->levels, context = e->context, n = (unsigned)rows(*e, space::Resample) * d;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / d, source = row / levels / context * context + (unsigned)index[row];
    if (from == space::Resample) source = source * levels + row % levels;
    out[i] = values[source * d + i % d];
  }
}
KERNEL(gather)

extern "C" __global__ void __launch_bounds__(256)
residual(const Extents* __restrict__ e,      // sizes of the run
         const float* __restrict__ decoded,  // [Resample, 2·dy]
         const float* __restrict__ y,        // [Context, dy]
         float* __restrict__ out,            // [Resample, dy]
         int dy,                             // channels
         float floor) {                      // smallest σ
  unsigned levels = e->levels, n = (unsigned)rows(*e, space::Resample) * dy;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / dy, c = i % dy;
    const float* r = decoded + row * 2 * dy;
    out[i] = (y[row / levels * dy + c] - r[c]) / sigma_of(r[dy + c], floor);
  }
}
KERNEL(residual)

extern "C" __global__ void __launch_bounds__(256)
perturb(const Extents* __restrict__ e,       // sizes of the run
        const float* __restrict__ decoded,   // [Resample, 2·dy]
        const float* __restrict__ residual,  // [Resample, dy]
        const float* __restrict__ mean,      // of the residuals [Ensemble, dy]
        float* __restrict__ out,             // [Resample, dy]
        int dy,                              // channels
        float floor) {                       // smallest σ
  unsigned levels = e->levels, context = e->context, n = (unsigned)rows(*e, space::Resample) * dy;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / dy, c = i % dy;
    const float* r = decoded + row * 2 * dy;
    float centre = mean[(row / (levels * context) * levels + row % levels) * dy + c];
    out[i] = r[c] + sigma_of(r[dy + c], floor) * (residual[i] - centre);
  }
}
KERNEL(perturb)
