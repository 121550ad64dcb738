// archs: 90a
// The branch in half precision on Hopper's own instructions: two square layers a pass. See branch.h for
// the arguments, pair_math.h for how.
#include "pair_backward.h"
#include "pair_forward.h"
#include "task.h"

#define PAIR_KERNELS(W)                                                                                                   \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS) branch_pack_f16_pairs_##W(const Task* tasks) {                \
    wait_for_inputs();                                                                                                    \
    Task t = tasks[blockIdx.y];                                                                                           \
    Mlp m = {t.k, W, t.depth, t.d};                                                                                      \
    pair_pack<W>(t.a, (const int*)t.b, (half*)t.out, t.more, m);                                                          \
  }                                                                                                                       \
  KERNEL(branch_pack_f16_pairs_##W)                                                                                          \
  extern "C" __global__ void __launch_bounds__(PAIR_FORWARD_THREADS, 1) branch_forward_f16_pairs_##W(                        \
      const Extents* __restrict__ e, const float* __restrict__ base, const float* __restrict__ level,                    \
      const half* __restrict__ weights, const float* __restrict__ vectors, half* hidden, float* __restrict__ out,        \
      int chunks, int keep, int inputs, int depth, int outputs) {                                                        \
    wait_for_inputs();                                                                                                   \
    Mlp m = {inputs, W, depth, outputs};                                                                                 \
    PairForward f = {e, base, level, weights, vectors, hidden, out, chunks, keep};                                       \
    pair_forward<W>(f, m);                                                                                               \
  }                                                                                                                      \
  KERNEL(branch_forward_f16_pairs_##W)

// PASS is a pass of the backward pass; the numbers say whether it has two layers, the top one and the
// bottom one.
#define PASS(NAME, W, PAIR, TOP, BOTTOM)                                                                                 \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS, 1) branch_backward_f16_pairs_##W##_##NAME(                            \
      const Extents* __restrict__ e, const float* __restrict__ base, const float* __restrict__ level,                   \
      const half* __restrict__ weights, const float* __restrict__ vectors, const float* __restrict__ grad, half* hidden, \
      float* __restrict__ grad_base, float* __restrict__ grad_level, float* __restrict__ partials, int layer,           \
      int chunks, int inputs, int depth, int outputs) {                                                                 \
    wait_for_inputs();                                                                                                  \
    Mlp m = {inputs, W, depth, outputs};                                                                                \
    Backward b = {e, base, level, weights, vectors, grad, hidden, grad_base, grad_level, partials,                      \
                  0, chunks, 0, 0, 0, nullptr};                                                                         \
    pair_backward<W, PAIR, TOP, BOTTOM>(b, m, layer);                                                                   \
  }                                                                                                                     \
  KERNEL(branch_backward_f16_pairs_##W##_##NAME)

#define PASSES(W)            \
  PASS(whole, W, 1, 1, 1)    \
  PASS(top, W, 1, 1, 0)      \
  PASS(middle, W, 1, 0, 0)   \
  PASS(bottom, W, 1, 0, 1)   \
  PASS(only, W, 0, 1, 1)     \
  PASS(last, W, 0, 0, 1)

PAIR_KERNELS(128)
PAIR_KERNELS(64)
PASSES(128)
PASSES(64)
