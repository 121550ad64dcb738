// The backward pass of the weight-stationary branch. branch.cu documents the kernels' arguments.
#pragma once
#include "stationary_thin.h"

// Backward are the arguments of the backward kernel.
template <class M> struct Backward {
  const Extents* e;
  const float *base, *level;
  const typename M::element* weights;
  const float *vectors, *grad;
  typename M::element* hidden;
  float *grad_base, *grad_level, *partials;
  int stages, chunks;
};

// Pass is a block's work on one layer of one chunk, with its shared memory. Layer l has the weights
// W_{l+1}; it maps h_{l+1} to h_{l+2}. R is the number of rows of a tile, COLUMNS the number of
// parts into which the columns of dz·W are divided among the warps.
template <class M, int W, int R, int COLUMNS> struct Pass {
  typedef typename M::element E;
  enum {
    GROUPS = Width<M, W>::GROUPS,
    CHUNKS = Width<M, W>::CHUNKS,
    // A warp's part of dz·W has 16·MT rows and NT groups of columns.
    MT = R * COLUMNS / BRANCH_WARPS / 16,
    NT = GROUPS / COLUMNS,
    // A warp's part of dW has 32 rows and 16·N columns.
    DOWN = W / 32,
    ACROSS = BRANCH_WARPS / DOWN,
    N = W / ACROSS / 16,
    LEVEL_LD = 24,
    GRADS = R * 16 > BRANCH_THREADS ? R * 16 / BRANCH_THREADS : 1,
  };

  // What is the same for all layers.
  Backward<M> b;
  Mlp m;
  int rows, lane, warp;
  // Output gradients in shared memory have `eight` columns, 8 or 16, 2^shift; rows of their table
  // are grad_ld elements apart.
  int eight, shift, grad_ld;
  // Shared memory: the weights of one layer; for each stage a tile of dz and one of x, a table of
  // output gradients, one of levels, and the rows' points [R]; and sums.
  E *weights, *tiles, *grads, *levels;
  int* points;
  float *carry, *scratch;    // [W], [BRANCH_WARPS][16]
  float *of_out, *of_level;  // sums over the chunk's rows [outputs, W], [inputs, W]
  // What belongs to a chunk and a layer.
  int layer, first, end;
  bool top, bottom;
  const E* dz_from;
  E* of_x;  // not read for the first layer; dz of the layer below replaces it
  // What a thread has loaded for the next tile.
  float next_grad[GRADS], next_level;
  // Sums over the chunk's rows.
  float dw[2][N][2][4], bias[4], grad_sum;

  DEVICE void begin(Pass& p, unsigned char* memory) {
    p.rows = ::rows(*p.b.e, space::Row);
    p.lane = threadIdx.x % 32;
    p.warp = threadIdx.x / 32;
    p.eight = 8 * stationary_eights(p.m);
    p.shift = p.eight > 8 ? 4 : 3;
    p.grad_ld = 2 * p.eight + 8;
    p.weights = reinterpret_cast<E*>(memory);
    p.levels = p.weights + W * W;
    p.points = reinterpret_cast<int*>(p.levels + 2 * R * LEVEL_LD);
    p.of_level = reinterpret_cast<float*>(p.points + 2 * R);
    p.carry = p.of_level + 2 * W;
    p.scratch = p.carry + W;
    p.tiles = reinterpret_cast<E*>(p.scratch + BRANCH_WARPS * 16);
    p.grads = p.tiles + p.b.stages * 2 * R * W;
    p.of_out = reinterpret_cast<float*>(p.grads + p.b.stages * R * p.grad_ld);
    for (int i = threadIdx.x; i < 2 * R * LEVEL_LD; i += BRANCH_THREADS) p.levels[i] = M::rounded(0);
  }

  // enter chooses a chunk and a layer.
  DEVICE void enter(Pass& p, int chunk, int layer) {
    int levels = p.b.e->levels, points = p.b.e->functions * p.b.e->points, each = chunk_points(p.b.e, p.b.chunks);
    size_t slot = size_t(p.rows) * W;
    p.first = min(chunk * each, points) * levels;
    p.end = min((chunk + 1) * each, points) * levels;
    p.layer = layer;
    p.top = layer == p.m.depth - 2;
    p.bottom = layer == 0;
    p.dz_from = p.b.hidden + layer * slot;
    p.of_x = p.b.hidden + (layer - 1) * slot;
#pragma unroll
    for (int i = 0; i < 16 * N; i++) p.dw[i / 8 / N][i / 8 % N][i / 4 % 2][i % 4] = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) p.bias[i] = 0;
    p.grad_sum = 0;
    for (int i = threadIdx.x; i < p.m.outputs * W; i += BRANCH_THREADS) p.of_out[i] = 0;
    for (int i = threadIdx.x; i < p.m.inputs * W; i += BRANCH_THREADS) p.of_level[i] = 0;
  }

  // fetch begins to load a tile; commit stores what fetch left in registers.
  DEVICE void fetch(Pass& p, int first, int stage) {
    int chunk = threadIdx.x % CHUNKS, column = chunk * M::CHUNK;
#pragma unroll
    for (int i = 0; i < R * CHUNKS / BRANCH_THREADS; i++) {
      int row = threadIdx.x / CHUNKS + i * (BRANCH_THREADS / CHUNKS), at = stage * 2 * R * W + tile_at<M, W>(row, column);
      bool there = first + row < p.end;
      size_t from = size_t(there ? first + row : first) * W + column;
      cp_async16(p.tiles + at, p.dz_from + from, there);
      if (!p.bottom) cp_async16(p.tiles + R * W + at, p.of_x + from, there);
    }
    cp_async_commit();
    if (p.top) {
#pragma unroll
      for (int i = 0; i < GRADS; i++) {
        int item = threadIdx.x + i * BRANCH_THREADS, row = item >> p.shift, o = item & (p.eight - 1);
        p.next_grad[i] = 0;
        if (row < R && first + row < p.end && o < p.m.outputs) {
          p.next_grad[i] = p.b.grad[size_t(first + row) * p.m.outputs + o];
        }
      }
    }
    if (p.bottom) first_layer(p, first, stage);
  }

  // first_layer computes a tile of the first hidden layer, and loads the tile's levels.
  DEVICE void first_layer(Pass& p, int first, int stage) {
    bool two = p.m.inputs > 1;
    int column = threadIdx.x % CHUNKS * M::CHUNK, levels = p.b.e->levels;
#pragma unroll 2
    for (int i = 0; i < R * CHUNKS / BRANCH_THREADS; i++) {
      int row = threadIdx.x / CHUNKS + i * (BRANCH_THREADS / CHUNKS), at = min(first + row, p.end - 1);
      float2 u = level_of_row(p.b.level, at, two);
      *reinterpret_cast<uint4*>(p.tiles + (2 * stage + 1) * R * W + tile_at<M, W>(row, column)) =
          first_chunk<M, W>(p.b.base + size_t(at / levels) * W, p.b.vectors, u, two, column);
    }
    int row = int(threadIdx.x) >> (p.m.inputs - 1);
    p.next_level = 0;
    if (row < R && first + row < p.end) p.next_level = p.b.level[size_t(first) * p.m.inputs + threadIdx.x];
  }

  DEVICE void commit(Pass& p, int first, int stage) {
    if (p.top) {
#pragma unroll
      for (int i = 0; i < GRADS; i++) {
        int item = threadIdx.x + i * BRANCH_THREADS, row = item >> p.shift;
        if (row < R) set_slot<M>(p.grads + (stage * R + row) * p.grad_ld, item & (p.eight - 1), p.next_grad[i]);
        p.grad_sum += p.next_grad[i];
      }
    }
    if (p.bottom) {
      int row = int(threadIdx.x) >> (p.m.inputs - 1);
      if (row < R) set_slot<M>(p.levels + (stage * R + row) * LEVEL_LD, threadIdx.x & (p.m.inputs - 1), p.next_level);
      for (row = threadIdx.x; row < R; row += BRANCH_THREADS) {
        int levels = p.b.e->levels;
        p.points[stage * R + row] = first + row < p.end ? (first + row) / levels - first / levels : -1;
      }
    }
  }

  // output_back replaces a tile of the last hidden layer by the gradient before its ReLU and adds
  // to the gradient of the output's weights.
  DEVICE void output_back(Pass& p, E* tile, const E* grads) {
    for (int o = 0; o < p.m.outputs; o += 8) {
      thin_gradient<M, W, R>(p.of_out + o * W, min(p.m.outputs - o, 8), tile, grads + 2 * o, p.grad_ld);
    }
    __syncthreads();
    int row = p.warp / COLUMNS * 16 * MT, eights = p.eight / 8;
    const uint4* table = reinterpret_cast<const uint4*>(p.b.weights + stationary_tables<W>(p.m) + eights * Width<M, W>::TABLE);
#pragma unroll
    for (int n = 0; n < NT; n++) {
      int group = p.warp % COLUMNS * NT + n;
#pragma unroll
      for (int i = 0; i < MT; i++) {
        float c[M::TILES][4];
#pragma unroll
        for (int j = 0; j < 4 * M::TILES; j++) c[j / 4][j % 4] = 0;
        for (int o = 0; o < eights; o++) {
          const uint4* right = table + (o * GROUPS + group) * 64 + p.lane;
          M::outer(c, grads + (row + 16 * i) * p.grad_ld + 16 * o, p.grad_ld, right[0], right[32], p.lane);
        }
#pragma unroll
        for (int half = 0; half < 2; half++) {
          uint4* at = result(tile, row + 16 * i + 8 * half, group, p.lane);
          *at = M::masked(M::joined(c, half), *at);
        }
      }
    }
    __syncthreads();
  }

  // result returns the address in a tile of a lane's 16 bytes of a result whose first row is given.
  DEVICE uint4* result(E* tile, int row, int group, int lane) {
    return reinterpret_cast<uint4*>(tile + tile_at<M, W>(row + lane / 4, group * M::GROUP + lane % 4 * M::CHUNK));
  }

  // weight_gradient adds dzᵀ·x to dw, and the sums of dz's columns to bias.
  DEVICE void weight_gradient(Pass& p, const E* dz, const E* x) {
    int row = p.warp % DOWN * 32, part = p.warp / DOWN, column = part * 16 * N;
#pragma unroll 1
    for (int k = 0; k < R; k += M::STEP) {
      typename M::Left a[2];
      M::template left<W>(a[0], dz, k, row, p.lane);
      M::template left<W>(a[1], dz, k, row + 16, p.lane);
      if (part == 0) M::row_sums(p.bias, a[0]);
      if (part == 1) M::row_sums(p.bias, a[1]);
#pragma unroll
      for (int n = 0; n < N; n++) {
        typename M::Right r;
        M::template right<W>(r, x, k, column + 16 * n, p.lane);
        M::over_rows(p.dw[0][n][0], p.dw[0][n][1], a[0], r);
        M::over_rows(p.dw[1][n][0], p.dw[1][n][1], a[1], r);
      }
    }
  }

  // input_gradient computes dz·W where x is not 0, otherwise 0. It writes the result to memory, or
  // for the first layer in place of x.
  DEVICE void input_gradient(Pass& p, const E* dz, E* x, int first) {
    int row = p.warp / COLUMNS * 16 * MT, group = p.warp % COLUMNS * NT;
    const uint4* right = reinterpret_cast<const uint4*>(p.weights) + group * M::TILES * GROUPS * 32 + p.lane;
    float c[MT][NT][M::TILES][4];
#pragma unroll
    for (int i = 0; i < MT * NT * M::TILES * 4; i++) {
      c[i / (4 * NT * M::TILES)][i / (4 * M::TILES) % NT][i / 4 % M::TILES][i % 4] = 0;
    }
#pragma unroll 2
    for (int q = 0; q < GROUPS; q++) {
      uint4 a[MT][2];
#pragma unroll
      for (int i = 0; i < 2 * MT; i++) a[i / 2][i % 2] = *result(const_cast<E*>(dz), row + 8 * i, q, p.lane);
#pragma unroll
      for (int n = 0; n < NT; n++) {
#pragma unroll
        for (int j = 0; j < M::TILES; j++) {
          uint4 w = right[((n * M::TILES + j) * GROUPS + q) * 32];
#pragma unroll
          for (int i = 0; i < MT; i++) M::multiply(c[i][n][j], a[i][0], a[i][1], w);
        }
      }
    }
    if (p.bottom) __syncthreads();  // weight_gradient has read x
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      int at = first + row + 8 * i + p.lane / 4;
#pragma unroll
      for (int n = 0; n < NT; n++) {
        uint4* of_x = result(x, row + 8 * i, group + n, p.lane);
        uint4 v = M::masked(M::joined(c[i / 2][n], i % 2), *of_x);
        if (p.bottom) {
          *of_x = v;
        } else if (at < p.end) {
          *reinterpret_cast<uint4*>(p.of_x + size_t(at) * W + (group + n) * M::GROUP + p.lane % 4 * M::CHUNK) = v;
        }
      }
    }
  }

  // first_back computes, from the gradient before the first ReLU, those of the level's weights, of
  // the base and of the levels.
  DEVICE void first_back(Pass& p, const E* dz, int first, int stage) {
    __syncthreads();
    thin_gradient<M, W, R>(p.of_level, p.m.inputs, dz, p.levels + stage * R * LEVEL_LD, LEVEL_LD);
    Points of = {first, min(first + int(R), p.end), p.b.e->levels, p.points + stage * R};
    point_sums<M, W, R>(p.b.grad_base, p.carry, dz, of);
    if (!p.b.grad_level) return;
    const E* table = p.b.weights + stationary_tables<W>(p.m) + 2 * (p.eight / 8) * Width<M, W>::TABLE;
    level_gradient<M, W, R>(p.b.grad_level, dz, table, of, p.m.inputs);
  }

  // all_tiles takes the chunk's rows through the layer. With two stages, a tile is loaded while the
  // one before is computed.
  DEVICE void all_tiles(Pass& p) {
    __syncthreads();  // the layer before has read its weights and its last tile
    load_weights<M, W>(p.weights, p.b.weights + (2 * p.layer + 1) * W * W);
    fetch(p, p.first, 0);
    bool ahead = p.b.stages > 1;
    int stage = 0;
    for (int first = p.first; first < p.end; first += R) {
      E *dz = p.tiles + stage * 2 * R * W, *x = dz + R * W;
      int next = first + R;
      commit(p, first, stage);
      cp_async_wait<0>();
      __syncthreads();
      if (ahead && next < p.end) fetch(p, next, stage ^ 1);
      if (p.top) output_back(p, dz, p.grads + stage * R * p.grad_ld);
      weight_gradient(p, dz, x);
      input_gradient(p, dz, x, first);
      if (p.bottom) first_back(p, x, first, stage);
      if (ahead) {
        stage ^= 1;
      } else if (next < p.end) {
        __syncthreads();
        fetch(p, next, 0);
      }
    }
  }

  // leave writes the sums to the chunk's part of partials.
  DEVICE void leave(Pass& p, int chunk) {
    float *sums = p.b.partials + size_t(chunk) * branch_sums(p.m), *vectors = sums + branch_weights(p.m);
    int row = p.warp % DOWN * 32, part = p.warp / DOWN;
#pragma unroll
    for (int i = 0; i < 4 * N; i++) {
      const float* s = p.dw[i / 2 / N][i / 2 % N][i % 2];
      *fragment_sums(sums + p.layer * W * W, row + i / 2 / N * 16, (part * N + i / 2 % N) * 16, i % 2, W, p.lane) =
          make_float4(s[0], s[1], s[2], s[3]);
    }
    if (part < 2 && p.lane % 4 == 0) {
      float* bias = vectors + branch_biases(p.m) + p.layer * W + row + 16 * part + p.lane / 4;
      bias[0] = p.bias[0];
      bias[8] = p.bias[2];
    }
    __syncthreads();
    if (p.bottom) {
      for (int i = threadIdx.x; i < p.m.inputs * W; i += BRANCH_THREADS) vectors[i] = p.of_level[i];
    }
    if (!p.top) return;
    float* out = vectors + branch_outputs(p.m);
    for (int i = threadIdx.x; i < p.m.outputs * W; i += BRANCH_THREADS) out[i] = p.of_out[i];
    for (int apart = 16; apart >= p.eight; apart /= 2) p.grad_sum += __shfl_xor_sync(~0u, p.grad_sum, apart);
    if (p.lane < p.eight) p.scratch[p.warp * 16 + p.lane] = p.grad_sum;
    __syncthreads();
    if (int(threadIdx.x) < p.m.outputs) {
      float sum = 0;
      for (int w = 0; w < BRANCH_WARPS; w++) sum += p.scratch[w * 16 + threadIdx.x];
      out[p.m.outputs * W + threadIdx.x] = sum;
    }
  }
};

template <class M, int W, int R, int COLUMNS> DEVICE void stationary_backward(const Backward<M>& b, Mlp m) {
  typedef Pass<M, W, R, COLUMNS> P;
  DYNAMIC_SHARED(memory);
  P p;
  p.b = b;
  p.m = m;
  P::begin(p, memory);
  int used = chunks_used(b.e, b.chunks);
  for (int chunk = blockIdx.x; chunk < used; chunk += gridDim.x) {
    for (int layer = m.depth - 2; layer >= 0; layer--) {
      P::enter(p, chunk, layer);
      P::all_tiles(p);
      P::leave(p, chunk);
    }
  }
}
