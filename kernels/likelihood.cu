// Log-likelihoods and the cost, with their gradients. No dynamic shared memory.
//
// Blocks of 256, a thread a row; grid: 1 to ceil(rows of s / 256); s: Point or Row, above: Point or s itself
// gaussian          (e, decoded [s, 2dy], y [above, dy], out [s, 1], s, above, dy)
// gaussian_grad     (e, grad [s, 1], decoded [s, 2dy], y [above, dy], out [s, 2dy], s, above, dy)
// log_mean_exp_grad (e, grad [Point, 1], ll [Row, 1], result [Point, 1], out [Row, 1])
// neg_mean_grad     (e, grad [1], out [s, 1], s)
//
// Blocks of 128, a warp a point; grid: 1 to ceil(rows of Point / 4)
// mixture           (e, components [Row, 3dy], z [Row, 1], y [Point, dy], out [Point, 1], dy)
// mixture_grad      (e, grad [Point, 1], components, z, y, out_components [Row, 3dy], out_z [Row, 1] or null, dy)
// log_mean_exp      (e, ll [Row, 1], out [Point, 1])
//
// One block of 256
// neg_mean          (e, ll [s, 1], out [1], s, more)   once for each input of NegMean in turn; more: 0 for the first, else 1
#include "extents.h"
#include "functions.h"

#define HALF_LOG_2PI 0.91893853320467274178f

extern "C" __global__ void __launch_bounds__(256)
gaussian(const Extents* __restrict__ e, const float* __restrict__ decoded, const float* __restrict__ y,
         float* __restrict__ out, int s, int above, int dy) {
  unsigned n = rows(*e, s), below = ratio(*e, s, above);
  for (unsigned i = thread(); i < n; i += threads()) {
    const float *d = decoded + i * 2 * dy, *target = y + i / below * dy;
    float ll = 0;
    for (int c = 0; c < dy; c++) {
      float sigma = gaussian_sigma(d[dy + c]), z = (target[c] - d[c]) / sigma;
      ll += -z * z / 2 - logf(sigma) - HALF_LOG_2PI;
    }
    out[i] = ll;
  }
}
KERNEL(gaussian)

extern "C" __global__ void __launch_bounds__(256)
gaussian_grad(const Extents* __restrict__ e, const float* __restrict__ grad, const float* __restrict__ decoded,
              const float* __restrict__ y, float* __restrict__ out, int s, int above, int dy) {
  unsigned n = rows(*e, s), below = ratio(*e, s, above);
  for (unsigned i = thread(); i < n; i += threads()) {
    const float *d = decoded + i * 2 * dy, *target = y + i / below * dy;
    float *slope = out + i * 2 * dy, g = grad[i];
    for (int c = 0; c < dy; c++) {
      float sigma = gaussian_sigma(d[dy + c]), z = (target[c] - d[c]) / sigma;
      slope[c] = g * z / sigma;
      slope[dy + c] = g * (z * z - 1) / sigma * (1 - GAUSSIAN_FLOOR) * sigmoid_of(d[dy + c]);
    }
  }
}
KERNEL(gaussian_grad)

// Level is what a quantile level's logit z gives, each to its last digit: τ, 1−τ and log τ(1−τ).
struct Level {
  float tau, rest, log_both;
};

DEVICE Level level_of(float z) {
  float small = expf(-fabsf(z)), large = 1.0f / (1.0f + small);
  Level l;
  l.tau = z >= 0 ? large : small * large;
  l.rest = z >= 0 ? small * large : large;
  l.log_both = -fabsf(z) - 2 * log1pf(small);
  return l;
}

// Laplace is one component at a value y: residual y−μ over σ, slope of the pinball loss ρ by it, and log density.
struct Laplace {
  float sigma, scaled, slope, log_density;
};

DEVICE Laplace laplace(float y, float mu, float s, Level l) {
  Laplace c;
  c.sigma = LAPLACE_FLOOR + (1 - LAPLACE_FLOOR) * softplus(s);
  c.scaled = (y - mu) / c.sigma;
  c.slope = y < mu ? -l.rest : l.tau;  // at y = μ the right derivative
  c.log_density = l.log_both - logf(c.sigma) - c.scaled * c.slope;
  return c;
}

// Sums are Σ_k exp(a_k)·AL_k(y) and Σ_k exp(a_k) of one channel, over all levels of a point.
struct Sums {
  LogSum joint, weight;
};

// channel_sums is called by a whole warp for one point: r its components [levels, 3dy], z its logits.
DEVICE Sums channel_sums(const float* r, const float* z, float y, int levels, int dy, int c) {
  Sums s = {log_sum(), log_sum()};
  for (int k = threadIdx.x & 31; k < levels; k += 32) {
    const float* d = r + k * 3 * dy;
    float a = d[2 * dy + c];
    include(s.joint, a + laplace(y, d[c], d[dy + c], level_of(z[k])).log_density);
    include(s.weight, a);
  }
  s.joint = warp_log_sum(s.joint);
  s.weight = warp_log_sum(s.weight);
  return s;
}

// warp is this warp's number in the grid, warps how many there are.
DEVICE unsigned warp() { return thread() / 32; }
DEVICE unsigned warps() { return threads() / 32; }

extern "C" __global__ void __launch_bounds__(128)
mixture(const Extents* __restrict__ e, const float* __restrict__ components, const float* __restrict__ z,
        const float* __restrict__ y, float* __restrict__ out, int dy) {
  unsigned n = rows(*e, space::Point), levels = e->levels;
  for (unsigned p = warp(); p < n; p += warps()) {
    float ll = 0;
    for (int c = 0; c < dy; c++) {
      Sums s = channel_sums(components + p * levels * 3 * dy, z + p * levels, y[p * dy + c], levels, dy, c);
      ll += s.joint.max - s.weight.max + logf(s.joint.sum / s.weight.sum);
    }
    if ((threadIdx.x & 31) == 0) out[p] = ll;
  }
}
KERNEL(mixture)

// channel_grad writes this lane's levels of one channel's gradient. The channels share their levels, so dz goes on.
DEVICE void channel_grad(float g, const float* r, const float* z, float y, int levels, int dy, int c, float* out, float* dz) {
  Sums s = channel_sums(r, z, y, levels, dy, c);
  for (int k = threadIdx.x & 31; k < levels; k += 32) {
    const float* d = r + k * 3 * dy;
    float* slope = out + k * 3 * dy;
    Level level = level_of(z[k]);
    Laplace l = laplace(y, d[c], d[dy + c], level);
    float a = d[2 * dy + c];
    float weight = expf(a - s.weight.max) / s.weight.sum;
    float posterior = expf(a + l.log_density - s.joint.max) / s.joint.sum;
    slope[c] = g * posterior * l.slope / l.sigma;
    slope[dy + c] = g * posterior * (l.scaled * l.slope - 1) / l.sigma * (1 - LAPLACE_FLOOR) * sigmoid_of(d[dy + c]);
    slope[2 * dy + c] = g * (posterior - weight);
    if (dz) {
      float share = g * posterior * (level.rest - level.tau - level.tau * level.rest * l.scaled);
      dz[k] = c == 0 ? share : dz[k] + share;
    }
  }
}

extern "C" __global__ void __launch_bounds__(128)
mixture_grad(const Extents* __restrict__ e, const float* __restrict__ grad, const float* __restrict__ components,
             const float* __restrict__ z, const float* __restrict__ y, float* __restrict__ out_components,
             float* __restrict__ out_z, int dy) {
  unsigned n = rows(*e, space::Point), levels = e->levels;
  for (unsigned p = warp(); p < n; p += warps()) {
    unsigned at = p * levels;
    for (int c = 0; c < dy; c++) {
      channel_grad(grad[p], components + at * 3 * dy, z + at, y[p * dy + c], levels, dy, c, out_components + at * 3 * dy,
                   out_z ? out_z + at : out_z);
    }
  }
}
KERNEL(mixture_grad)

extern "C" __global__ void __launch_bounds__(128)
log_mean_exp(const Extents* __restrict__ e, const float* __restrict__ ll, float* __restrict__ out) {
  unsigned n = rows(*e, space::Point), levels = e->levels;
  for (unsigned p = warp(); p < n; p += warps()) {
    LogSum sum = log_sum();
    for (unsigned k = threadIdx.x & 31; k < levels; k += 32) include(sum, ll[p * levels + k]);
    sum = warp_log_sum(sum);
    if ((threadIdx.x & 31) == 0) out[p] = sum.max + logf(sum.sum / levels);
  }
}
KERNEL(log_mean_exp)

extern "C" __global__ void __launch_bounds__(256)
log_mean_exp_grad(const Extents* __restrict__ e, const float* __restrict__ grad, const float* __restrict__ ll,
                  const float* __restrict__ result, float* __restrict__ out) {
  unsigned n = rows(*e, space::Row), levels = e->levels;
  for (unsigned i = thread(); i < n; i += threads()) {
    unsigned p = i / levels;
    out[i] = grad[p] * expf(ll[i] - result[p]) / levels;
  }
}
KERNEL(log_mean_exp_grad)

extern "C" __global__ void __launch_bounds__(256)
neg_mean(const Extents* __restrict__ e, const float* __restrict__ ll, float* __restrict__ out, int s, int more) {
  __shared__ float part[8];
  if (blockIdx.x > 0) return;
  int n = rows(*e, s);
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += ll[i];
  sum = warp_sum(sum);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  sum = 0;
  for (int i = 0; i < 8; i++) sum += part[i];
  out[0] = (more ? out[0] : 0) - sum / n;
}
KERNEL(neg_mean)

extern "C" __global__ void __launch_bounds__(256)
neg_mean_grad(const Extents* __restrict__ e, const float* __restrict__ grad, float* __restrict__ out, int s) {
  unsigned n = rows(*e, s);
  for (unsigned i = thread(); i < n; i += threads()) out[i] = -grad[0] / n;
}
KERNEL(neg_mean_grad)
