// Macros that define the weight-stationary kernels of one precision: STATIONARY(f16, Halves, 128, 2)
// for a width, with 32 rows a warp forward; STATIONARY_BACKWARD(f16, Halves, 128, 64, 4) for tiles of
// 64 rows. branch.h documents their arguments. branch_pack has a task for each branch:
// a = flat, b = layout, k = inputs, d = outputs, out = weights, more = vectors.
#pragma once
#include "stationary_backward.h"
#include "task.h"

#define STATIONARY(NAME, M, W, MT)                                                                                       \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS)                                                           \
      branch_pack_##NAME##_##W(const Task* tasks) {                                                                      \
    wait_for_inputs();                                                                                                   \
    Task t = tasks[blockIdx.y];                                                                                          \
    Mlp m = {t.k, W, t.depth, t.d, t.other == space::Parameter};                                                         \
    stationary_pack<M, W>(t.a, (const int*)t.b, (half*)t.out, t.more, m);                                                \
  }                                                                                                                      \
  KERNEL(branch_pack_##NAME##_##W)                                                                                       \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS, 1) branch_forward_##NAME##_##W(                           \
      const Extents* __restrict__ e, const float* __restrict__ base, const float* __restrict__ level,                    \
      const half* __restrict__ weights, const float* __restrict__ vectors, half* hidden, float* __restrict__ out,        \
      int resident, int keep, int inputs, int depth, int outputs) {                                                      \
    wait_for_inputs();                                                                                                   \
    Mlp m = {inputs, W, depth, outputs};                                                                                 \
    Forward f = {e, base, level, weights, vectors, hidden, out, resident, keep, space::Row, space::Point};               \
    stationary_forward<M, W, MT, false>(f, m);                                                                           \
  }                                                                                                                      \
  KERNEL(branch_forward_##NAME##_##W)

#define STATIONARY_BACKWARD(NAME, M, W, R, COLUMNS)                                                                      \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS, 1) branch_backward_##NAME##_##W##x##R(                    \
      const Extents* __restrict__ e, const float* __restrict__ base, const float* __restrict__ level,                    \
      const half* __restrict__ weights, const float* __restrict__ vectors, const float* __restrict__ grad, half* hidden, \
      float* __restrict__ grad_base, float* __restrict__ grad_level, float* __restrict__ partials, int stages,           \
      int chunks, int inputs, int depth, int outputs) {                                                                  \
    wait_for_inputs();                                                                                                   \
    Mlp m = {inputs, W, depth, outputs};                                                                                 \
    Backward b = {e, base, level, weights, vectors, grad, hidden, grad_base, grad_level, partials, stages, chunks,       \
                  space::Row, space::Point, 0, nullptr};                                                                 \
    stationary_backward<M, W, R, COLUMNS, false>(b, m);                                                                  \
  }                                                                                                                      \
  KERNEL(branch_backward_##NAME##_##W##x##R)

// The same for perceptrons of other rows, see branch.h.
#define STATIONARY_MLP(NAME, M, W, MT)                                                                                   \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS, 1) mlp_forward_##NAME##_##W(                              \
      const Extents* __restrict__ e, const float* __restrict__ base, const float* __restrict__ level,                    \
      const half* __restrict__ weights, const float* __restrict__ vectors, half* hidden, float* __restrict__ out,        \
      int resident, int keep, int inputs, int depth, int outputs, int s, int above) {                                    \
    wait_for_inputs();                                                                                                   \
    Mlp m = {inputs, W, depth, outputs, above == space::Parameter};                                                      \
    Forward f = {e, base, level, weights, vectors, hidden, out, resident, keep, s, above};                               \
    stationary_forward<M, W, MT, true>(f, m);                                                                            \
  }                                                                                                                      \
  KERNEL(mlp_forward_##NAME##_##W)

#define STATIONARY_MLP_BACKWARD(NAME, M, W, R, COLUMNS)                                                                  \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS, 1) mlp_backward_##NAME##_##W##x##R(                       \
      const Extents* __restrict__ e, const float* __restrict__ base, const float* __restrict__ level,                    \
      const half* __restrict__ weights, const float* __restrict__ vectors, const float* __restrict__ grad, half* hidden, \
      float* __restrict__ grad_base, float* __restrict__ grad_level, float* __restrict__ partials, int stages,           \
      int chunks, int inputs, int depth, int outputs, int s, int above, int mean, const float* __restrict__ more) {      \
    wait_for_inputs();                                                                                                   \
    Mlp m = {inputs, W, depth, outputs, above == space::Parameter};                                                      \
    Backward b = {e, base, level, weights, vectors, grad, hidden, grad_base, grad_level, partials, stages, chunks,       \
                  s, above, mean, more};                                                                                 \
    stationary_backward<M, W, R, COLUMNS, true>(b, m);                                                                   \
  }                                                                                                                      \
  KERNEL(mlp_backward_##NAME##_##W##x##R)
