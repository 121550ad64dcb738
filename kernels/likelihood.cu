// The likelihood of a mixture and its gradient, and the mean of a point's bootstraps, see
// internal/models/ops/likelihood.go. A warp computes a point. Blocks of 128; grid 1 to ceil(rows of Point /
// 4); no dynamic shared memory. elements.h has the other likelihoods, weights.cu the cost.
#include "extents.h"
#include "functions.h"

// Level holds functions of a level's logit z: τ, 1−τ and log τ(1−τ), all to full precision.
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

// natural_level returns what takes the place of a level where σ is 4τ(1−τ) times the decoder's scale:
// 1/4(1−τ), 1/4τ and log ¼. With them the formulas of laplace are right if its sigma is the decoder's
// scale. A side of a component that is shorter than 1e-30 of its scale counts as that long, so that no
// result is infinite.
DEVICE Level natural_level(Level l) {
  const float shortest = 1e-30f;
  Level n;
  n.tau = 0.25f / (l.rest < shortest ? shortest : l.rest);
  n.rest = 0.25f / (l.tau < shortest ? shortest : l.tau);
  n.log_both = -1.38629436f;
  return n;
}

// form_of returns the numbers of a level in the form of the scale.
DEVICE Level form_of(float z, int natural) {
  Level l = level_of(z);
  return natural ? natural_level(l) : l;
}

// Laplace holds one component evaluated at a value y: σ, (y−μ)/σ, the derivative of the pinball
// loss ρ with respect to y−μ, and the log density. In the natural form, σ is the decoder's scale and
// the slope is such that scaled·slope is the loss over the true σ.
struct Laplace {
  float sigma, scaled, slope, log_density;
};

DEVICE Laplace laplace(float y, float mu, float sigma, Level l) {
  Laplace c;
  c.sigma = sigma;
  c.scaled = (y - mu) / c.sigma;
  c.slope = y < mu ? -l.rest : l.tau;  // at y = μ the right derivative
  c.log_density = l.log_both - logf(c.sigma) - c.scaled * c.slope;
  return c;
}

// by_logit returns the derivative of a log density by the level's logit. In the natural form it is
// −ρ/σ times τ above μ and τ−1 below; slope over the sum of both sides' is that.
DEVICE float by_logit(Laplace c, Level l, int natural) {
  if (natural) return -(c.scaled * c.slope) * (c.slope / (l.tau + l.rest));
  return l.rest - l.tau - l.tau * l.rest * c.scaled;
}

// MixtureSums are Σ_k exp(a_k)·AL_k(y) and Σ_k exp(a_k) of one channel, over the levels of a point.
struct MixtureSums {
  LogSum joint, weight;
};

// channel_sums returns the sums of one channel of a point, computed by a warp: r [levels, 3·dy] are
// the point's components, z [levels] its logits.
DEVICE MixtureSums channel_sums(const float* r, const float* z, float y, int levels, int dy, int c, float floor, int natural) {
  MixtureSums s = {log_sum(), log_sum()};
  for (int k = threadIdx.x & 31; k < levels; k += 32) {
    const float* d = r + k * 3 * dy;
    float a = d[2 * dy + c];
    include(s.joint, a + laplace(y, d[c], sigma_of(d[dy + c], floor), form_of(z[k], natural)).log_density);
    include(s.weight, a);
  }
  s.joint = warp_log_sum(s.joint);
  s.weight = warp_log_sum(s.weight);
  return s;
}

// log_likelihood returns a channel's log-likelihood from its sums.
DEVICE float log_likelihood(const MixtureSums& s) { return s.joint.max - s.weight.max + logf(s.joint.sum / s.weight.sum); }

// warp returns this warp's number in the grid, warps the number of warps in the grid.
DEVICE unsigned warp() { return thread() / 32; }
DEVICE unsigned warps() { return threads() / 32; }

extern "C" __global__ void __launch_bounds__(128)
mixture(const Extents* __restrict__ e,         // sizes of the run
        const float* __restrict__ components,  // [Row, 3·dy]: μ…, s…, a…
        const float* __restrict__ z,           // logits of the levels [Row, 1]
        const float* __restrict__ y,           // [Point, dy]
        float* __restrict__ out,               // [Point, 1]
        int dy,                                // channels
        float floor,                           // smallest σ
        int natural) {                         // 1 if σ is 4τ(1−τ) times the decoder's scale
  wait_for_inputs();
  unsigned n = rows(*e, space::Point), levels = e->levels;
  for (unsigned p = warp(); p < n; p += warps()) {
    float ll = 0;
    for (int c = 0; c < dy; c++) {
      MixtureSums s = channel_sums(components + p * levels * 3 * dy, z + p * levels, y[p * dy + c], levels, dy, c, floor, natural);
      ll += log_likelihood(s);
    }
    if ((threadIdx.x & 31) == 0) out[p] = ll;
  }
}
KERNEL(mixture)

// channel_grad writes this lane's levels of one channel's gradient to out [levels, 3·dy]. All
// channels share the levels, so it overwrites dz [levels] for the first channel and adds to it for
// the others. It returns the channel's log-likelihood.
DEVICE float channel_grad(float g, const float* r, const float* z, float y, int levels, int dy, int c, float floor, int natural, float* out,
                          float* dz) {
  MixtureSums s = channel_sums(r, z, y, levels, dy, c, floor, natural);
  for (int k = threadIdx.x & 31; k < levels; k += 32) {
    const float* d = r + k * 3 * dy;
    float* slope = out + k * 3 * dy;
    Level level = form_of(z[k], natural);
    Laplace l = laplace(y, d[c], sigma_of(d[dy + c], floor), level);
    float a = d[2 * dy + c];
    float weight = expf(a - s.weight.max) / s.weight.sum;
    float posterior = expf(a + l.log_density - s.joint.max) / s.joint.sum;
    slope[c] = g * posterior * l.slope / l.sigma;
    slope[dy + c] = g * posterior * (l.scaled * l.slope - 1) / l.sigma * (1 - floor) * sigmoid_of(d[dy + c]);
    slope[2 * dy + c] = g * (posterior - weight);
    if (dz) {
      float share = g * posterior * by_logit(l, level, natural);
      dz[k] = c == 0 ? share : dz[k] + share;
    }
  }
  return log_likelihood(s);
}

// 8 blocks a multiprocessor leave 64 registers; without a number, CUDA 13 takes fewer and spills.
extern "C" __global__ void __launch_bounds__(128, 8)
mixture_grad(const Extents* __restrict__ e,         // sizes of the run
             const float* __restrict__ grad,        // [Point, 1]
             const float* __restrict__ components,  // [Row, 3·dy]: μ…, s…, a…
             const float* __restrict__ z,           // logits of the levels [Row, 1]
             const float* __restrict__ y,           // [Point, dy]
             float* __restrict__ out_components,    // gradient [Row, 3·dy]
             float* __restrict__ out_z,             // gradient [Row, 1], or null
             float* __restrict__ out,               // the likelihood itself [Point, 1], or null
             int dy,                                // channels
             float floor,                           // smallest σ
             int natural) {                         // 1 if σ is 4τ(1−τ) times the decoder's scale
  wait_for_inputs();
  unsigned n = rows(*e, space::Point), levels = e->levels;
  for (unsigned p = warp(); p < n; p += warps()) {
    unsigned at = p * levels;
    float ll = 0;
    for (int c = 0; c < dy; c++) {
      ll += channel_grad(grad[p], components + at * 3 * dy, z + at, y[p * dy + c], levels, dy, c, floor, natural, out_components + at * 3 * dy,
                   out_z ? out_z + at : out_z);
    }
    if (out && (threadIdx.x & 31) == 0) out[p] = ll;
  }
}
KERNEL(mixture_grad)

extern "C" __global__ void __launch_bounds__(128)
log_mean_exp(const Extents* __restrict__ e,  // sizes of the run
             const float* __restrict__ ll,   // [Row, 1]
             float* __restrict__ out) {      // [Point, 1]
  wait_for_inputs();
  unsigned n = rows(*e, space::Point), levels = e->levels;
  for (unsigned p = warp(); p < n; p += warps()) {
    LogSum sum = log_sum();
    for (unsigned k = threadIdx.x & 31; k < levels; k += 32) include(sum, ll[p * levels + k]);
    sum = warp_log_sum(sum);
    if ((threadIdx.x & 31) == 0) out[p] = sum.max + logf(sum.sum / levels);
  }
}
KERNEL(log_mean_exp)
