// The branch's kernels for one precision. branch.cu says what they compute and documents their
// arguments.
#pragma once
#include "branch_tile.h"
#include "extents.h"

// Share is a block's part of the rows, [first, end), in tiles. It consists of whole points, so no
// sum over levels is divided between blocks.
struct Share {
  int first, end, levels, tiles;
};

template <int R> DEVICE Share share_of(const Extents* e) {
  long long points = (long long)e->functions * e->points;
  Share s;
  s.levels = e->levels;
  s.first = (int)(points * blockIdx.x / gridDim.x) * s.levels;
  s.end = (int)(points * (blockIdx.x + 1) / gridDim.x) * s.levels;
  s.tiles = (s.end - s.first + R - 1) / R;
  return s;
}

// Rows are the rows of a tile: count of them, from first on. The other rows of a tile in shared
// memory have levels and output gradients of 0.
struct Rows {
  int first, count;
};

template <int R> DEVICE Rows rows_of(Share s, int tile) {
  Rows r = {s.first + tile * R, 0};
  r.count = min(int(R), s.end - r.first);
  return r;
}

// carve divides a block's shared memory.
template <class M, int R, int P> DEVICE Tile<M> carve(unsigned char* memory, Mlp m, int buffers) {
  Tile<M> t;
  t.ld = m.width + M::PAD;
  t.hidden = reinterpret_cast<typename M::element*>(memory);
  t.vectors = reinterpret_cast<float*>(t.hidden + buffers * R * t.ld + 2 * branch_panel(m.width, P, M::PAD));
  t.levels = t.vectors + (branch_vectors(m) + 3) / 4 * 4;
  t.grads = t.levels + R * m.inputs;
  t.points = reinterpret_cast<int*>(t.grads + R * m.outputs);
  return t;
}

// load_rows loads a tile's levels and the points that they belong to.
template <class M, int R> DEVICE void load_rows(const Tile<M>& t, const float* level, Rows rows, int levels, int inputs) {
  for (int i = threadIdx.x; i < R * inputs; i += BRANCH_THREADS) {
    t.levels[i] = i < rows.count * inputs ? level[(size_t)rows.first * inputs + i] : 0;
  }
  for (int r = threadIdx.x; r < R; r += BRANCH_THREADS) t.points[r] = r < rows.count ? (rows.first + r) / levels : 0;
}

// first_layer computes hidden = relu(base of the row's point + level·v). level has one or two
// columns.
template <class M, int R> DEVICE void first_layer(const Tile<M>& t, const float* base, int count, Mlp m) {
  bool two = m.inputs > 1;
  for (int j = threadIdx.x % 32 * 2; j < m.width; j += 64) {
    float2 w = *reinterpret_cast<const float2*>(t.vectors + j), second = make_float2(0, 0);
    if (two) second = *reinterpret_cast<const float2*>(t.vectors + m.width + j);
#pragma unroll 8
    for (int r = threadIdx.x / 32; r < R; r += BRANCH_WARPS) {
      float2 z = make_float2(0, 0);
      if (r < count) z = *reinterpret_cast<const float2*>(base + (size_t)t.points[r] * m.width + j);
      const float* level = t.levels + r * m.inputs;
      float x = fmaf(level[0], w.x, z.x), y = fmaf(level[0], w.y, z.y);
      if (two) {
        x = fmaf(level[1], second.x, x);
        y = fmaf(level[1], second.y, y);
      }
      M::store(t.hidden + r * t.ld + j, x < 0 ? 0 : x, y < 0 ? 0 : y);
    }
  }
}

// load_vectors copies n floats to shared memory.
DEVICE void load_vectors(float* dst, const float* src, int n) {
  for (int i = threadIdx.x; i < n; i += BRANCH_THREADS) dst[i] = src[i];
}

template <class M, int R, int P>
DEVICE void branch_forward(const Extents* e, const float* base, const float* level, const typename M::element* weights,
                           const float* vectors, float* out, Mlp m) {
  typedef Panels<M, P> Stream;
  DYNAMIC_SHARED(memory);
  Tile<M> t = carve<M, R, P>(memory, m, 2);
  Share share = share_of<R>(e);
  Stream stream = Stream::begin(t.hidden + 2 * R * t.ld, weights, m, share.tiles, false);
  load_vectors(t.vectors, vectors, branch_vectors(m));
  const float *bias = t.vectors + branch_biases(m), *w_out = t.vectors + branch_outputs(m), *b_out = w_out + m.outputs * m.width;
  for (int tile = 0; tile < share.tiles; tile++) {
    // 1. Load the tile and compute the first layer.
    Rows rows = rows_of<R>(share, tile);
    load_rows<M, R>(t, level, rows, share.levels, m.inputs);
    __syncthreads();
    first_layer<M, R>(t, base, rows.count, m);
    // 2. Compute the other hidden layers, in two buffers by turns.
    for (int l = 0; l < m.depth - 1; l++) {
      for (int first = 0; first < m.width; first += P) {
        const typename M::element* panel = Stream::next(stream);
        forward_panel<M, R, P>(t.hidden + (l + 1) % 2 * R * t.ld, t.hidden + l % 2 * R * t.ld, t.ld, panel,
                               bias + l * m.width, m.width, first);
      }
    }
    __syncthreads();
    // 3. Compute the output.
    const typename M::element* last = t.hidden + (m.depth - 1) % 2 * R * t.ld;
    for (int i = threadIdx.x; i < R * m.outputs; i += BRANCH_THREADS) {
      int r = i % R, o = i / R;
      if (r < rows.count) {
        out[(size_t)(rows.first + r) * m.outputs + o] = b_out[o] + M::dot(last + r * t.ld, w_out + o * m.width, m.width);
      }
    }
  }
}

// column_sums returns Σ_r factor[r·step]·x[r] over rows [from, to) of a pair of columns; a null
// factor stands for ones. A warp computes 8 pairs. Four lanes share a pair, each with every fourth
// row, and all four get its sums.
template <class M>
DEVICE float2 column_sums(const typename M::element* x, int ld, const float* factor, int step, int from, int to) {
  float2 sum = make_float2(0, 0);
#pragma unroll 4
  for (int r = from + threadIdx.x / 8 % 4; r < to; r += 4) {
    float2 v = M::pair(x + r * ld);
    float f = factor ? factor[r * step] : 1;
    sum.x = fmaf(f, v.x, sum.x);
    sum.y = fmaf(f, v.y, sum.y);
  }
  for (int apart = 8; apart < 32; apart *= 2) {
    sum.x += __shfl_xor_sync(~0u, sum.x, apart);
    sum.y += __shfl_xor_sync(~0u, sum.y, apart);
  }
  return sum;
}

// first_pair returns the column of this lane's first pair. Its next pairs follow at distances of
// 128 columns.
DEVICE int first_pair() { return threadIdx.x / 32 * 16 + threadIdx.x % 8 * 2; }

// add_pair adds the sums of a pair of columns to sum, in one of the four lanes that have them.
DEVICE void add_pair(float* sum, float2 v, bool first) {
  if (threadIdx.x % 32 >= 8) return;
  add(sum, v.x, first);
  add(sum + 1, v.y, first);
}

// last_layer_back replaces hidden, the output layer's input, by the gradient before its ReLU, and
// adds the gradients of the output's weights and biases to sums.
template <class M, int R>
DEVICE void last_layer_back(const Tile<M>& t, typename M::element* hidden, const float* w_out, float* sums, Mlp m, bool first) {
  for (int j = first_pair(); j < m.width; j += BRANCH_WARPS * 16) {
    for (int o = 0; o < m.outputs; o++) {
      add_pair(sums + o * m.width + j, column_sums<M>(hidden + j, t.ld, t.grads + o, m.outputs, 0, R), first);
    }
  }
  for (int o = threadIdx.x; o < m.outputs; o += BRANCH_THREADS) {
    float sum = 0;
    for (int r = 0; r < R; r++) sum += t.grads[r * m.outputs + o];
    add(sums + m.outputs * m.width + o, sum, first);
  }
  __syncthreads();
  for (int r = threadIdx.x / 32; r < R; r += BRANCH_WARPS) {
    for (int j = threadIdx.x % 32 * 2; j < m.width; j += 64) {
      float x = 0, y = 0;
      for (int o = 0; o < m.outputs; o++) {
        float2 w = *reinterpret_cast<const float2*>(w_out + o * m.width + j);
        float g = t.grads[r * m.outputs + o];
        x = fmaf(g, w.x, x);
        y = fmaf(g, w.y, y);
      }
      typename M::element* at = hidden + r * t.ld + j;
      float2 was = M::pair(at);
      M::store(at, was.x == 0 ? 0 : x, was.y == 0 ? 0 : y);
    }
  }
}

// first_layer_back computes, from the gradient before the first ReLU, the gradients of the level's
// weights, of the base and of the levels. A point's sum over levels for the base may have begun in
// the tile before.
template <class M, int R>
DEVICE void first_layer_back(const Tile<M>& t, float* grad_base, float* grad_level, float* sums, Rows rows, int levels,
                             Mlp m, bool first) {
  for (int j = first_pair(); j < m.width; j += BRANCH_WARPS * 16) {
    const typename M::element* dz = t.hidden + j;
    for (int i = 0; i < m.inputs; i++) {
      add_pair(sums + i * m.width + j, column_sums<M>(dz, t.ld, t.levels + i, m.inputs, 0, rows.count), first);
    }
    for (int r = 0; r < rows.count;) {
      int point = t.points[r], end = min((point + 1) * levels - rows.first, rows.count);
      float2 sum = column_sums<M>(dz, t.ld, nullptr, 0, r, end);
      add_pair(grad_base + (size_t)point * m.width + j, sum, rows.first + r == point * levels);
      r = end;
    }
  }
  if (!grad_level) return;
  for (int i = threadIdx.x; i < rows.count * m.inputs; i += BRANCH_THREADS) {
    const float* v = t.vectors + i % m.inputs * m.width;
    grad_level[(size_t)rows.first * m.inputs + i] = M::dot(t.hidden + i / m.inputs * t.ld, v, m.width);
  }
}

template <class M, int R, int P>
DEVICE void branch_backward(const Extents* e, const float* base, const float* level, const typename M::element* weights,
                            const float* vectors, const float* grad, float* grad_base, float* grad_level, float* partials,
                            Mlp m) {
  typedef Panels<M, P> Stream;
  typedef typename M::element E;
  DYNAMIC_SHARED(memory);
  Tile<M> t = carve<M, R, P>(memory, m, m.depth);
  Share share = share_of<R>(e);
  int layer = R * t.ld, square = m.width * m.width;
  float *sums = partials + (size_t)blockIdx.x * branch_sums(m), *of_vectors = sums + branch_weights(m);
  if (share.tiles == 0) {
    for (int i = threadIdx.x; i < branch_sums(m); i += BRANCH_THREADS) sums[i] = 0;
    return;
  }
  Stream stream = Stream::begin(t.hidden + m.depth * layer, weights, m, share.tiles, true);
  load_vectors(t.vectors, vectors, branch_vectors(m));
  for (int tile = 0; tile < share.tiles; tile++) {
    // 1. Load the tile and the gradient of its output.
    Rows rows = rows_of<R>(share, tile);
    bool first = tile == 0;
    load_rows<M, R>(t, level, rows, share.levels, m.inputs);
    for (int i = threadIdx.x; i < R * m.outputs; i += BRANCH_THREADS) {
      t.grads[i] = i < rows.count * m.outputs ? grad[(size_t)rows.first * m.outputs + i] : 0;
    }
    __syncthreads();
    // 2. Compute all hidden layers again, each in its own buffer.
    first_layer<M, R>(t, base, rows.count, m);
    for (int l = 0; l < m.depth - 1; l++) {
      for (int from = 0; from < m.width; from += P) {
        const E* panel = Stream::next(stream);
        forward_panel<M, R, P>(t.hidden + (l + 1) * layer, t.hidden + l * layer, t.ld, panel,
                               t.vectors + branch_biases(m) + l * m.width, m.width, from);
      }
    }
    __syncthreads();
    // 3. Go back from layer to layer. The gradient before a layer's ReLU overwrites the layer's
    // values, after the next layer's weight gradient has read them.
    last_layer_back<M, R>(t, t.hidden + (m.depth - 1) * layer, t.vectors + branch_outputs(m),
                          of_vectors + branch_outputs(m), m, first);
    for (int l = m.depth - 2; l >= 0; l--) {
      E *x = t.hidden + l * layer, *dz = x + layer;
      __syncthreads();
      weight_gradient<M, R>(sums + l * square, of_vectors + branch_biases(m) + l * m.width, dz, x, t.ld, m.width, first);
      for (int from = 0; from < m.width; from += P) {
        const E* panel = Stream::next(stream);
        backward_panel<M, R, P>(x, dz, t.ld, panel, m.width, from);
      }
    }
    __syncthreads();
    // 4. Compute the gradients of the first layer.
    first_layer_back<M, R>(t, grad_base, grad_level, of_vectors, rows, share.levels, m, first);
    __syncthreads();
  }
}

// branch_pack copies the parameters from the flat vector.
template <class M>
DEVICE void branch_pack(const float* flat, const int* layout, typename M::element* weights, float* vectors, Mlp m) {
  int n = branch_weights(m), square = m.width * m.width;
  for (int i = thread(); i < n; i += threads()) weights[i] = M::rounded(flat[weight_at(layout, i / square, i % square)]);
  for (int i = thread(); i < branch_vectors(m); i += threads()) vectors[i] = flat[vector_at(layout, m, i)];
}
