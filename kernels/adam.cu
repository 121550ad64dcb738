// Adam, and the search for a NaN or an infinity before and after it. The kernels run in the order
// of the table, after the flat gradient is complete. Blocks of 256; no dynamic shared memory.
//
// | kernel | grid |
// | --- | --- |
// | check | 1 to ceil(n / 256) |
// | adam | 1 to ceil(n / 256) |
//
// The state of training does not change until all blocks of adam have read it, so every block
// decides alike.
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

// first_of returns the lowest of the numbers that blocks found, to thread 0.
DEVICE int first_of(const int* found, int count, int n, int part[8]) {
  int first = n;
  for (int i = threadIdx.x; i < count; i += 256) first = min(first, found[i]);
  return lowest(first, part);
}

// updates reports whether a step updates the parameters: its loss and gradient are finite, and so
// was all before it. first is the lowest index of a gradient that is not finite, or n.
DEVICE bool updates(const Training* t, float loss, int first, int n) { return t->bad == NONE && finite(loss) && first == n; }

// Rates are what an update needs: learning rate / (1 − β₁ᵗ), √(1 − β₂ᵗ) and 1 / the loss scale.
struct Rates {
  float rate, root, unscale;
};

// rates_of computes the rates of the next update in double precision, as the host does.
DEVICE Rates rates_of(const Training* t, double rate) {
  double made = t->updates + 1;
  Rates r = {(float)(rate / (1 - pow(BETA1, made))), (float)sqrt(1 - pow(BETA2, made)), 1 / t->scale};
  return r;
}

// flush returns x, or 0 if |x| < bound.
DEVICE float flush(float x, float bound) { return fabsf(x) < bound ? 0 : x; }

// Vectors holds the optimiser's vectors, all [n].
struct Vectors {
  float *params, *m, *v;
  const float* grads;
};

// update_share updates the thread's share of the parameters. It returns the lowest index whose update
// is not finite, or n.
DEVICE int update_share(const Vectors& o, Rates r, float decay, int n) {
  const float b1 = (float)BETA1, c1 = (float)(1 - BETA1), b2 = (float)BETA2, c2 = (float)(1 - BETA2);
  int first = n;
  for (unsigned i = thread(); i < (unsigned)n; i += threads()) {
    float p = o.params[i], g = o.grads[i] * r.unscale + decay * p;
    float m = flush(b1 * o.m[i] + c1 * g, NEGLIGIBLE);
    float v = flush(b2 * o.v[i] + c2 * g * g, NEGLIGIBLE_SQUARE);
    p = flush(p - r.rate * m / (sqrtf(v) / r.root + EPSILON), NEGLIGIBLE);
    if (!finite(v) || !finite(p)) first = min(first, (int)i); // if m is not finite, neither is the parameter
    o.m[i] = m;
    o.v[i] = v;
    o.params[i] = p;
  }
  return first;
}

// note records the first NaN or infinity of the run.
DEVICE void note(Training* t, const Step* step, Quantity bad, int index, float value) {
  if (t->bad != NONE) return;
  t->bad = bad;
  t->bad_batch = step->batch;
  t->bad_index = index;
  t->bad_value = value;
}

// count_update counts an update and, if the loss is scaled, a step without overflow.
DEVICE void count_update(Training* t, int scaled) {
  t->updates++;
  if (!scaled) return;
  t->good++;
  if (t->good < STEPS_TO_DOUBLE) return;
  t->good = 0;
  if (t->scale < LARGEST_SCALE) t->scale *= 2;
}

// refuse records why a step updates nothing, or lowers the scale: overflow of a scaled gradient is
// not an error while the scale can be lowered.
DEVICE void refuse(Training* t, const Step* step, const float* loss, const float* grads, int first, int n, int scaled) {
  bool lower = scaled && t->scale > 1;
  if (!finite(loss[0])) note(t, step, LOSS, 0, loss[0]);
  if (first < n && !lower) note(t, step, GRADIENT, first, grads[first]);
  if (t->bad != NONE) return;
  t->scale /= 2;
  t->good = 0;
}

// note_result records the first element that the update has made a NaN or an infinity: of its moments
// and its weight, the one that was computed first.
DEVICE void note_result(Training* t, const Step* step, const Vectors& o, int i) {
  if (!finite(o.m[i])) note(t, step, FIRST_MOMENT, i, o.m[i]);
  else if (!finite(o.v[i])) note(t, step, SECOND_MOMENT, i, o.v[i]);
  else note(t, step, WEIGHT, i, o.params[i]);
}

// is_last counts a block that is done and reports whether all others were done before. One thread
// calls it, after a barrier. The first fence puts the block's work before the count, the second puts
// the work of all others before what follows in the last block.
DEVICE bool is_last(unsigned* done) {
  __threadfence();
  bool last = atomicAdd(done, 1u) == gridDim.x - 1;
  __threadfence();
  return last;
}

// adam updates the parameters, unless the step must not update anything. The last block to be done
// then changes the state of training: it counts the update, or records why there was none.
extern "C" __global__ void __launch_bounds__(256)
adam(const Step* __restrict__ step,    // batch and learning rate
     Training* t,                      // state of training, changed
     const float* __restrict__ loss,   // [1]
     float* params,                    // [n], updated
     float* m,                         // [n], updated
     float* v,                         // [n], updated
     const float* __restrict__ grads,  // [n]
     const int* __restrict__ found,    // [count], by check
     int count,                        // blocks of check
     int* after,                       // [grid]: the lowest index whose update is not finite, or n
     int n,                            // parameters
     float decay,                      // L2 penalty
     int scaled) {                     // 1 if the loss is scaled, so that the scale may change; else 0
  __shared__ int part[8];
  __shared__ Rates rates;
  __shared__ int update, last;
  Vectors o = {params, m, v, grads};
  // 1. Decide, as every block does.
  int first = first_of(found, count, n, part);
  if (threadIdx.x == 0) {
    update = updates(t, loss[0], first, n);
    rates = rates_of(t, step->rate);
  }
  __syncthreads();
  // 2. Update a share of the parameters.
  int bad = lowest(update ? update_share(o, rates, decay, n) : n, part);
  if (threadIdx.x == 0) {
    after[blockIdx.x] = bad;
    last = is_last(&t->done);
  }
  __syncthreads();
  if (!last) return;
  // 3. Change the state of training, in the last block.
  bad = first_of(after, gridDim.x, n, part);
  if (threadIdx.x > 0) return;
  t->done = 0;
  t->loss = loss[0];
  if (update)
    count_update(t, scaled);
  else
    refuse(t, step, loss, grads, first, n, scaled);
  if (bad < n) note_result(t, step, o, bad);
}
KERNEL(adam)
