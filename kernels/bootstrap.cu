// The bootstrapping model's operations, of package ops' bootstrap.go. Blocks of 256; grid: 1 to ceil(elements of the result
// / 256); no dynamic shared memory.
//
// ensemble_add            (e, a [above, d], b [Ensemble, d], out [below, d], above, d, relu)
// ensemble_add_grad_point (e, grad [below, d], result [below, d], out [above, d], above, d, relu)      part PointGrad
// ensemble_add_grad_level (e, grad [below, d], result [below, d], out [Ensemble, d], above, d, relu)   part EnsembleGrad
//                         above: Point, with below Row; or Context, with below Resample
// gather                  (e, values [from, d], index [Resample, 1], out [Resample, d], from, d)   from: Context or Resample
// residual                (e, decoded [Resample, 2dy], y [Context, dy], out [Resample, dy], dy)
// perturb                 (e, decoded [Resample, 2dy], residual [Resample, dy], mean [Ensemble, dy], out [Resample, dy], dy)
#include "extents.h"
#include "functions.h"

extern "C" __global__ void __launch_bounds__(256)
ensemble_add(const Extents* __restrict__ e, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
             int above, int d, int relu) {
  unsigned levels = e->levels, points = rows_of_function(*e, above);
  unsigned n = e->functions * points * levels * d;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / d, column = i % d, point = row / levels;
    float sum = a[point * d + column] + b[(point / points * levels + row % levels) * d + column];
    out[i] = relu && sum < 0 ? 0 : sum;
  }
}
KERNEL(ensemble_add)

// masked is a gradient behind a ReLU with this result.
DEVICE float masked(float grad, float result, int relu) { return relu && result == 0 ? 0 : grad; }

extern "C" __global__ void __launch_bounds__(256)
ensemble_add_grad_point(const Extents* __restrict__ e, const float* __restrict__ grad, const float* __restrict__ result,
                        float* __restrict__ out, int above, int d, int relu) {
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
ensemble_add_grad_level(const Extents* __restrict__ e, const float* __restrict__ grad, const float* __restrict__ result,
                        float* __restrict__ out, int above, int d, int relu) {
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
gather(const Extents* __restrict__ e, const float* __restrict__ values, const float* __restrict__ index,
       float* __restrict__ out, int from, int d) {
  unsigned levels = e->levels, context = e->context, n = (unsigned)rows(*e, space::Resample) * d;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / d, source = row / levels / context * context + (unsigned)index[row];
    if (from == space::Resample) source = source * levels + row % levels;
    out[i] = values[source * d + i % d];
  }
}
KERNEL(gather)

extern "C" __global__ void __launch_bounds__(256)
residual(const Extents* __restrict__ e, const float* __restrict__ decoded, const float* __restrict__ y,
         float* __restrict__ out, int dy) {
  unsigned levels = e->levels, n = (unsigned)rows(*e, space::Resample) * dy;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / dy, c = i % dy;
    const float* r = decoded + row * 2 * dy;
    out[i] = (y[row / levels * dy + c] - r[c]) / gaussian_sigma(r[dy + c]);
  }
}
KERNEL(residual)

extern "C" __global__ void __launch_bounds__(256)
perturb(const Extents* __restrict__ e, const float* __restrict__ decoded, const float* __restrict__ residual,
        const float* __restrict__ mean, float* __restrict__ out, int dy) {
  unsigned levels = e->levels, context = e->context, n = (unsigned)rows(*e, space::Resample) * dy;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned row = i / dy, c = i % dy;
    const float* r = decoded + row * 2 * dy;
    float centre = mean[(row / (levels * context) * levels + row % levels) * dy + c];
    out[i] = r[c] + gaussian_sigma(r[dy + c]) * (residual[i] - centre);
  }
}
KERNEL(perturb)
