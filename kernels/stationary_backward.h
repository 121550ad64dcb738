// The backward pass of the weight-stationary branch. branch.h documents the kernels' arguments.
#pragma once
#include "stationary_thin.h"

// Backward are the arguments of the backward kernel.
struct Backward {
  const Extents* e;
  const float *base, *level;
  const half* weights;
  const float *vectors, *grad;
  half* hidden;
  float *grad_base, *grad_level, *partials;
  int stages, chunks;
};

// Pass is a block's work on one layer of one chunk, with its shared memory. Layer l has the weights
// W_{l+1}; it maps h_{l+1} to h_{l+2}. R is the number of rows of a tile, COLUMNS the number of
// parts into which the columns of dz·W are divided among the warps.
//
// With two planes, a tile of gradients has a scale, a power of two, by which its largest number is at most
// 2^15. The same block reads the tile in the layer below, with the same rows, so the scale is kept in memory
// for each tile, as its inverse: `unit` is the number that 1 in the tile stands for.
template <class M, int W, int R, int COLUMNS> struct Pass {
  typedef typename M::Sum Sum;
  enum {
    GROUPS = Width<M, W>::GROUPS,
    CHUNKS = Width<M, W>::CHUNKS,
    ROW = Width<M, W>::ROW,
    SCALED = M::PLANES > 1,
    PLANE = R * W,  // of a tile
    // A warp's part of dz·W has 16·MT rows and JT tiles of 8 columns, a group or half of one.
    MT = R * COLUMNS / BRANCH_WARPS / 16,
    JT = M::TILES * GROUPS / COLUMNS,
    // A warp's part of dW has 32 rows and 16·N columns.
    DOWN = W / 32,
    ACROSS = BRANCH_WARPS / DOWN,
    N = W / ACROSS / 16,
    LEVEL_LD = 24,
    BASES = 2 + R / 64,  // points of a tile whose base is in shared memory: all, with 32 levels or more
    GRADS = R * 16 > BRANCH_THREADS ? R * 16 / BRANCH_THREADS : 1,
  };

  // What is the same for all layers.
  Backward b;
  Mlp m;
  int rows, lane, warp;
  Divisor by_levels;
  unsigned char* memory;  // shared
  // What belongs to a chunk and a layer.
  int layer, chunk, first, end;
  bool top, bottom;
  const half* dz_from;
  half* of_x;  // not read for the first layer; dz of the layer below replaces it
  float unit;
  // What a thread has loaded for the next tile.
  float next_grad[GRADS], next_level, next_unit;
  // Sums over the chunk's rows.
  float dw[2][N][2][4], bias[4];
  float grad_sum;

  // Output gradients in shared memory have `eight` columns, 8 or 16, 2^shift; rows of their table
  // are grad_ld elements apart.
  MEMBER int eight() const { return m.outputs > 8 ? 16 : 8; }
  MEMBER int shift() const { return m.outputs > 8 ? 4 : 3; }
  MEMBER int grad_ld() const { return 2 * eight() + 8; }

  // Shared memory has the weights of one layer and what these functions return. They are functions
  // because there are no registers for their pointers.
  MEMBER half* weights() const { return reinterpret_cast<half*>(memory); }
  MEMBER float* v() const { return reinterpret_cast<float*>(weights() + Width<M, W>::HELD); }  // the level's weights [inputs, W]
  MEMBER float* of_level() const { return v() + 2 * W; }      // sums over the chunk's rows [inputs, W]
  MEMBER float* carry() const { return of_level() + 2 * W; }  // [W], see point_sums
  MEMBER float* scratch() const { return carry() + W; }       // [BRANCH_WARPS, 16]
  MEMBER unsigned char* stages() const { return reinterpret_cast<unsigned char*>(scratch() + BRANCH_WARPS * 16); }
  MEMBER int stage_bytes() const { return 2 * R * (2 * ROW + LEVEL_LD + grad_ld()) + 4 * (3 * R + BASES * W); }
  // of_out returns the sums over the chunk's rows [outputs, W].
  MEMBER float* of_out() const { return reinterpret_cast<float*>(stages() + b.stages * stage_bytes()); }

  // A Stage has a tile of dz and one of x [planes, R, W]; for the first layer a table of levels [R, LEVEL_LD],
  // the rows' points [R], the levels as floats [R, 2] and the base of the tile's first points
  // [BASES, W]; for the last layer a table of output gradients [R, grad_ld].
  struct Stage {
    half *dz, *x, *levels, *grads;
    int* points;
    float *rows, *bases;
  };

  MEMBER Stage stage(int number) const {
    Stage s;
    s.dz = reinterpret_cast<half*>(stages() + number * stage_bytes());
    s.x = s.dz + R * ROW;
    s.levels = s.x + R * ROW;
    s.points = reinterpret_cast<int*>(s.levels + R * LEVEL_LD);
    s.rows = reinterpret_cast<float*>(s.points + R);
    s.bases = s.rows + 2 * R;
    s.grads = reinterpret_cast<half*>(s.bases + BASES * W);
    return s;
  }

  // unit_of returns the address of a tile's unit, in memory after the hidden values.
  MEMBER float* unit_of(int first) const {
    return reinterpret_cast<float*>(b.hidden + size_t(m.depth - 1) * rows * ROW) + first / R + chunk;
  }

  MEMBER void begin(unsigned char* memory) {
    this->memory = memory;
    rows = ::rows(*b.e, space::Row);
    by_levels = divisor(b.e->levels);
    lane = threadIdx.x % 32;
    warp = threadIdx.x / 32;
    for (int n = 0; n < b.stages; n++) {
      Stage s = stage(n);
      for (int i = threadIdx.x; i < R * LEVEL_LD; i += BRANCH_THREADS) s.levels[i] = __float2half_rn(0);
      for (int i = threadIdx.x; i < 2 * R; i += BRANCH_THREADS) s.rows[i] = 0;
    }
    for (int i = threadIdx.x; i < m.inputs * W; i += BRANCH_THREADS) v()[i] = b.vectors[i];
  }

  // enter chooses a chunk and a layer.
  MEMBER void enter(int chunk, int layer) {
    int levels = b.e->levels, points = b.e->functions * b.e->points, each = chunk_points(b.e, b.chunks);
    size_t slot = size_t(rows) * ROW;
    this->chunk = chunk;
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
    unit = 1;
    grad_sum = 0;
    for (int i = threadIdx.x; i < m.outputs * W; i += BRANCH_THREADS) of_out()[i] = 0;
    for (int i = threadIdx.x; i < m.inputs * W; i += BRANCH_THREADS) of_level()[i] = 0;
  }

  // fetch begins to load a tile; commit stores what fetch left in registers.
  MEMBER void fetch(int first, const Stage& s) {
    const int chunks = M::PLANES * CHUNKS;  // of a row
    int chunk = threadIdx.x % chunks;
#pragma unroll
    for (int i = 0; i < R * chunks / BRANCH_THREADS; i++) {
      int row = threadIdx.x / chunks + i * (BRANCH_THREADS / chunks);
      int at = chunk / CHUNKS * PLANE + tile_at<W>(row, chunk % CHUNKS * M::CHUNK);
      bool there = first + row < end;
      size_t from = size_t(there ? first + row : first) * ROW + chunk * M::CHUNK;
      cp_async16(s.dz + at, dz_from + from, there);
      if (!bottom) cp_async16(s.x + at, of_x + from, there);
    }
    if (SCALED && !top) next_unit = *unit_of(first);
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
    if (SCALED && !top) unit = next_unit;
    if (top) {
      float large = 0;
#pragma unroll
      for (int i = 0; i < GRADS; i++) {
        large = fmaxf(large, fabsf(next_grad[i]));
        grad_sum += next_grad[i];
      }
      if (SCALED) gather(0, large);
      else commit_grads(s, 1);
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

  // commit_grads stores the output's gradients times a scale.
  MEMBER void commit_grads(const Stage& s, float scale) const {
#pragma unroll
    for (int i = 0; i < GRADS; i++) {
      int item = threadIdx.x + i * BRANCH_THREADS, row = item >> shift();
      if (row < R) set_slot<M>(s.grads + row * grad_ld(), item & (eight() - 1), next_grad[i] * scale);
    }
  }

  // gather takes a number of each thread, and after a barrier scale_of returns the scale by the largest.
  MEMBER void gather(int slot, float large) const {
    for (int apart = 16; apart > 0; apart /= 2) large = fmaxf(large, __shfl_xor_sync(~0u, large, apart));
    if (lane == 0) scratch()[slot * BRANCH_WARPS + warp] = large;
  }
  MEMBER float scale_of(int slot) const {
    float large = 0;
#pragma unroll
    for (int i = 0; i < BRANCH_WARPS; i++) large = fmaxf(large, scratch()[slot * BRANCH_WARPS + i]);
    return scale_for(large);
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
      M::write(s.x + tile_at<W>(row, column), PLANE, first_chunk<M, W>(of_point, v(), u, m.inputs > 1, column));
    }
  }

  // A warp's part of dz·W begins with this row, group and tile of the group.
  MEMBER int part_row() const { return warp / COLUMNS * 16 * MT; }
  MEMBER int part_group() const { return warp % COLUMNS * GROUPS / COLUMNS; }
  MEMBER int part_tile() const { return warp % COLUMNS * JT % M::TILES; }
  // part_column returns a lane's first column of the part. part returns the address in a tile of the
  // numbers that it has of row g or g + 8 of 16 rows.
  MEMBER int part_column() const { return part_group() * M::GROUP + lane % 4 * M::CHUNK + part_tile() * 2; }
  MEMBER half* part(half* tile, int i) const { return tile + tile_at<W>(part_row() + 8 * i + lane / 4, part_column()); }

  // settle completes sums dz·W: they are 0 where the tile x is. With two planes it returns, after a barrier,
  // the scale by which the sums become the tile of gradients in place of x, and changes the unit to that
  // tile's.
  MEMBER float settle(Sum (&s)[MT][JT], half* x, int slot) {
    float large = 0;
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      if (i % 2 == 0) {
#pragma unroll
        for (int j = 0; j < JT; j++) M::finish(s[i / 2][j]);
      }
      M::mask(s[i / 2], i % 2, M::template read<JT>(part(x, i), part(x, i) + PLANE));
    }
    float scale = 1;
    if constexpr (SCALED) {
#pragma unroll
      for (int i = 0; i < 4 * MT * JT; i++) large = fmaxf(large, fabsf(s[i / 4 / JT][i / 4 % JT].c[0][i % 4]));
      gather(slot, large);
      __syncthreads();
      scale = scale_of(slot);
      unit *= M::HIDDEN * inverse(scale);  // the sums have the scale of the weights
    }
    return scale;
  }

  // output_back replaces a tile of the last hidden layer by the gradient before its ReLU and adds
  // to the gradient of the output's weights. Its tables stay in the L1 cache.
  MEMBER void output_back(half* tile, const Stage& s) {
    int eights = eight() / 8;
    for (int o = 0; o < m.outputs; o += 8) {
      thin_gradient<M, W, R>(of_out() + o * W, min(m.outputs - o, 8), tile, s.grads + 2 * o, grad_ld(), unit * M::WEIGHT);
    }
    const uint4* table = reinterpret_cast<const uint4*>(b.weights + stationary_tables<M, W>(m) + eights * Width<M, W>::TABLE) +
                         part_group() * 64 + part_tile() / 2 * 32 + lane;
    Sum sums[MT][JT];
#pragma unroll
    for (int i = 0; i < MT * JT; i++) M::start(sums[i / JT][i % JT], 0, 0);
    for (int o = 0; o < eights; o++) {
      uint4 w[JT / 2];
#pragma unroll
      for (int j = 0; j < JT / 2; j++) w[j] = table[o * GROUPS * 64 + j * 32];
#pragma unroll
      for (int i = 0; i < MT; i++) {
        unsigned slots[4];
        ldmatrix_x4(slots, s.grads + (part_row() + 16 * i + (lane & 15)) * grad_ld() + 16 * o + (lane >> 4) * 8);
#pragma unroll
        for (int j = 0; j < JT / 2; j++) M::outer(sums[i] + 2 * j, slots, w[j]);
      }
    }
    float scale = settle(sums, tile, 1);
    if (!SCALED) __syncthreads();
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) M::write(part(tile, i), PLANE, M::joined(sums[i / 2], i % 2, scale));
    __syncthreads();
  }

  // weight_gradient adds dzᵀ·x to dw, and the sums of dz's columns to bias.
  MEMBER void weight_gradient(const half* dz, const half* x) {
    int row = warp % DOWN * 32, part = warp / DOWN, column = part * N * 16;
#pragma unroll M::UNROLL
    for (int k = 0; k < R; k += M::STEP) {
      auto upper = M::template left<W, R>(dz, k, row, lane), lower = M::template left<W, R>(dz, k, row + 16, lane);
      if (part == 0) M::row_sums(bias, upper, unit);
      if (part == 1) M::row_sums(bias, lower, unit);
#pragma unroll
      for (int n = 0; n < N; n++) {
        if (M::HELD < M::PLANES) __syncwarp();  // Turing has no registers for two at a time
        auto right = M::template right<W, R>(x, k, column + 16 * n, lane);
        M::over_rows(dw[0][n], upper, right, unit * M::WEIGHT);
        M::over_rows(dw[1][n], lower, right, unit * M::WEIGHT);
      }
    }
  }

  // input_gradient computes dz·W where x is not 0, otherwise 0. It writes the result to memory, or
  // for the first layer in place of x.
  MEMBER void input_gradient(const half* dz, half* x, int first) {
    int at = (part_group() * M::TILES + part_tile()) * GROUPS * 256 + lane * M::CHUNK;
    const half *right = weights() + at, *low = right + W * W;
    if (M::HELD < M::PLANES) low = b.weights + (2 * layer + 1) * Width<M, W>::MATRIX + W * W + at;
    Sum s[MT][JT];
#pragma unroll
    for (int i = 0; i < MT * JT; i++) M::start(s[i / JT][i % JT], 0, 0);
#pragma unroll M::UNROLL
    for (int q = 0; q < GROUPS; q++) {
      typename M::template Words<4> a[MT][2];
#pragma unroll
      for (int i = 0; i < 2 * MT * M::PLANES; i++) {
        int chunk = q * 4 + i % 2 * 2 + lane / 16;
        ldmatrix_x4(a[i / 2 % MT][i % 2].x[i / 2 / MT],
                    dz + i / 2 / MT * PLANE + tile_at<W>(part_row() + i / 2 % MT * 16 + lane % 16, chunk * M::CHUNK));
      }
#pragma unroll
      for (int j = 0; j < JT; j++) {
        auto w = M::template read<4>(right + (j * GROUPS + q) * 256, low + (j * GROUPS + q) * 256);
#pragma unroll
        for (int i = 0; i < MT; i++) M::multiply(s[i][j], a[i][0], a[i][1], w);
      }
    }
    float scale = settle(s, x, 2);
    if (bottom && !SCALED) __syncthreads();  // weight_gradient has read x; settle waits otherwise
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      int at = first + part_row() + 8 * i + lane / 4;
      auto v = M::joined(s[i / 2], i % 2, scale);
      if (bottom) M::write(part(x, i), PLANE, v);
      else if (at < end) M::write(of_x + size_t(at) * ROW + part_column(), W, v);
    }
    if (SCALED && !bottom && threadIdx.x == 0) *unit_of(first) = unit;
  }

  // first_back computes, from the gradient before the first ReLU, those of the level's weights, of
  // the base and of the levels.
  MEMBER void first_back(const Stage& s, int first) const {
    __syncthreads();
    thin_gradient<M, W, R>(of_level(), m.inputs, s.x, s.levels, LEVEL_LD, unit);
    Points of = {first, min(first + int(R), end), by_levels, s.points};
    point_sums<M, W, R>(b.grad_base, carry(), s.x, of, unit);
    if (!b.grad_level) return;
    const half* table = b.weights + stationary_tables<M, W>(m) + 2 * (eight() / 8) * Width<M, W>::TABLE;
    level_gradient<M, W, R>(b.grad_level, s.x, table, of, m.inputs, unit * M::HIDDEN);
  }

  // all_tiles takes the chunk's rows through the layer. With two stages, a tile is loaded while the
  // one before is computed.
  MEMBER void all_tiles() {
    __syncthreads();  // the layer before has read its weights and its last tile
    copy_async(weights(), b.weights + (2 * layer + 1) * Width<M, W>::MATRIX, Width<M, W>::HELD);
    fetch(this->first, stage(0));
    bool ahead = b.stages > 1;
    int number = 0;
    for (int first = this->first; first < end; first += R) {
      Stage s = stage(number);
      int next = first + R;
      commit(first, s);
      cp_async_wait<0>();
      __syncthreads();
      if (SCALED && top) {
        float scale = scale_of(0);
        unit = inverse(scale);
        commit_grads(s, scale);
      }
      if (ahead && next < end) fetch(next, stage(number ^ 1));
      if (bottom) first_layer(first, s);
      if (bottom || (SCALED && top)) __syncthreads();
      if (top) output_back(s.dz, s);
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

template <class M, int W, int R, int COLUMNS> DEVICE void stationary_backward(const Backward& b, Mlp m) {
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
