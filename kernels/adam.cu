// Adam, and the search for a NaN or an infinity before and after it, after the flat gradient is
// complete. Blocks of 256; grid 1 to ceil(n / 256); no dynamic shared memory. Kernel sums searches the
// gradients that it writes. check searches all, if other kernels write some.
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

// check finds the gradients that are not finite.
extern "C" __global__ void __launch_bounds__(256)
check(const float* __restrict__ grads,  // [n]
      Training* t,                      // first is lowered
      int n) {                          // parameters
  wait_for_inputs();
  for (unsigned i = thread(); i < (unsigned)n; i += threads()) keep_lowest(&t->first, i, finite(grads[i]));
}
KERNEL(check)

// updates reports whether a step updates the parameters: its loss and gradient are finite, and so
// was all before it.
DEVICE bool updates(const Training* t, float loss) { return t->bad == NONE && finite(loss) && t->first == NOTHING; }

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

// update_share updates the thread's share of the parameters. It lowers *after to an index whose update
// is not finite.
DEVICE void update_share(const Vectors& o, Rates r, float decay, int n, int* after) {
  const float b1 = (float)BETA1, c1 = (float)(1 - BETA1), b2 = (float)BETA2, c2 = (float)(1 - BETA2);
  for (unsigned i = thread(); i < (unsigned)n; i += threads()) {
    float p = o.params[i], g = o.grads[i] * r.unscale + decay * p;
    float m = flush(b1 * o.m[i] + c1 * g, NEGLIGIBLE);
    float v = flush(b2 * o.v[i] + c2 * g * g, NEGLIGIBLE_SQUARE);
    p = flush(p - r.rate * m / (sqrtf(v) / r.root + EPSILON), NEGLIGIBLE);
    keep_lowest(after, i, finite(v) && finite(p)); // if m is not finite, neither is the parameter
    o.m[i] = m;
    o.v[i] = v;
    o.params[i] = p;
  }
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
DEVICE void refuse(Training* t, const Step* step, const float* loss, const float* grads, int scaled) {
  bool lower = scaled && t->scale > 1;
  if (!finite(loss[0])) note(t, step, LOSS, 0, loss[0]);
  if (t->first != NOTHING && !lower) note(t, step, GRADIENT, t->first, grads[t->first]);
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
     int n,                            // parameters
     float decay,                      // L2 penalty
     int scaled) {                     // 1 if the loss is scaled, so that the scale may change; else 0
  wait_for_inputs();
  __shared__ Rates rates;
  __shared__ int update;
  Vectors o = {params, m, v, grads};
  // 1. Decide, as every block does.
  if (threadIdx.x == 0) {
    update = updates(t, loss[0]);
    rates = rates_of(t, step->rate);
  }
  __syncthreads();
  // 2. Update a share of the parameters.
  if (update) update_share(o, rates, decay, n, &t->after);
  __syncthreads();
  if (threadIdx.x > 0 || !is_last(&t->done)) return;
  // 3. Change the state of training, in the last block.
  t->loss = loss[0];
  if (update)
    count_update(t, scaled);
  else
    refuse(t, step, loss, grads, scaled);
  if (t->after != NOTHING) note_result(t, step, o, t->after);
  t->done = 0;
  t->first = t->after = NOTHING;
}
KERNEL(adam)
