// Tiles of linear layers act(base + in·Wᵀ) and of the gradient of their input.
#pragma once
#include "extents.h"
#include "product.h"

// A Row tile has 32 rows and all columns of a layer of width up to 128. Its steps are long, because
// the few warps of a multiprocessor that compute such tiles wait for every fetch: a layer of width
// 128 has 4.
struct Row { enum { M = 32, N = 128, TM = 4, TN = 8, STEP = 32 }; };

// mask_of returns result if the layer ends in a ReLU, otherwise null.
DEVICE const float* mask_of(const float* result, int relu) { return relu ? result : nullptr; }

// Layer is the shape of a layer: its space, the columns of input and result, whether it ends in a
// ReLU, and the distance between the rows of its weight.
struct Layer {
  int s, k, d, relu, stride;
};

// Forward computes the layer.
struct Forward {
  Layer l;
  const float *base, *in, *weight;
  float *out, *shared;
  int below;  // rows of the layer for each row of base

  // tile computes the tile at (m0, n0), of which the rows before `end` exist.
  template <class S>
  MEMBER void tile(int m0, int n0, int end) {
    Operand left = {in, nullptr, l.k, end, 0, l.k}, right = {weight, nullptr, l.stride, l.d, 0, l.k};
    Unwatched nothing;
    Product<S, Loader<S::M, S::STEP, true, false>, Loader<S::N, S::STEP, true, false>> p;
    p.run(left, right, m0, n0, shared, nothing);
    bool whole = aligned(out, l.d), whole_base = aligned(base, l.d);
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
      int row = m0 + p.row(i);
      if (row >= end) continue;
      const float* from = base + (size_t)(row / below) * l.d;
#pragma unroll
      for (int j = 0; j < S::TN; j += 4) {
        int column = n0 + p.column(j);
        float4 b = load4(from + column, l.d - column, whole_base);
        float v[4] = {b.x + p.sums[i][j], b.y + p.sums[i][j + 1], b.z + p.sums[i][j + 2], b.w + p.sums[i][j + 3]};
#pragma unroll
        for (int c = 0; c < 4; c++)
          if (l.relu && v[c] < 0) v[c] = 0;  // a NaN stays a NaN
        store4(out + (size_t)row * l.d + column, v, l.d - column, whole);
      }
    }
  }
};

// InGrad computes the gradient with respect to the input.
struct InGrad {
  Layer l;
  const float *grad, *result, *weight;
  float *out, *shared;

  template <class S>
  MEMBER void tile(int m0, int n0, int end) {
    Operand left = {grad, mask_of(result, l.relu), l.d, end, 0, l.d}, right = {weight, nullptr, l.stride, l.k, 0, l.d};
    bool whole = aligned(out, l.k);
    Unwatched nothing;
    Product<S, Loader<S::M, S::STEP, true, true>, Loader<S::N, S::STEP, false, false>> p;
    p.run(left, right, m0, n0, shared, nothing);
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
      int row = m0 + p.row(i);
#pragma unroll
      for (int j = 0; j < S::TN; j += 4) {
        int column = n0 + p.column(j);
        store4(out + (size_t)row * l.k + column, &p.sums[i][j], row < end ? l.k - column : 0, whole);
      }
    }
  }
};
