// Adam, and the search for a NaN or an infinity before and after it. The kernels run in the order
// of the table, after the flat gradient is complete. Blocks of 256; no dynamic shared memory.
//
// | kernel | grid |
// | --- | --- |
// | check | 1 to ceil(n / 256) |
// | adam_begin | 1 |
// | adam | 1 to ceil(n / 256) |
// | adam_end | 1 |
#include "training.h"

// PyTorch's defaults, as in internal/engine.
#define BETA1 0.9
#define BETA2 0.999
#define EPSILON 1e-8f

// A step that overflows halves the scale of the loss. STEPS_TO_DOUBLE steps without overflow double
// it. LARGEST_SCALE keeps its inverse a normal number; only gradients that are all 0 get there.
#define LARGEST_SCALE 1.2676506e30f  // 2^100
#define STEPS_TO_DOUBLE 2000

// Sizes below which values become 0, as on the host: see negligible in internal/engine.
#define NEGLIGIBLE 1e-30f
#define NEGLIGIBLE_SQUARE 1e-37f

// lowest returns the lowest of the block's numbers, in thread 0.
DEVICE int lowest(int v, int part[8]) {
  for (int step = 16; step > 0; step /= 2) v = min(v, __shfl_xor_sync(~0u, v, step));
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  for (int i = 0; i < 8; i++) v = min(v, part[i]);
  return v;
}

DEVICE bool finite(float x) { return fabsf(x) <= 3.402823466e38f; }

// check finds the gradients that are not finite.
extern "C" __global__ void __launch_bounds__(256)
check(const float* __restrict__ grads,  // [n]
      int* __restrict__ found,          // [grid]: the lowest index with a NaN or an infinity, or n
      int n) {                          // parameters
  __shared__ int part[8];
  int first = n;
  for (unsigned i = thread(); i < (unsigned)n; i += threads())
    if (!finite(grads[i])) first = min(first, (int)i);
  first = lowest(first, part);
  if (threadIdx.x == 0) found[blockIdx.x] = first;
}
KERNEL(check)

// note records the first NaN or infinity of the run.
DEVICE void note(Training* t, const Step* step, Quantity bad, int index, float value) {
  if (t->bad != NONE) return;
  t->bad = bad;
  t->bad_batch = step->batch;
  t->bad_index = index;
  t->bad_value = value;
}

// begin_update counts an update and computes its rates in double precision, as the host does.
DEVICE void begin_update(Training* t, double rate, int scaled) {
  t->updates++;
  t->rate = (float)(rate / (1 - pow(BETA1, (double)t->updates)));
  t->root = (float)sqrt(1 - pow(BETA2, (double)t->updates));
  t->unscale = 1 / t->scale;
  if (!scaled) return;
  t->good++;
  if (t->good < STEPS_TO_DOUBLE) return;
  t->good = 0;
  if (t->scale < LARGEST_SCALE) t->scale *= 2;
}

// adam_begin decides whether the step updates the parameters. Overflow of a scaled gradient is not
// an error while the scale can be lowered.
extern "C" __global__ void __launch_bounds__(256)
adam_begin(const Step* __restrict__ step,    // batch and learning rate
           Training* __restrict__ t,         // state of training, changed
           const float* __restrict__ loss,   // [1]
           const float* __restrict__ grads,  // [n]
           const int* __restrict__ found,    // [count], by check
           int count,                        // blocks of check
           int n,                            // parameters
           int scaled) {                     // 1 if the loss is scaled, so that the scale may change; else 0
  __shared__ int part[8];
  if (blockIdx.x > 0) return;
  int first = n;
  for (int i = threadIdx.x; i < count; i += 256) first = min(first, found[i]);
  first = lowest(first, part);
  if (threadIdx.x > 0) return;
  t->loss = loss[0];
  t->unscale = 0;
  bool lower = scaled && t->scale > 1;
  if (!finite(loss[0])) note(t, step, LOSS, 0, loss[0]);
  if (first < n && !lower) note(t, step, GRADIENT, first, grads[first]);
  if (t->bad != NONE) return;
  if (first < n) {
    t->scale /= 2;
    t->good = 0;
    return;
  }
  begin_update(t, step->rate, scaled);
}
KERNEL(adam_begin)

// flush returns x, or 0 if |x| < bound.
DEVICE float flush(float x, float bound) { return fabsf(x) < bound ? 0 : x; }

extern "C" __global__ void __launch_bounds__(256)
adam(const Training* __restrict__ t,   // state of training
     float* __restrict__ params,       // [n], updated
     float* __restrict__ m,            // [n], updated
     float* __restrict__ v,            // [n], updated
     const float* __restrict__ grads,  // [n]
     int* __restrict__ found,          // [grid]: the lowest index whose update is not finite, or n
     int n,                            // parameters
     float decay) {                    // L2 penalty
  __shared__ int part[8];
  if (t->unscale == 0) return;
  const float b1 = (float)BETA1, c1 = (float)(1 - BETA1), b2 = (float)BETA2, c2 = (float)(1 - BETA2);
  float rate = t->rate, root = t->root, unscale = t->unscale;
  int first = n;
  for (unsigned i = thread(); i < (unsigned)n; i += threads()) {
    float p = params[i], g = grads[i] * unscale + decay * p;
    m[i] = flush(b1 * m[i] + c1 * g, NEGLIGIBLE);
    v[i] = flush(b2 * v[i] + c2 * g * g, NEGLIGIBLE_SQUARE);
    params[i] = flush(p - rate * m[i] / (sqrtf(v[i]) / root + EPSILON), NEGLIGIBLE);
    if (!finite(v[i]) || !finite(params[i])) first = min(first, (int)i); // if m is not finite, neither is the parameter
  }
  first = lowest(first, part);
  if (threadIdx.x == 0) found[blockIdx.x] = first;
}
KERNEL(adam)

// adam_end records the first element that the update has made a NaN or an infinity: of its moments
// and its weight, the one that was computed first.
extern "C" __global__ void __launch_bounds__(256)
adam_end(const Step* __restrict__ step,     // batch
         Training* __restrict__ t,          // state of training, changed
         const float* __restrict__ params,  // [n]
         const float* __restrict__ m,       // [n]
         const float* __restrict__ v,       // [n]
         const int* __restrict__ found,     // [count], by adam
         int count,                         // blocks of adam
         int n) {                           // parameters
  __shared__ int part[8];
  if (blockIdx.x > 0 || t->unscale == 0) return;
  int i = n;
  for (int b = threadIdx.x; b < count; b += 256) i = min(i, found[b]);
  i = lowest(i, part);
  if (threadIdx.x > 0 || i == n) return;
  if (!finite(m[i])) note(t, step, FIRST_MOMENT, i, m[i]);
  else if (!finite(v[i])) note(t, step, SECOND_MOMENT, i, v[i]);
  else note(t, step, WEIGHT, i, params[i]);
}
KERNEL(adam_end)
