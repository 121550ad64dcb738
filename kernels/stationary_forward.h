// The forward pass of the weight-stationary branch, and what both passes share. branch.cu documents
// the kernels' arguments.
#pragma once
#include "branch_layout.h"
#include "extents.h"
#include "stationary_math.h"

// Sizes of the branch that are known when it is compiled.
template <class M, int W> struct Width {
  enum {
    GROUPS = W / M::GROUP,
    CHUNKS = W / M::CHUNK,  // of 16 bytes in a row
    TABLE = 16 * W,         // elements of a table of 8 outputs or inputs: high and low parts
  };
};

// stationary_tables returns the index in weights of the tables after the layers: the output's
// weights by rows, for each 8 outputs; by columns, for each 8 outputs; and the level's weights by
// rows.
template <int W> DEVICE int stationary_tables(Mlp m) { return 2 * (m.depth - 1) * W * W; }
DEVICE int stationary_eights(Mlp m) { return (m.outputs + 7) / 8; }

// load_weights copies the weights of a layer, in the order of fragments, to shared memory.
template <class M, int W> DEVICE void load_weights(typename M::element* dst, const typename M::element* src) {
#pragma unroll 4
  for (int i = threadIdx.x * M::CHUNK; i < W * W; i += BRANCH_THREADS * M::CHUNK) cp_async16(dst + i, src + i, true);
}

// first_chunk returns 16 bytes of the first hidden layer of a row: relu(base + level·v), from
// column on. v is [inputs, W].
template <class M, int W>
DEVICE uint4 first_chunk(const float* base, const float* v, float2 level, bool two, int column) {
  float c[M::TILES][4];
#pragma unroll
  for (int i = 0; i < M::CHUNK; i += 4) {
    float4 z = *reinterpret_cast<const float4*>(base + column + i), a = *reinterpret_cast<const float4*>(v + column + i);
    z = make_float4(fmaf(level.x, a.x, z.x), fmaf(level.x, a.y, z.y), fmaf(level.x, a.z, z.z), fmaf(level.x, a.w, z.w));
    if (two) {
      a = *reinterpret_cast<const float4*>(v + W + column + i);
      z = make_float4(fmaf(level.y, a.x, z.x), fmaf(level.y, a.y, z.y), fmaf(level.y, a.z, z.z), fmaf(level.y, a.w, z.w));
    }
    c[i / 2][0] = z.x;
    c[i / 2][1] = z.y;
    c[i / 2 + 1][0] = z.z;
    c[i / 2 + 1][1] = z.w;
  }
  return M::rectified(c, 0);
}

// level_of_row returns the one or two columns of a row's level.
DEVICE float2 level_of_row(const float* level, unsigned row, bool two) {
  return two ? make_float2(level[2 * row], level[2 * row + 1]) : make_float2(level[row], 0);
}

// WarpRows are the hidden values of 16·MT rows in a warp's registers, see stationary_math.h.
template <class M, int W, int MT> struct WarpRows {
  enum { GROUPS = Width<M, W>::GROUPS };
  uint4 x[MT][GROUPS][2];

  // first computes the first hidden layer of the rows from `row` on, of n rows.
  DEVICE void first(WarpRows& r, const float* base, const float* level, const float* v, unsigned row, unsigned n,
                    unsigned levels, int inputs) {
    bool two = inputs > 1;
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      unsigned at = row + i * 8 + lane / 4;
      bool there = at < n;
      float2 u = make_float2(0, 0);
      if (there) u = level_of_row(level, at, two);
      const float* of_point = base + size_t(there ? at / levels : 0) * W;
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
        r.x[i / 2][q][i % 2] = first_chunk<M, W>(of_point, v, u, two, q * M::GROUP + lane % 4 * M::CHUNK);
      }
    }
  }

  // load reads the rows from memory, store writes them.
  DEVICE void load(WarpRows& r, const typename M::element* from, unsigned row, unsigned n) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      unsigned at = row + i * 8 + lane / 4;
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
        uint4 v = make_uint4(0, 0, 0, 0);
        if (at < n) v = *reinterpret_cast<const uint4*>(from + size_t(at) * W + q * M::GROUP + lane % 4 * M::CHUNK);
        r.x[i / 2][q][i % 2] = v;
      }
    }
  }
  DEVICE void store(const WarpRows& r, typename M::element* to, unsigned row, unsigned n) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      unsigned at = row + i * 8 + lane / 4;
      if (at >= n) continue;
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
        *reinterpret_cast<uint4*>(to + size_t(at) * W + q * M::GROUP + lane % 4 * M::CHUNK) = r.x[i / 2][q][i % 2];
      }
    }
  }

  // layer replaces the rows by relu(W·rows + bias). weights are in shared memory, in the order of
  // fragments.
  DEVICE void layer(WarpRows& r, const typename M::element* weights, const float* bias) {
    int lane = threadIdx.x % 32;
    const uint4* right = reinterpret_cast<const uint4*>(weights) + lane;
    WarpRows next;
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
      float c[MT][M::TILES][4];
#pragma unroll
      for (int j = 0; j < M::TILES; j++) {
        float2 b = *reinterpret_cast<const float2*>(bias + n * M::GROUP + lane % 4 * M::CHUNK + 2 * j);
#pragma unroll
        for (int m = 0; m < MT; m++) {
          c[m][j][0] = c[m][j][2] = b.x;
          c[m][j][1] = c[m][j][3] = b.y;
        }
      }
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
#pragma unroll
        for (int j = 0; j < M::TILES; j++) {
          uint4 b = right[((n * M::TILES + j) * GROUPS + q) * 32];
#pragma unroll
          for (int m = 0; m < MT; m++) M::multiply(c[m][j], r.x[m][q][0], r.x[m][q][1], b);
        }
      }
#pragma unroll
      for (int m = 0; m < MT; m++) {
        next.x[m][n][0] = M::rectified(c[m], 0);
        next.x[m][n][1] = M::rectified(c[m], 1);
      }
    }
    r = next;
  }

  // output computes W_out·rows + bias. table has W_out by rows, high and low parts.
  DEVICE void output(const WarpRows& r, float* out, const typename M::element* table, const float* bias, int outputs,
                     unsigned row, unsigned n) {
    int lane = threadIdx.x % 32;
    for (int o = 0; o < outputs; o += 8) {
      const uint4* right = reinterpret_cast<const uint4*>(table + o / 8 * Width<M, W>::TABLE) + lane;
      float c[MT][4];
#pragma unroll
      for (int i = 0; i < 4 * MT; i++) c[i / 4][i % 4] = 0;
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
        uint4 high = right[2 * q * 32], low = right[(2 * q + 1) * 32];
#pragma unroll
        for (int m = 0; m < MT; m++) {
          M::multiply(c[m], r.x[m][q][0], r.x[m][q][1], high);
          M::multiply(c[m], r.x[m][q][0], r.x[m][q][1], low);
        }
      }
#pragma unroll
      for (int i = 0; i < 4 * MT; i++) {
        unsigned at = row + i / 2 * 8 + lane / 4;
        int column = o + lane % 4 * 2 + i % 2;
        if (at < n && column < outputs) out[size_t(at) * outputs + column] = bias[column] + c[i / 4][i % 4];
      }
    }
  }
};

// Forward are the arguments of the forward kernel.
template <class M> struct Forward {
  const Extents* e;
  const float *base, *level;
  const typename M::element* weights;
  const float* vectors;
  typename M::element* hidden;
  float* out;
  int resident, keep;
};

template <class M, int W, int MT> DEVICE void stationary_forward(const Forward<M>& f, Mlp m) {
  typedef typename M::element E;
  typedef WarpRows<M, W, MT> Rows;
  DYNAMIC_SHARED(memory);
  E* weights = reinterpret_cast<E*>(memory);
  float* vectors = reinterpret_cast<float*>(weights + f.resident * W * W);
  for (int i = threadIdx.x; i < branch_outputs(m); i += BRANCH_THREADS) vectors[i] = f.vectors[i];
  const float* bias_out = f.vectors + branch_outputs(m) + m.outputs * W;
  unsigned n = rows(*f.e, space::Row), levels = f.e->levels, tiles = (n + 16 * MT - 1) / (16 * MT);
  int layers = m.depth - 1;
  for (int from = 0; from < layers; from += f.resident) {
    // 1. Load the weights of as many layers as shared memory holds.
    int end = min(from + f.resident, layers);
    if (from > 0) __syncthreads();
    for (int l = from; l < end; l++) load_weights<M, W>(weights + (l - from) * W * W, f.weights + 2 * l * W * W);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    // 2. Take rows through these layers. A warp takes the same rows for each group of layers.
    for (unsigned tile = blockIdx.x * BRANCH_WARPS + threadIdx.x / 32; tile < tiles; tile += gridDim.x * BRANCH_WARPS) {
      Rows r;
      unsigned row = tile * 16 * MT;
      size_t slot = size_t(n) * W;
      if (from == 0) {
        Rows::first(r, f.base, f.level, vectors, row, n, levels, m.inputs);
      } else {
        Rows::load(r, f.hidden + (f.keep ? (from - 1) * slot : 0), row, n);
      }
      for (int l = from; l < end; l++) {
        Rows::layer(r, weights + (l - from) * W * W, vectors + branch_biases(m) + l * W);
        if (f.keep || (l + 1 == end && end < layers)) Rows::store(r, f.hidden + (f.keep ? l * slot : 0), row, n);
      }
      if (end == layers) Rows::output(r, f.out, f.weights + stationary_tables<W>(m), bias_out, m.outputs, row, n);
    }
  }
}

// stationary_element returns the number that element i of weights stands for, and whether it is the
// low part of one that is split.
struct Packed {
  float number;
  bool low;
};

template <class M, int W> DEVICE Packed stationary_element(const float* flat, const int* layout, Mlp m, int i) {
  int e = i % M::CHUNK, lane = i / M::CHUNK % 32, g = lane / 4, t = lane % 4, tables = stationary_tables<W>(m);
  Packed p = {0, false};
  if (i < tables) {  // a layer: W, then W transposed
    const int groups = Width<M, W>::GROUPS;
    int rest = i / (32 * M::CHUNK), q = rest % groups, j = rest / groups % M::TILES, n = rest / groups / M::TILES % groups;
    int row = n * M::GROUP + g / 2 * M::CHUNK + 2 * j + g % 2, column = q * M::GROUP + t * M::CHUNK + e;
    bool turned = i / (W * W) % 2;
    p.number = flat[weight_at(layout, i / (2 * W * W), turned ? column * W + row : row * W + column)];
    return p;
  }
  i -= tables;
  int table = i / Width<M, W>::TABLE, part = i / (32 * M::CHUNK) % 2, group = i % Width<M, W>::TABLE / (64 * M::CHUNK);
  int eights = stationary_eights(m);
  if (table >= eights && table < 2 * eights) {  // the output's weights by columns
    e += part * M::CHUNK;
    int o = (table - eights) * 8 + M::outer_slot(e, t);
    int column = group * M::GROUP + g / 2 * M::CHUNK + 2 * M::outer_tile(e) + g % 2;
    p.low = M::outer_low(e);
    if (o < m.outputs) p.number = flat[vector_at(layout, m, branch_outputs(m) + o * W + column)];
    return p;
  }
  p.low = part;
  int column = group * M::GROUP + t * M::CHUNK + e;
  if (table < eights) {
    if (table * 8 + g < m.outputs) p.number = flat[vector_at(layout, m, branch_outputs(m) + (table * 8 + g) * W + column)];
  } else if (g < m.inputs) {
    p.number = flat[vector_at(layout, m, g * W + column)];
  }
  return p;
}

// stationary_pack copies the parameters from the flat vector.
template <class M, int W>
DEVICE void stationary_pack(const float* flat, const int* layout, typename M::element* weights, float* vectors, Mlp m) {
  int n = stationary_tables<W>(m) + (2 * stationary_eights(m) + 1) * Width<M, W>::TABLE;
  for (int i = thread(); i < n; i += threads()) {
    Packed p = stationary_element<M, W>(flat, layout, m, i);
    if (i < stationary_tables<W>(m)) {
      weights[i] = M::rounded(p.number);
    } else {
      Split<M> s = split<M>(p.number);
      weights[i] = p.low ? s.low : s.high;
    }
  }
  for (int i = thread(); i < branch_vectors(m); i += threads()) vectors[i] = flat[vector_at(layout, m, i)];
}
