// The backward pass of the weight-stationary branch. branch.h documents the kernels' arguments.
#pragma once
#include "stationary_thin.h"

// Run has the sizes of a run that a block has in shared memory: the rows for each row of the base, the rows of
// the base, those of a chunk, the chunks that are used, and the rows for each row of the gradient.
struct Run {
  Divisor levels;
  int points, chunk, chunks, each, unused[2];
};

// Pass is a block's work on one layer of one chunk, with its shared memory. Layer l has the weights
// W_{l+1}; it maps h_{l+1} to h_{l+2}. R is the number of rows of a tile, COLUMNS the number of
// parts into which the columns of dz·W are divided among the warps.
//
// With two planes, a tile of gradients has a scale, a power of two, by which its largest number is at most
// 2^15. The same block reads the tile in the layer below, with the same rows, so the scale is kept in memory
// for each tile, as its inverse: `unit` is the number that 1 in the tile stands for.
template <class M, int W, int R, int COLUMNS, bool MLP> struct Pass {
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
  int lane, warp;
  Divisor levels;
  unsigned char* memory;  // shared
  // What belongs to a chunk and a layer.
  int layer, chunk, first, end;
  bool top, bottom;
  float unit;
  // What a thread has loaded for the next tile.
  float next_grad[GRADS], next_level, next_unit;
  // Sums over the chunk's rows.
  float dw[2][N][2][4], bias[4];
  float grad_sum;

  // thin reports whether the layer is the one below the output, linear whether it has no ReLU, and b.grad is
  // the gradient of its result.
  MEMBER bool thin() const { return top && (!MLP || m.outputs > 0); }
  MEMBER bool linear() const { return MLP && top && m.outputs == 0; }

  // A thread loads one number of the levels: a row of them has 2^level_shift threads, and in shared memory
  // level_ld columns.
  MEMBER int level_shift() const { return MLP ? 3 : m.inputs - 1; }
  MEMBER int level_ld() const { return MLP ? 8 : 2; }

  // Output gradients in shared memory have `eight` columns, 8 or 16, 2^shift; rows of their table
  // are grad_ld elements apart.
  MEMBER int eight() const { return m.outputs > 8 ? 16 : 8; }
  MEMBER int shift() const { return m.outputs > 8 ? 4 : 3; }
  MEMBER int grad_ld() const { return 2 * eight() + 8; }

  // Shared memory has the weights of one layer and what these functions return. They are functions
  // because there are no registers for their pointers.
  MEMBER half* weights() const { return reinterpret_cast<half*>(memory); }
  MEMBER float* v() const { return reinterpret_cast<float*>(weights() + Width<M, W>::HELD); }  // the level's weights [terms, W]
  MEMBER int terms() const { return MLP ? 8 : 2; }
  MEMBER float* of_level() const { return v() + terms() * W; }      // sums over the chunk's rows [terms, W]
  MEMBER float* carry() const { return of_level() + terms() * W; }  // [W], see point_sums
  MEMBER float* scratch() const { return carry() + W; }       // [BRANCH_WARPS, 16]
  MEMBER Run* run() const { return reinterpret_cast<Run*>(scratch() + BRANCH_WARPS * 16); }
  MEMBER Divisor by_levels() const { return MLP ? run()->levels : levels; }  // an MLP has no registers for it
  MEMBER unsigned char* stages() const { return reinterpret_cast<unsigned char*>(run() + 1); }
  MEMBER int stage_bytes() const { return 2 * R * (2 * ROW + LEVEL_LD + grad_ld()) + 4 * ((1 + level_ld()) * R + BASES * W); }
  // of_out returns the sums over the chunk's rows [outputs, W].
  MEMBER float* of_out() const { return reinterpret_cast<float*>(stages() + b.stages * stage_bytes()); }

  // A Stage has a tile of dz and one of x [planes, R, W]; for the first layer a table of levels [R, LEVEL_LD],
  // the rows' points [R], the levels as floats [R, level_ld] and the base of the tile's first points
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
    s.bases = s.rows + level_ld() * R;
    s.grads = reinterpret_cast<half*>(s.bases + BASES * W);
    return s;
  }

  // hidden returns the hidden values that slot `layer` has, or in their place the gradients.
  MEMBER half* hidden(int layer) const { return b.hidden + size_t(layer) * (run()->points * by_levels().number) * ROW; }

  // unit_of returns the address of a tile's unit, in memory after the hidden values.
  MEMBER float* unit_of(int first) const {
    return reinterpret_cast<float*>(hidden(m.depth - 1)) + first / R + chunk;
  }

  MEMBER void begin(unsigned char* memory) {
    this->memory = memory;
    Span span = span_of(*b.e, b.s, b.above);
    levels = divisor(span.levels);
    int each = MLP && b.mean ? ratio(*b.e, b.s, space::Function) : 1;
    if (threadIdx.x == 0) *run() = {levels, span.points, chunk_points(span, b.chunks), chunks_used(span, b.chunks), each, {0, 0}};
    lane = threadIdx.x % 32;
    warp = threadIdx.x / 32;
    for (int n = 0; n < b.stages; n++) {
      Stage s = stage(n);
      for (int i = threadIdx.x; i < R * LEVEL_LD; i += BRANCH_THREADS) s.levels[i] = __float2half_rn(MLP && m.biased && i % LEVEL_LD == m.inputs);
      for (int i = threadIdx.x; i < level_ld() * R; i += BRANCH_THREADS) s.rows[i] = 0;
    }
    for (int i = threadIdx.x; i < branch_terms(m) * W; i += BRANCH_THREADS) v()[i] = b.vectors[i];
    __syncthreads();
  }

  // enter chooses a chunk and a layer.
  MEMBER void enter(int chunk, int layer) {
    int levels = by_levels().number, points = run()->points, each = run()->chunk;
    this->chunk = chunk;
    first = min(chunk * each, points) * levels;
    end = min((chunk + 1) * each, points) * levels;
    this->layer = layer;
    top = layer == m.depth - 2;
    bottom = layer == 0;
#pragma unroll
    for (int i = 0; i < 16 * N; i++) dw[i / 8 / N][i / 8 % N][i / 4 % 2][i % 4] = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) bias[i] = 0;
    unit = 1;
    grad_sum = 0;
    for (int i = threadIdx.x; i < m.outputs * W; i += BRANCH_THREADS) of_out()[i] = 0;
    for (int i = threadIdx.x; i < terms() * W; i += BRANCH_THREADS) of_level()[i] = 0;
  }

  // fetch begins to load a tile; commit stores what fetch left in registers.
  MEMBER void fetch(int first, const Stage& s) {
    const int chunks = M::PLANES * CHUNKS;  // of a row
    int chunk = threadIdx.x % chunks;
    const half *of_dz = hidden(layer), *of_x = hidden(layer - 1);
#pragma unroll
    for (int i = 0; i < R * chunks / BRANCH_THREADS; i++) {
      int row = threadIdx.x / chunks + i * (BRANCH_THREADS / chunks);
      int at = chunk / CHUNKS * PLANE + tile_at<W>(row, chunk % CHUNKS * M::CHUNK);
      bool there = first + row < end;
      size_t from = size_t(there ? first + row : first) * ROW + chunk * M::CHUNK;
      if (!linear()) cp_async16(s.dz + at, of_dz + from, there);
      if (!bottom) cp_async16(s.x + at, of_x + from, there);
    }
    if (SCALED && !top) next_unit = *unit_of(first);
    if (bottom && !(MLP && m.biased)) fetch_bases(first, s.bases);
    cp_async_commit();
    if (!MLP && top) load_grads(first);
    if (bottom) {
      int row = int(threadIdx.x) >> level_shift(), input = threadIdx.x & ((1 << level_shift()) - 1);
      next_level = 0;
      if (row < R && first + row < end && (!MLP || input < m.inputs)) {
        next_level = b.level[size_t(first) * m.inputs + (MLP ? row * m.inputs + input : int(threadIdx.x))];
      }
    }
  }

  // load_grads loads the output's gradients.
  MEMBER void load_grads(int first) {
#pragma unroll
    for (int i = 0; i < GRADS; i++) {
      int item = threadIdx.x + i * BRANCH_THREADS, row = item >> shift(), o = item & (eight() - 1);
      next_grad[i] = 0;
      if (row < R && first + row < end && o < m.outputs) {
        next_grad[i] = b.grad[size_t(first + row) * m.outputs + o];
      }
    }
  }

  // fetch_bases begins to load the base of a tile's first points.
  MEMBER void fetch_bases(int first, float* bases) const {
    int point = divide(first, by_levels()), last = divide(min(first + int(R), end) - 1, by_levels());
    int floats = min(last - point + 1, int(BASES)) * W;
    for (int i = threadIdx.x * 4; i < floats; i += BRANCH_THREADS * 4) cp_async16(bases + i, b.base + size_t(point) * W + i, true);
  }

  MEMBER void commit(int first, const Stage& s) {
    if (SCALED && !top) unit = next_unit;
    if (linear()) gather(0, linear_grads(first, s, 0));
    if (thin()) {
      if (MLP) load_grads(first);  // there are no registers to have them ahead
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
      int row = int(threadIdx.x) >> level_shift(), input = threadIdx.x & ((1 << level_shift()) - 1);
      if (row < R && (!MLP || input < m.inputs)) {
        set_slot<M>(s.levels + row * LEVEL_LD, input, next_level);
        s.rows[level_ld() * row + input] = next_level;
      }
      int within = first - int(divide(first, by_levels()) * by_levels().number);  // rows of the first point before the tile
      for (row = threadIdx.x; row < R; row += BRANCH_THREADS) {
        s.points[row] = first + row < end ? int(divide(within + row, by_levels())) : -1;
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

  // linear_grads stores a tile of the gradient of a result without ReLU, times a scale unless that is 0. It
  // is made of that of the mean over the rows of each function [Function, W], if b.mean, and b.more is added
  // to it unless that is null. The result is the largest number of those that the thread has read.
  MEMBER float linear_grads(int first, const Stage& s, float scale) const {
    int column = threadIdx.x % CHUNKS * M::CHUNK;
    Divisor each = divisor(run()->each);
    float large = 0;
#pragma unroll 1
    for (int row = threadIdx.x / CHUNKS; row < R; row += BRANCH_THREADS / CHUNKS) {
      size_t from = size_t(divide(min(first + row, end - 1), each)) * W + column;
      typename M::template Words<4> w;
#pragma unroll
      for (int i = 0; i < M::CHUNK / 2; i++) {
        float2 g = *reinterpret_cast<const float2*>(b.grad + from + 2 * i);
        if (b.more) g = make_float2(g.x + b.more[from + 2 * i], g.y + b.more[from + 2 * i + 1]);
        float share = first + row < end ? 1.0f / each.number : 0;
        g = make_float2(share * g.x, share * g.y);
        large = fmaxf(large, fmaxf(fabsf(g.x), fabsf(g.y)));
        M::put(w, i, scale * g.x, scale * g.y);
      }
      if (scale > 0) M::write(s.dz + tile_at<W>(row, column), PLANE, w);
    }
    return large;
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
    const float* base = b.base + size_t(divide(first, by_levels())) * W;
#pragma unroll 2
    for (int i = 0; i < R * CHUNKS / BRANCH_THREADS; i++) {
      int row = threadIdx.x / CHUNKS + i * (BRANCH_THREADS / CHUNKS), point = max(s.points[row], 0);
      const float* of_row = s.rows + level_ld() * row;
      const float* of_point = (point < BASES ? s.bases : base) + point * W;
      if (MLP && m.biased) of_point = v() + m.inputs * W;
      M::write(s.x + tile_at<W>(row, column), PLANE,
               first_chunk<M, W, MLP>(of_point, v(), *reinterpret_cast<const float2*>(of_row), of_row + 2, m.inputs, column));
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
      else if (at < end) M::write(hidden(layer - 1) + size_t(at) * ROW + part_column(), W, v);
    }
    if (SCALED && !bottom && threadIdx.x == 0) *unit_of(first) = unit;
  }

  // first_back computes the gradients of the level's weights, the base and the levels from that before the first ReLU.
  MEMBER void first_back(const Stage& s, int first) const {
    __syncthreads();
    thin_gradient<M, W, R>(of_level(), branch_terms(m), s.x, s.levels, LEVEL_LD, unit);
    if (MLP && m.biased) return;
    Points of = {first, min(first + int(R), end), by_levels(), s.points};
    point_sums<M, W, R>(b.grad_base, carry(), s.x, of, unit);
    if (MLP || !b.grad_level) return;
    const half* table = b.weights + stationary_tables<M, W>(m) + 2 * (eight() / 8) * Width<M, W>::TABLE;
    level_gradient<M, W, R>(b.grad_level, s.x, table, of, m.inputs, unit * M::HIDDEN);
  }

  // all_tiles takes the chunk's rows through the layer. With two stages, a tile is loaded while the
  // one before is computed.
  MEMBER void all_tiles() {
    __syncthreads();  // the layer before has read its weights and its last tile
    copy_async(weights(), b.weights + (2 * layer + 1) * Width<M, W>::MATRIX, Width<M, W>::HELD);
    fetch(this->first, stage(0));
    bool ahead = (MLP && R > 16) || b.stages > 1;  // an MLP's larger tiles have two stages on every GPU
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
        if (linear()) linear_grads(first, s, scale);
        else commit_grads(s, scale);
      }
      if (ahead && next < end) fetch(next, stage(number ^ 1));
      if (bottom) first_layer(first, s);
      if (bottom || (SCALED && top)) __syncthreads();
      if (thin()) output_back(s.dz, s);
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
      for (int i = threadIdx.x; i < branch_terms(m) * W; i += BRANCH_THREADS) vectors[i] = of_level()[i];
    }
    if (!thin()) return;
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

template <class M, int W, int R, int COLUMNS, bool MLP> DEVICE void stationary_backward(const Backward& b, Mlp m) {
  typedef Pass<M, W, R, COLUMNS, MLP> P;
  DYNAMIC_SHARED(memory);
  P p;
  p.b = b;
  p.m = m;
  p.begin(memory);
  for (int chunk = blockIdx.x; chunk < p.run()->chunks; chunk += gridDim.x) {
    for (int layer = m.depth - 2; layer >= 0; layer--) {
      p.enter(chunk, layer);
      p.all_tiles();
      p.leave(chunk);
    }
  }
}
