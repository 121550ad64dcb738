// The backward pass of the pair kernels. branch.h documents the arguments.
//
// Passes of two layers follow each other from the top, each a kernel: ptxas spills registers if one kernel
// has all passes. A pass reads h_k and dz_{k+2}, computes h_{k+1} again, and writes dz_k over h_k; dW of
// both layers stays in registers for all rows of a chunk. The top pass has no dz to read: it computes h_D again and makes dz_D of the output's
// gradient. The bottom pass computes h_1 from base and level, and dz_1 stays in shared memory. If the
// number of layers is odd, the bottom pass has one.
//
// Of two warpgroups, each has 64 rows of a tile for results. dW at W = 128: each has 64 rows of it, which
// are a column half of dz. At W = 64: each sums over its own rows of a tile.
#pragma once
#include "pair_math.h"

// PairMemory is a block's shared memory, and the phases of its mbarriers.
template <int W> struct PairMemory {
  typedef Image<W> I;
  enum {
    LEVEL_LD = 24,
    BASES = 4,  // points whose base is in shared memory: all of a tile, with 43 levels or more
  };
  unsigned images;          // address of W_a, W_b, then the tiles
  unsigned char* aligned;   // the same as a pointer
  unsigned char* extras;
  unsigned weights_phase, hidden_phase, gradient_phase;

  MEMBER void begin(unsigned char* memory) {
    images = (shared_address(memory) + 1023) & ~1023u;
    aligned = memory + (images - shared_address(memory));
    extras = aligned + 2 * I::WEIGHT + 4 * I::TILE;
    weights_phase = hidden_phase = gradient_phase = 0;
    if (threadIdx.x == 0) {
      for (int i = 0; i < 3; i++) mbarrier_init(full(i));
    }
    if (threadIdx.x < 128) ones()[threadIdx.x] = __float2half_rn(1);
    for (int i = threadIdx.x; i < PAIR_ROWS * LEVEL_LD; i += BRANCH_THREADS) levels()[i] = __float2half_rn(0);
    for (int i = threadIdx.x; i < 2 * PAIR_ROWS; i += BRANCH_THREADS) rows()[i] = 0;
  }
  MEMBER unsigned weights(int number) const { return images + number * I::WEIGHT; }
  MEMBER unsigned tile(int number) const { return images + 2 * I::WEIGHT + number * I::TILE; }
  MEMBER half* elements(unsigned tile) const { return reinterpret_cast<half*>(aligned + (tile - images)); }
  MEMBER unsigned full(int number) const { return shared_address(extras) + 8 * number; }  // of weights, hidden values, gradients
  MEMBER half* ones() const { return reinterpret_cast<half*>(extras + 32); }              // [8, 16], before the first fence_async
  MEMBER float* biases() const { return reinterpret_cast<float*>(extras + 288); }         // [2, W]
  MEMBER float* scratch() const { return biases() + 2 * W; }                              // [8, 16]
  // For the first layer: see Pass in stationary_backward.h.
  MEMBER float* v() const { return scratch() + 128; }
  MEMBER float* of_level() const { return v() + 2 * W; }
  MEMBER float* carry() const { return of_level() + 2 * W; }
  MEMBER float* bases() const { return carry() + W; }
  MEMBER float* rows() const { return bases() + BASES * W; }
  MEMBER int* points() const { return reinterpret_cast<int*>(rows() + 2 * PAIR_ROWS); }
  MEMBER half* levels() const { return reinterpret_cast<half*>(points() + PAIR_ROWS); }
  // For the output: its gradients [PAIR_ROWS, grad_ld], and the sums over the chunk's rows [outputs, W].
  MEMBER half* grads() const { return levels() + PAIR_ROWS * LEVEL_LD; }
  MEMBER float* of_out(int grad_ld) const { return reinterpret_cast<float*>(grads() + PAIR_ROWS * grad_ld); }
};

// PairPass is a block's work on one or, with PAIR, two square layers of a chunk. The lower one is
// `layer`; it maps h_k to h_{k+1}.
template <int W, bool PAIR, bool TOP, bool BOTTOM> struct PairPass {
  typedef Image<W> I;
  typedef PairMemory<W> Memory;
  enum { GRADS = PAIR_ROWS * 16 / BRANCH_THREADS };

  const Backward& b;
  Mlp m;
  Memory& s;
  int layer, chunk;
  ChunkRows of;
  Divisor by_levels;
  int group, lane;
  Place at;
  unsigned h, dz, x, y;  // tiles: h_k; dz_{k+2}, before it h_{k+2} if TOP; h_{k+1}, later dz_k; dz_{k+1}
  float d[I::SUMS], dwa[I::SUMS], dwb[PAIR ? I::SUMS : 1], dba[4], dbb[4];
  float grad_sum, next_level;
  float4 next_base;

  MEMBER PairPass(const Backward& b, Mlp m, Memory& s, int chunk, int layer) : b(b), m(m), s(s), layer(layer), chunk(chunk) {
    of = chunk_rows(b.e, b.chunks, chunk);
    by_levels = divisor(b.e->levels);
    group = threadIdx.x / 128;
    lane = threadIdx.x % 32;
    at = place(threadIdx.x / 32 * 16, lane);
    h = s.tile(0);
    dz = s.tile(1);
    x = s.tile(2);
    y = s.tile(3);
#pragma unroll
    for (int i = 0; i < I::SUMS; i++) {
      dwa[i] = 0;
      if (PAIR) dwb[i] = 0;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) dba[i] = dbb[i] = 0;
    grad_sum = 0;
  }

  MEMBER int eight() const { return m.outputs > 8 ? 16 : 8; }
  MEMBER int shift() const { return m.outputs > 8 ? 4 : 3; }
  MEMBER int grad_ld() const { return 2 * eight() + 8; }
  MEMBER int first_of(int tile) const { return of.first + tile * PAIR_ROWS; }

  // image returns a tile's image of the input of a pass; the lower layer's number says which.
  MEMBER half* image(int layer, int tile) const {
    size_t number = (size_t(pair_slot(m, layer - 1)) * b.chunks + chunk) * chunk_tiles(b.e, b.chunks) + tile;
    return b.hidden + number * PAIR_ROWS * W;
  }
  // load begins to copy a tile. One thread calls it.
  MEMBER void load(unsigned to, int layer, int tile, int barrier) const {
    if (tile >= of.tiles) return;
    mbarrier_expect(s.full(barrier), I::TILE);
    bulk_load(to, image(layer, tile), I::TILE, s.full(barrier));
  }

  // begin loads the weights and the first tile.
  MEMBER void begin() {
    if (W == 64) fence_async();  // write_sums of the chunk before has written to a tile that is loaded now
    __syncthreads();             // it has read all of shared memory
    if (threadIdx.x == 0) {
      mbarrier_expect(s.full(0), (PAIR ? 2 : 1) * I::WEIGHT);
      bulk_load(s.weights(0), b.weights + layer * W * W, (PAIR ? 2 : 1) * I::WEIGHT, s.full(0));
      if (!BOTTOM) load(h, layer, 0, 1);
      if (!TOP) load(PAIR ? dz : y, layer + (PAIR ? 2 : 1), 0, 2);
    }
    for (int i = threadIdx.x; i < 2 * W; i += BRANCH_THREADS) {
      s.biases()[i] = layer + i / W < m.depth - 1 ? b.vectors[branch_biases(m) + layer * W + i] : 0;
    }
    if (TOP) {
      for (int i = threadIdx.x; i < m.outputs * W; i += BRANCH_THREADS) s.of_out(grad_ld())[i] = 0;
    }
    if (BOTTOM) {
      for (int i = threadIdx.x; i < m.inputs * W; i += BRANCH_THREADS) {
        s.v()[i] = b.vectors[i];
        s.of_level()[i] = 0;
      }
      fetch_first(0);
    }
    mbarrier_wait(s.full(0), s.weights_phase);
    s.weights_phase ^= 1;
    __syncthreads();
  }

  // ---- the first layer

  // fetch_first reads a tile's levels and base into registers.
  MEMBER void fetch_first(int tile) {
    int first = first_of(tile), row = int(threadIdx.x) >> (m.inputs - 1);
    next_level = 0;
    next_base = make_float4(0, 0, 0, 0);
    if (first >= of.end) return;
    if (row < PAIR_ROWS && first + row < of.end) next_level = b.level[size_t(first) * m.inputs + threadIdx.x];
    int point = divide(first, by_levels), last = divide(min(first + int(PAIR_ROWS), of.end) - 1, by_levels);
    if (int(threadIdx.x) * 4 < min(last - point + 1, int(Memory::BASES)) * W) {
      next_base = *reinterpret_cast<const float4*>(b.base + size_t(point) * W + threadIdx.x * 4);
    }
  }

  // first_layer stores what fetch_first has read, and computes a tile of the first hidden layer.
  MEMBER void first_layer(int tile) {
    int first = first_of(tile), row = int(threadIdx.x) >> (m.inputs - 1), input = threadIdx.x & (m.inputs - 1);
    __syncthreads();  // first_back has read the tables
    if (row < PAIR_ROWS) {
      set_slot<Halves>(s.levels() + row * Memory::LEVEL_LD, input, next_level);
      s.rows()[2 * row + input] = next_level;
    }
    if (threadIdx.x * 4 < Memory::BASES * W) *reinterpret_cast<float4*>(s.bases() + threadIdx.x * 4) = next_base;
    int point = divide(first, by_levels), within = first - point * int(by_levels.number);  // rows of its first point before the tile
    if (threadIdx.x < PAIR_ROWS) {
      s.points()[threadIdx.x] = first + int(threadIdx.x) < of.end ? int(divide(within + threadIdx.x, by_levels)) : -1;
    }
    __syncthreads();
    int last = divide(min(first + int(PAIR_ROWS), of.end) - 1, by_levels);
    if (last - point < Memory::BASES) first_rows(s.bases());  // apart, so that the compiler knows what it reads
    else first_rows(b.base + size_t(point) * W);
    fence_async();
    __syncthreads();
  }

  // first_rows computes a tile of the first hidden layer of the base of the tile's points. A thread has
  // every STRIDE-th row, a multiple of 8, so the order of its chunks is always the same.
  MEMBER void first_rows(const float* base) {
    enum { STRIDE = BRANCH_THREADS / (W / 8) };
    int column = threadIdx.x % (W / 8) * 8;
    half* to = s.elements(h) + image_at(PAIR_ROWS, threadIdx.x / (W / 8), column);
#pragma unroll 4
    for (int row = threadIdx.x / (W / 8); row < PAIR_ROWS; row += STRIDE, to += STRIDE * 64) {
      float2 u = *reinterpret_cast<const float2*>(s.rows() + 2 * row);
      Halves::write(to, 0, first_chunk<Halves, W, false>(base + max(s.points()[row], 0) * W, s.v(), u, nullptr, m.inputs, column));
    }
  }

  // first_back computes, from dz_1 in x, the gradients of the level's weights, of the base and of the
  // levels.
  MEMBER void first_back(int tile) {
    int first = first_of(tile);
    const half* of_x = s.elements(x);
    Points p = {first, min(first + int(PAIR_ROWS), of.end), by_levels, s.points()};
    thin_gradient<Tiles, W, PAIR_ROWS>(s.of_level(), m.inputs, of_x, s.levels(), Memory::LEVEL_LD, 1);
    point_sums<Tiles, W, PAIR_ROWS>(b.grad_base, s.carry(), of_x, p, 1);
    if (!b.grad_level) return;
    const uint4* table = thin_table<W>(b.weights, m, 2 * (eight() / 8)) + lane;
    float c[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < I::STEPS; i++) {
      unsigned a[4];
      ldmatrix_x4_at(a, step_at(x, at, i, I::TILE_HALF));
      thin_product(c, a, table[i * 32]);
    }
    for (int i = 0; i < 4; i++) {
      int row = first + threadIdx.x / 32 * 16 + lane / 4 + i / 2 * 8, input = lane % 4 * 2 + i % 2;
      if (row < of.end && input < m.inputs) b.grad_level[size_t(row) * m.inputs + input] = c[i];
    }
  }

  // ---- the output

  // read_grads reads a tile's gradients of the output, and write_grads stores them in their table.
  MEMBER void read_grads(float (&g)[GRADS], int tile) const {
    int first = first_of(tile), o = threadIdx.x & (eight() - 1);
#pragma unroll
    for (int i = 0; i < GRADS; i++) {
      int row = int(threadIdx.x + i * BRANCH_THREADS) >> shift();
      g[i] = row < PAIR_ROWS && first + row < of.end && o < m.outputs ? b.grad[size_t(first + row) * m.outputs + o] : 0;
    }
  }
  MEMBER void write_grads(const float (&g)[GRADS]) {
    int o = threadIdx.x & (eight() - 1);
#pragma unroll
    for (int i = 0; i < GRADS; i++) {
      int row = int(threadIdx.x + i * BRANCH_THREADS) >> shift();
      if (row < PAIR_ROWS) set_slot<Halves>(s.grads() + row * grad_ld(), o, g[i]);
      grad_sum += g[i];
    }
  }

  // output_back replaces h_D in a tile by dz_D, and adds to the gradient of the output's weights.
  MEMBER void output_back(unsigned tile) {
    const half* of_tile = s.elements(tile);
    __syncthreads();
    for (int o = 0; o < m.outputs; o += 8) {
      thin_gradient<Tiles, W, PAIR_ROWS>(s.of_out(grad_ld()) + o * W, min(m.outputs - o, 8), of_tile, s.grads() + 2 * o, grad_ld(), 1);
    }
    __syncthreads();
    int eights = eight() / 8;
    const half* grads = s.grads() + (threadIdx.x / 32 * 16 + (lane & 15)) * grad_ld() + (lane >> 4) * 8;
    const uint4* table = thin_table<W>(b.weights, m, eights) + lane;
#pragma unroll
    for (int i = 0; i < I::STEPS; i++) {
      Halves::Sum c[2] = {};
      for (int e = 0; e < eights; e++) {
        unsigned a[4];
        ldmatrix_x4(a, grads + 16 * e);
        Halves::outer(c, a, table[(e * I::STEPS + i) * 32]);
      }
      unsigned mask[4], v[4];
      ldmatrix_x4_at(mask, step_at(tile, at, i, I::TILE_HALF));
#pragma unroll
      for (int q = 0; q < 4; q++) v[q] = pack_half2(c[q / 2].c[0][q % 2 * 2], c[q / 2].c[0][q % 2 * 2 + 1]) & positive_halves(mask[q]);
      stmatrix_x4(step_at(tile, at, i, I::TILE_HALF), v);
    }
    fence_async();
    __syncthreads();
  }

  // ---- the square layers

  // forward_layer computes relu(from·Wᵀ + b) of a tile into `to`.
  MEMBER void forward_layer(unsigned from, int number, unsigned to) {
    unsigned w = s.weights(number), own = from + group * (I::TILE_HALF / 2);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < I::STEPS; i++) wgmma_f16<0, 0>(d, along(own, I::TILE_HALF, i), along(w, I::WEIGHT_HALF, i), i > 0);
    wgmma_commit();
    wgmma_wait<0>(d);
    const float* bias = s.biases() + number * W + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < I::STEPS; i++) {
      unsigned v[4];
      rectify(v, d, bias, i);
      stmatrix_x4(step_at(to, at, i, I::TILE_HALF), v);
    }
  }

  // backward_layer computes dz·W where the tile `in` is not 0 into `to`, and adds dzᵀ·in to dw and the
  // sums of dz's columns to db. `to` is none of the tiles that it reads, since the second product may still
  // read them when the first is stored. dz beyond the range of halves is an infinity, which the check of the
  // gradients finds and halves the loss scale for.
  MEMBER void backward_layer(unsigned dz, int number, unsigned in, unsigned to, float (&dw)[I::SUMS], float (&db)[4]) {
    unsigned w = s.weights(number), own = dz + group * (I::TILE_HALF / 2);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < I::STEPS; i++) wgmma_f16<0, 1>(d, along(own, I::TILE_HALF, i), down(w, I::WEIGHT_HALF, i), i > 0);
    wgmma_commit();
    uint64_t one = (shared_address(s.ones()) & 0x3ffff) >> 4 | 8ull << 16 | 8ull << 32;
#pragma unroll
    for (int i = 0; i < PAIR_ROWS / 16 / (W == 64 ? 2 : 1); i++) {
      // W = 128: columns of this group, all rows. W = 64: all columns, rows of this group.
      int step = W == 64 ? group * 4 + i : i;
      uint64_t left = down(dz + (W == 64 ? 0 : group * I::TILE_HALF), I::TILE_HALF, step);
      wgmma_f16<1, 1>(dw, left, down(in, I::TILE_HALF, step), 1);
      wgmma_f16<1, 0>(db, left, one, 1);
    }
    wgmma_commit();
    wgmma_wait<1>(d);
#pragma unroll
    for (int i = 0; i < I::STEPS; i++) {
      unsigned mask[4], v[4];
      ldmatrix_x4_at(mask, step_at(in, at, i, I::TILE_HALF));
#pragma unroll
      for (int q = 0; q < 4; q++) v[q] = pack_half2(d[8 * i + 2 * q], d[8 * i + 2 * q + 1]) & positive_halves(mask[q]);
      stmatrix_x4(step_at(to, at, i, I::TILE_HALF), v);
    }
    fence_async();
    wgmma_wait<0>(dw);
  }

  MEMBER void wait(int barrier, unsigned& phase) {
    mbarrier_wait(s.full(barrier), phase);
    phase ^= 1;
  }

  MEMBER void one_tile(int tile) {
    float grads[GRADS];
    if (TOP && !BOTTOM) read_grads(grads, tile);  // early, since they come from far, where there are registers
    if (BOTTOM) {
      first_layer(tile);
    } else {
      wait(1, s.hidden_phase);
    }
    if (TOP && BOTTOM) read_grads(grads, tile);
    if (TOP) write_grads(grads);
    // 1. Compute the hidden layers above h_k again.
    if (PAIR || TOP) {
      if (threadIdx.x == 0) bulk_store_read();  // dz_k of the tile before has left x
      __syncthreads();
      forward_layer(h, 0, PAIR ? x : y);
      if (PAIR) {
        fence_async();
        __syncthreads();
      }
      if (PAIR && TOP) forward_layer(x, 1, dz);
      if (TOP) output_back(PAIR ? dz : y);
    }
    if (!TOP) wait(2, s.gradient_phase);
    // 2. dz_{k+1} and dW of the upper layer.
    if constexpr (PAIR) {
      backward_layer(dz, 1, x, y, dwb, dbb);
      __syncthreads();
      // dz is free: it gets dz_{k+2} of the next tile, or, at the top, its h_k.
      if (threadIdx.x == 0 && !TOP) load(dz, layer + 2, tile + 1, 2);
      if (threadIdx.x == 0 && TOP && !BOTTOM) load(dz, layer, tile + 1, 1);
    } else if (!TOP) {
      if (threadIdx.x == 0) bulk_store_read();
      __syncthreads();
    }
    // 3. dz_k and dW of the lower layer.
    if (BOTTOM) fetch_first(tile + 1);
    backward_layer(y, 0, h, x, dwa, dba);
    __syncthreads();
    if (BOTTOM) first_back(tile);
    if (threadIdx.x == 0) {
      if (!BOTTOM) bulk_store(image(layer, tile), x, I::TILE);
      if (!BOTTOM && !(PAIR && TOP)) load(h, layer, tile + 1, 1);
      if (!PAIR && !TOP) load(y, layer + 1, tile + 1, 2);
    }
    if (PAIR && TOP && !BOTTOM) {
      unsigned next = dz;
      dz = h;
      h = next;
    }
  }

  // ---- the chunk's sums

  // write_sums writes dW of a layer to the chunk's part of partials.
  MEMBER void write_sums(float* sums, float* bias, const float (&dw)[I::SUMS], const float (&db)[4]) {
    int warp = threadIdx.x / 32 % 4, row = (W == 64 ? 0 : 64 * group) + 16 * warp;
    float4* other = reinterpret_cast<float4*>(s.elements(s.tile(0)));  // at W = 64: of the second group
    float* other_bias = s.scratch();
    if (W == 64) {
      __syncthreads();
      if (group == 1) {
#pragma unroll
        for (int j = 0; j < W / 8; j++) other[j * 128 + threadIdx.x % 128] = make_float4(dw[4 * j], dw[4 * j + 1], dw[4 * j + 2], dw[4 * j + 3]);
        if (lane % 4 == 0) {
          other_bias[row + lane / 4] = db[0];
          other_bias[row + lane / 4 + 8] = db[2];
        }
      }
      __syncthreads();
      if (group == 1) return;
    }
#pragma unroll
    for (int j = 0; j < W / 8; j++) {
      float4 v = make_float4(dw[4 * j], dw[4 * j + 1], dw[4 * j + 2], dw[4 * j + 3]);
      if (W == 64) {
        float4 o = other[j * 128 + threadIdx.x];
        v = make_float4(v.x + o.x, v.y + o.y, v.z + o.z, v.w + o.w);
      }
      *fragment_sums(sums, row, j / 2 * 16, j % 2, W, lane) = v;
    }
    if (lane % 4 == 0) {
      bias[row + lane / 4] = db[0] + (W == 64 ? other_bias[row + lane / 4] : 0);
      bias[row + lane / 4 + 8] = db[2] + (W == 64 ? other_bias[row + lane / 4 + 8] : 0);
    }
  }

  MEMBER void end() {
    float *sums = b.partials + size_t(chunk) * branch_sums(m), *vectors = sums + branch_weights(m), *biases = vectors + branch_biases(m);
    write_sums(sums + layer * W * W, biases + layer * W, dwa, dba);
    if constexpr (PAIR) write_sums(sums + (layer + 1) * W * W, biases + (layer + 1) * W, dwb, dbb);
    __syncthreads();
    if (BOTTOM) {
      for (int i = threadIdx.x; i < m.inputs * W; i += BRANCH_THREADS) vectors[i] = s.of_level()[i];
    }
    if (!TOP) return;
    float* out = vectors + branch_outputs(m);
    for (int i = threadIdx.x; i < m.outputs * W; i += BRANCH_THREADS) out[i] = s.of_out(grad_ld())[i];
    for (int apart = 16; apart >= eight(); apart /= 2) grad_sum += __shfl_xor_sync(~0u, grad_sum, apart);
    if (lane < eight()) s.scratch()[threadIdx.x / 32 * 16 + lane] = grad_sum;
    __syncthreads();
    if (int(threadIdx.x) < m.outputs) {
      float sum = 0;
      for (int w = 0; w < BRANCH_WARPS; w++) sum += s.scratch()[w * 16 + threadIdx.x];
      out[m.outputs * W + threadIdx.x] = sum;
    }
  }

  MEMBER void run() {
    begin();
#pragma unroll 1
    for (int tile = 0; tile < of.tiles; tile++) one_tile(tile);
    end();
  }
};

// pair_backward takes all chunks through a pass whose lower layer is `layer`.
template <int W, bool PAIR, bool TOP, bool BOTTOM> DEVICE void pair_backward(const Backward& b, Mlp m, int layer) {
  DYNAMIC_SHARED(memory);
  PairMemory<W> s;
  s.begin(memory);
  int used = chunks_used(b.e, b.chunks);
  for (int chunk = blockIdx.x; chunk < used; chunk += gridDim.x) {
    PairPass<W, PAIR, TOP, BOTTOM> p(b, m, s, chunk, layer);
    p.run();
  }
  bulk_store_end();
}
