// Macros that define the kernels of a precision and tile: BRANCH_PACK(f32, F32, float),
// BRANCH_TILE(f32, F32, float, 64, 32). branch.cu documents their arguments. Two blocks of the
// forward kernel may share a multiprocessor, so its registers must leave room for both.
#pragma once
#include "branch_mlp.h"

#define BRANCH_PACK(NAME, M, E)                                                                                          \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS, 1)                                                          \
      branch_pack_##NAME(const float* __restrict__ flat, const int* __restrict__ layout, E* __restrict__ weights,       \
                         float* __restrict__ vectors, int inputs, int width, int depth, int outputs) {                  \
    Mlp m = {inputs, width, depth, outputs};                                                                            \
    branch_pack<M>(flat, layout, weights, vectors, m);                                                                  \
  }                                                                                                                     \
  KERNEL(branch_pack_##NAME)

#define BRANCH_TILE(NAME, M, E, R, P)                                                                                    \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS, 2) branch_forward_##NAME##_##R(                             \
      const Extents* __restrict__ e, const float* __restrict__ base, const float* __restrict__ level,                   \
      const E* __restrict__ weights, const float* __restrict__ vectors, float* __restrict__ out, int inputs, int width, \
      int depth, int outputs) {                                                                                         \
    Mlp m = {inputs, width, depth, outputs};                                                                            \
    branch_forward<M, R, P>(e, base, level, weights, vectors, out, m);                                                  \
  }                                                                                                                     \
  KERNEL(branch_forward_##NAME##_##R)                                                                                   \
  extern "C" __global__ void __launch_bounds__(BRANCH_THREADS, 1) branch_backward_##NAME##_##R(                            \
      const Extents* __restrict__ e, const float* __restrict__ base, const float* __restrict__ level,                   \
      const E* __restrict__ weights, const float* __restrict__ vectors, const float* __restrict__ grad,                 \
      float* __restrict__ grad_base, float* __restrict__ grad_level, float* __restrict__ partials, int inputs,          \
      int width, int depth, int outputs) {                                                                              \
    Mlp m = {inputs, width, depth, outputs};                                                                            \
    branch_backward<M, R, P>(e, base, level, weights, vectors, grad, grad_base, grad_level, partials, m);               \
  }                                                                                                                     \
  KERNEL(branch_backward_##NAME##_##R)
