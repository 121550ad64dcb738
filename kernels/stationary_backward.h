// The backward pass of the weight-stationary branch. branch.h documents the kernels' arguments.
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
    BASES = 2 + R / 64,  // points of a tile whose base is in shared memory: all, with 32 levels or more
    GRADS = R * 16 > BRANCH_THREADS ? R * 16 / BRANCH_THREADS : 1,
  };

  // What is the same for all layers.
  Backward<M> b;
  Mlp m;
  int rows, lane, warp;
  Divisor by_levels;
  unsigned char* memory;  // shared
  // What belongs to a chunk and a layer.
  int layer, first, end;
  bool top, bottom;
  const E* dz_from;
  E* of_x;  // not read for the first layer; dz of the layer below replaces it
  // What a thread has loaded for the next tile.
  float next_grad[GRADS], next_level;
  // Sums over the chunk's rows.
  float dw[2][N][2][4], bias[4], grad_sum;

  // Output gradients in shared memory have `eight` columns, 8 or 16, 2^shift; rows of their table
  // are grad_ld elements apart.
  MEMBER int eight() const { return m.outputs > 8 ? 16 : 8; }
  MEMBER int shift() const { return m.outputs > 8 ? 4 : 3; }
  MEMBER int grad_ld() const { return 2 * eight() + 8; }

  // Shared memory has the weights of one layer and what these functions return. They are functions
  // because there are no registers for their pointers.
  MEMBER E* weights() const { return reinterpret_cast<E*>(memory); }
  MEMBER float* v() const { return reinterpret_cast<float*>(weights() + W * W); }  // the level's weights [inputs, W]
  MEMBER float* of_level() const { return v() + 2 * W; }                           // sums over the chunk's rows [inputs, W]
  MEMBER float* carry() const { return of_level() + 2 * W; }                       // [W], see point_sums
  MEMBER float* scratch() const { return carry() + W; }                            // [BRANCH_WARPS, 16]
  MEMBER unsigned char* stages() const { return reinterpret_cast<unsigned char*>(scratch() + BRANCH_WARPS * 16); }
  MEMBER int stage_bytes() const { return sizeof(E) * R * (2 * W + LEVEL_LD + grad_ld()) + 4 * (3 * R + BASES * W); }
  // of_out returns the sums over the chunk's rows [outputs, W].
  MEMBER float* of_out() const { return reinterpret_cast<float*>(stages() + b.stages * stage_bytes()); }

  // A Stage has a tile of dz and one of x [R, W]; for the first layer a table of levels [R, LEVEL_LD],
  // the rows' points [R], the levels as floats [R, 2] and the base of the tile's first points
  // [BASES, W]; for the last layer a table of output gradients [R, grad_ld].
  struct Stage {
    E *dz, *x, *levels, *grads;
    int* points;
    float *rows, *bases;
  };

  MEMBER Stage stage(int number) const {
    Stage s;
    s.dz = reinterpret_cast<E*>(stages() + number * stage_bytes());
    s.x = s.dz + R * W;
    s.levels = s.x + R * W;
    s.points = reinterpret_cast<int*>(s.levels + R * LEVEL_LD);
    s.rows = reinterpret_cast<float*>(s.points + R);
    s.bases = s.rows + 2 * R;
    s.grads = reinterpret_cast<E*>(s.bases + BASES * W);
    return s;
  }

  MEMBER void begin(unsigned char* memory) {
    this->memory = memory;
    rows = ::rows(*b.e, space::Row);
    by_levels = divisor(b.e->levels);
    lane = threadIdx.x % 32;
    warp = threadIdx.x / 32;
    for (int n = 0; n < b.stages; n++) {
      Stage s = stage(n);
      for (int i = threadIdx.x; i < R * LEVEL_LD; i += BRANCH_THREADS) s.levels[i] = M::rounded(0);
      for (int i = threadIdx.x; i < 2 * R; i += BRANCH_THREADS) s.rows[i] = 0;
    }
    for (int i = threadIdx.x; i < m.inputs * W; i += BRANCH_THREADS) v()[i] = b.vectors[i];
  }

  // enter chooses a chunk and a layer.
  MEMBER void enter(int chunk, int layer) {
    int levels = b.e->levels, points = b.e->functions * b.e->points, each = chunk_points(b.e, b.chunks);
    size_t slot = size_t(rows) * W;
    first = min(chunk * each, points) * levels;
    end = min((chunk + 1) * each, points) * levels;
    this->layer = layer;
    top = layer == m.depth - 2;
    bottom = layer == 0;
    dz_from = b.hidden + layer * slot;
    of_x = b.hidden + (layer - 1) * slot;
#pragma unroll
    for (int i = 0; i < 16 * N; i++) dw[i / 8 / N][i / 8 % N][i / 4 % 2][i % 4] = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) bias[i] = 0;
    grad_sum = 0;
    for (int i = threadIdx.x; i < m.outputs * W; i += BRANCH_THREADS) of_out()[i] = 0;
    for (int i = threadIdx.x; i < m.inputs * W; i += BRANCH_THREADS) of_level()[i] = 0;
  }

  // fetch begins to load a tile; commit stores what fetch left in registers.
  MEMBER void fetch(int first, const Stage& s) {
    int column = threadIdx.x % CHUNKS * M::CHUNK;
#pragma unroll
    for (int i = 0; i < R * CHUNKS / BRANCH_THREADS; i++) {
      int row = threadIdx.x / CHUNKS + i * (BRANCH_THREADS / CHUNKS), at = tile_at<M, W>(row, column);
      bool there = first + row < end;
      size_t from = size_t(there ? first + row : first) * W + column;
      cp_async16(s.dz + at, dz_from + from, there);
      if (!bottom) cp_async16(s.x + at, of_x + from, there);
    }
    if (bottom) fetch_bases(first, s.bases);
    cp_async_commit();
    if (top) {
#pragma unroll
      for (int i = 0; i < GRADS; i++) {
        int item = threadIdx.x + i * BRANCH_THREADS, row = item >> shift(), o = item & (eight() - 1);
        next_grad[i] = 0;
        if (row < R && first + row < end && o < m.outputs) {
          next_grad[i] = b.grad[size_t(first + row) * m.outputs + o];
        }
      }
    }
    if (bottom) {
      int row = int(threadIdx.x) >> (m.inputs - 1);
      next_level = 0;
      if (row < R && first + row < end) next_level = b.level[size_t(first) * m.inputs + threadIdx.x];
    }
  }

  // fetch_bases begins to load the base of a tile's first points.
  MEMBER void fetch_bases(int first, float* bases) const {
    int point = divide(first, by_levels), last = divide(min(first + int(R), end) - 1, by_levels);
    int floats = min(last - point + 1, int(BASES)) * W;
    for (int i = threadIdx.x * 4; i < floats; i += BRANCH_THREADS * 4) cp_async16(bases + i, b.base + size_t(point) * W + i, true);
  }

  MEMBER void commit(int first, const Stage& s) {
    if (top) {
#pragma unroll
      for (int i = 0; i < GRADS; i++) {
        int item = threadIdx.x + i * BRANCH_THREADS, row = item >> shift();
        if (row < R) set_slot<M>(s.grads + row * grad_ld(), item & (eight() - 1), next_grad[i]);
        grad_sum += next_grad[i];
      }
    }
    if (bottom) {
      int row = int(threadIdx.x) >> (m.inputs - 1), input = threadIdx.x & (m.inputs - 1);
      if (row < R) {
        set_slot<M>(s.levels + row * LEVEL_LD, input, next_level);
        s.rows[2 * row + input] = next_level;
      }
      int within = first - int(divide(first, by_levels) * by_levels.number);  // rows of the first point before the tile
      for (row = threadIdx.x; row < R; row += BRANCH_THREADS) {
        s.points[row] = first + row < end ? int(divide(within + row, by_levels)) : -1;
      }
    }
  }

  // first_layer computes a tile of the first hidden layer from what commit and fetch_bases stored.
  MEMBER void first_layer(int first, const Stage& s) const {
    int column = threadIdx.x % CHUNKS * M::CHUNK;
    const float* base = b.base + size_t(divide(first, by_levels)) * W;
#pragma unroll 2
    for (int i = 0; i < R * CHUNKS / BRANCH_THREADS; i++) {
      int row = threadIdx.x / CHUNKS + i * (BRANCH_THREADS / CHUNKS), point = max(s.points[row], 0);
      float2 u = *reinterpret_cast<const float2*>(s.rows + 2 * row);
      const float* of_point = (point < BASES ? s.bases : base) + point * W;
      *reinterpret_cast<uint4*>(s.x + tile_at<M, W>(row, column)) = first_chunk<M, W>(of_point, v(), u, m.inputs > 1, column);
    }
  }

  // output_back replaces a tile of the last hidden layer by the gradient before its ReLU and adds
  // to the gradient of the output's weights. Its tables stay in the L1 cache.
  MEMBER void output_back(E* tile, const E* grads) const {
    int row = warp / COLUMNS * 16 * MT, eights = eight() / 8;
    const uint4* table = reinterpret_cast<const uint4*>(b.weights + stationary_tables<W>(m) + eights * Width<M, W>::TABLE) +
                         warp % COLUMNS * NT * 64 + lane;
    for (int o = 0; o < m.outputs; o += 8) {
      thin_gradient<M, W, R>(of_out() + o * W, min(m.outputs - o, 8), tile, grads + 2 * o, grad_ld());
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < NT; n++) {
      typename M::Sum s[MT][M::TILES];
#pragma unroll
      for (int i = 0; i < MT * M::TILES; i++) M::start(s[i / M::TILES][i % M::TILES], 0, 0);
      for (int o = 0; o < eights; o++) {
        uint4 left = table[(o * GROUPS + n) * 64], right = table[(o * GROUPS + n) * 64 + 32];
#pragma unroll
        for (int i = 0; i < MT; i++) {
          M::outer(s[i], grads + (row + 16 * i) * grad_ld() + 16 * o, grad_ld(), left, right, lane);
        }
      }
#pragma unroll
      for (int i = 0; i < MT; i++) {
#pragma unroll
        for (int j = 0; j < M::TILES; j++) M::finish(s[i][j]);
#pragma unroll
        for (int half = 0; half < 2; half++) {
          uint4* at = result(tile, row + 16 * i + 8 * half, warp % COLUMNS * NT + n, lane);
          *at = M::masked(M::joined(s[i], half), *at);
        }
      }
    }
    __syncthreads();
  }

  // result returns the address in a tile of a lane's 16 bytes of a result whose first row is given.
  DEVICE uint4* result(E* tile, int row, int group, int lane) {
    return reinterpret_cast<uint4*>(tile + tile_at<M, W>(row + lane / 4, group * M::GROUP + lane % 4 * M::CHUNK));
  }

  // weight_gradient adds dzᵀ·x to dw, and the sums of dz's columns to bias. The matrix unit truncates
  // more the larger a sum is, so a precision with APART sums a tile apart, half of the columns at a
  // time, and adds that.
  MEMBER void weight_gradient(const E* dz, const E* x) {
    if constexpr (M::APART) {
      tile_apart<0>(dz, x);
      if constexpr (N > 1) tile_apart<1>(dz, x);
    } else {
      over_rows<0>(dw, bias, dz, x);
    }
  }

  template <int PART> MEMBER void tile_apart(const E* dz, const E* x) {
    enum { COUNT = (N + 1) / 2, FIRST = PART * COUNT };
    float dw[2][COUNT][2][4], bias[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 16 * COUNT; i++) dw[i / 8 / COUNT][i / 8 % COUNT][i / 4 % 2][i % 4] = 0;
    over_rows<FIRST>(dw, bias, dz, x);
#pragma unroll
    for (int i = 0; i < 16 * COUNT; i++) {
      this->dw[i / 8 / COUNT][FIRST + i / 8 % COUNT][i / 4 % 2][i % 4] += dw[i / 8 / COUNT][i / 8 % COUNT][i / 4 % 2][i % 4];
    }
#pragma unroll
    for (int i = 0; i < 4; i++) this->bias[i] += bias[i];
  }

  // over_rows computes COUNT of a warp's N parts of 16 columns, from FIRST on; bias with the first.
  template <int FIRST, int COUNT>
  MEMBER void over_rows(float (&dw)[2][COUNT][2][4], float (&bias)[4], const E* dz, const E* x) const {
    int row = warp % DOWN * 32, part = warp / DOWN, column = (part * N + FIRST) * 16;
#pragma unroll M::UNROLL
    for (int k = 0; k < R; k += M::STEP) {
      typename M::Left a[2];
      M::template left<W>(a[0], dz, k, row, lane);
      M::template left<W>(a[1], dz, k, row + 16, lane);
      if (FIRST == 0 && part == 0) M::row_sums(bias, a[0]);
      if (FIRST == 0 && part == 1) M::row_sums(bias, a[1]);
#pragma unroll
      for (int n = 0; n < COUNT; n++) {
        typename M::Right r;
        M::template right<W>(r, x, k, column + 16 * n, lane);
        M::over_rows(dw[0][n][0], dw[0][n][1], a[0], r);
        M::over_rows(dw[1][n][0], dw[1][n][1], a[1], r);
      }
    }
  }

  // input_gradient computes dz·W where x is not 0, otherwise 0. It writes the result to memory, or
  // for the first layer in place of x.
  MEMBER void input_gradient(const E* dz, E* x, int first) const {
    int row = warp / COLUMNS * 16 * MT, group = warp % COLUMNS * NT;
    const uint4* right = reinterpret_cast<const uint4*>(weights()) + group * M::TILES * GROUPS * 32 + lane;
    typename M::Sum s[MT][NT][M::TILES];
#pragma unroll
    for (int i = 0; i < MT * NT * M::TILES; i++) M::start(s[i / (NT * M::TILES)][i / M::TILES % NT][i % M::TILES], 0, 0);
#pragma unroll M::UNROLL
    for (int q = 0; q < GROUPS; q++) {
      uint4 a[MT][2];
#pragma unroll
      for (int i = 0; i < 2 * MT; i++) {
        unsigned words[4];
        int chunk = q * 4 + i % 2 * 2 + lane / 16;
        ldmatrix_x4(words, dz + tile_at<M, W>(row + i / 2 * 16 + lane % 16, chunk * M::CHUNK));
        a[i / 2][i % 2] = make_uint4(words[0], words[1], words[2], words[3]);
      }
#pragma unroll
      for (int n = 0; n < NT; n++) {
#pragma unroll
        for (int j = 0; j < M::TILES; j++) {
          uint4 w = right[((n * M::TILES + j) * GROUPS + q) * 32];
#pragma unroll
          for (int i = 0; i < MT; i++) M::multiply(s[i][n][j], a[i][0], a[i][1], w);
        }
      }
    }
    if (bottom) __syncthreads();  // weight_gradient has read x
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      int at = first + row + 8 * i + lane / 4;
#pragma unroll
      for (int n = 0; n < NT; n++) {
        if (i % 2 == 0) {
#pragma unroll
          for (int j = 0; j < M::TILES; j++) M::finish(s[i / 2][n][j]);
        }
        uint4* of_x = result(x, row + 8 * i, group + n, lane);
        uint4 v = M::masked(M::joined(s[i / 2][n], i % 2), *of_x);
        if (bottom) {
          *of_x = v;
        } else if (at < end) {
          *reinterpret_cast<uint4*>(this->of_x + size_t(at) * W + (group + n) * M::GROUP + lane % 4 * M::CHUNK) = v;
        }
      }
    }
  }

  // first_back computes, from the gradient before the first ReLU, those of the level's weights, of
  // the base and of the levels.
  MEMBER void first_back(const Stage& s, int first) const {
    __syncthreads();
    thin_gradient<M, W, R>(of_level(), m.inputs, s.x, s.levels, LEVEL_LD);
    Points of = {first, min(first + int(R), end), by_levels, s.points};
    point_sums<M, W, R>(b.grad_base, carry(), s.x, of);
    if (!b.grad_level) return;
    const E* table = b.weights + stationary_tables<W>(m) + 2 * (eight() / 8) * Width<M, W>::TABLE;
    level_gradient<M, W, R>(b.grad_level, s.x, table, of, m.inputs);
  }

  // all_tiles takes the chunk's rows through the layer. With two stages, a tile is loaded while the
  // one before is computed.
  MEMBER void all_tiles() {
    __syncthreads();  // the layer before has read its weights and its last tile
    copy_async<M>(weights(), b.weights + (2 * layer + 1) * W * W, W * W);
    fetch(this->first, stage(0));
    bool ahead = b.stages > 1;
    int number = 0;
    for (int first = this->first; first < end; first += R) {
      Stage s = stage(number);
      int next = first + R;
      commit(first, s);
      cp_async_wait<0>();
      __syncthreads();
      if (ahead && next < end) fetch(next, stage(number ^ 1));
      if (bottom) {
        first_layer(first, s);
        __syncthreads();
      }
      if (top) output_back(s.dz, s.grads);
      weight_gradient(s.dz, s.x);
      input_gradient(s.dz, s.x, first);
      if (bottom) first_back(s, first);
      if (ahead) {
        number ^= 1;
      } else if (next < end) {
        __syncthreads();
        fetch(next, s);
      }
    }
  }

  // leave writes the sums to the chunk's part of partials.
  MEMBER void leave(int chunk) {
    float *sums = b.partials + size_t(chunk) * branch_sums(m), *vectors = sums + branch_weights(m);
    int row = warp % DOWN * 32, part = warp / DOWN;
#pragma unroll
    for (int i = 0; i < 4 * N; i++) {
      const float* s = dw[i / 2 / N][i / 2 % N][i % 2];
      *fragment_sums(sums + layer * W * W, row + i / 2 / N * 16, (part * N + i / 2 % N) * 16, i % 2, W, lane) =
          make_float4(s[0], s[1], s[2], s[3]);
    }
    if (part < 2 && lane % 4 == 0) {
      float* bias = vectors + branch_biases(m) + layer * W + row + 16 * part + lane / 4;
      bias[0] = this->bias[0];
      bias[8] = this->bias[2];
    }
    __syncthreads();
    if (bottom) {
      for (int i = threadIdx.x; i < m.inputs * W; i += BRANCH_THREADS) vectors[i] = of_level()[i];
    }
    if (!top) return;
    float* out = vectors + branch_outputs(m);
    for (int i = threadIdx.x; i < m.outputs * W; i += BRANCH_THREADS) out[i] = of_out()[i];
    for (int apart = 16; apart >= eight(); apart /= 2) grad_sum += __shfl_xor_sync(~0u, grad_sum, apart);
    if (lane < eight()) scratch()[warp * 16 + lane] = grad_sum;
    __syncthreads();
    if (int(threadIdx.x) < m.outputs) {
      float sum = 0;
      for (int w = 0; w < BRANCH_WARPS; w++) sum += scratch()[w * 16 + threadIdx.x];
      out[m.outputs * W + threadIdx.x] = sum;
    }
  }
};

template <class M, int W, int R, int COLUMNS> DEVICE void stationary_backward(const Backward<M>& b, Mlp m) {
  typedef Pass<M, W, R, COLUMNS> P;
  DYNAMIC_SHARED(memory);
  P p;
  p.b = b;
  p.m = m;
  p.begin(memory);
  int used = chunks_used(b.e, b.chunks);
  for (int chunk = blockIdx.x; chunk < used; chunk += gridDim.x) {
    for (int layer = m.depth - 2; layer >= 0; layer--) {
      p.enter(chunk, layer);
      p.all_tiles();
      p.leave(chunk);
    }
  }
}
