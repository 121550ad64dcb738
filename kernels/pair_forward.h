// The forward pass of the pair kernels. branch.h documents the arguments.
//
// A warpgroup takes 64 rows through all square layers: the sums of one product are the left operand of
// the next, in the same registers. All weights stay in shared memory. While one warpgroup applies a ReLU,
// the products of the two others run.
#pragma once
#include "pair_math.h"

struct PairForward {
  const Extents* e;
  const float *base, *level;
  const half* weights;
  const float* vectors;
  half* hidden;
  float* out;
  int chunks, keep;
};

// pair_first computes the first hidden layer of a thread's two rows as the left operand of a product.
template <int W>
DEVICE void pair_first(unsigned (&a)[W / 16][4], const PairForward& f, const float* v, const int (&row)[2], Divisor levels, int inputs) {
  int t2 = threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    float2 u = level_of_row(f.level, row[i], inputs);
    const float* base = f.base + size_t(divide(row[i], levels)) * W + t2;
#pragma unroll
    for (int c = 0; c < W / 8; c++) {
      float2 z = *reinterpret_cast<const float2*>(base + 8 * c), x = *reinterpret_cast<const float2*>(v + 8 * c + t2);
      z = make_float2(fmaf(u.x, x.x, z.x), fmaf(u.x, x.y, z.y));
      if (inputs > 1) {
        x = *reinterpret_cast<const float2*>(v + W + 8 * c + t2);
        z = make_float2(fmaf(u.y, x.x, z.x), fmaf(u.y, x.y, z.y));
      }
      a[c / 2][c % 2 * 2 + i] = pack_relu_half2(z.x, z.y);
    }
  }
}

// pair_output computes W_out·h + b of a warp's 16 rows.
template <int W>
DEVICE void pair_output(float* out, const unsigned (&a)[W / 16][4], const uint4* table, const float* bias, int outputs, int row, int end) {
  int lane = threadIdx.x % 32;
  for (int o = 0; o < outputs; o += 8) {
    float c[4] = {0, 0, 0, 0};
#pragma unroll
    for (int s = 0; s < W / 16; s++) thin_product(c, a[s], table[(o / 8 * (W / 16) + s) * 32 + lane]);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int at = row + i / 2 * 8, column = o + lane % 4 * 2 + i % 2;
      if (at < end && column < outputs) out[size_t(at) * outputs + column] = bias[column] + c[i];
    }
  }
}

// pair_keep writes 64 rows of a hidden layer, which a warpgroup has in its staging buffer, to half of an
// image.
template <int W> DEVICE void pair_keep(half* image, int part, unsigned stage) {
#pragma unroll
  for (int i = 0; i < W / 64; i++) {
    bulk_store(image + (i * Image<W>::TILE_HALF + part * Image<W>::TILE_HALF / 2) / 2, stage + i * Image<W>::TILE_HALF / 2, Image<W>::TILE_HALF / 2);
  }
}

template <int W> DEVICE void pair_forward(const PairForward& f, Mlp m) {
  typedef Image<W> I;
  DYNAMIC_SHARED(memory);
  int layers = m.depth - 1, group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  unsigned weights = (shared_address(memory) + 1023) & ~1023u, stage = weights + layers * I::WEIGHT + group * I::TILE / 2;
  unsigned full = weights + layers * I::WEIGHT + PAIR_GROUPS * I::TILE / 2;
  uint4* table = reinterpret_cast<uint4*>(memory + (full + 16 - shared_address(memory)));
  int eights = (m.outputs + 7) / 8;
  float *vectors = reinterpret_cast<float*>(table + eights * 2 * W), *bias_out = vectors + branch_outputs(m);
  if (threadIdx.x == 0) {
    mbarrier_init(full);
    mbarrier_expect(full, layers * I::WEIGHT);
    for (int l = 0; l < layers; l++) bulk_load(weights + l * I::WEIGHT, f.weights + l * W * W, I::WEIGHT, full);
  }
  for (int i = threadIdx.x; i < eights * 2 * W; i += PAIR_FORWARD_THREADS) table[i] = thin_table<W>(f.weights, m, 0)[i];
  for (int i = threadIdx.x; i < branch_outputs(m); i += PAIR_FORWARD_THREADS) vectors[i] = f.vectors[i];
  if (int(threadIdx.x) < m.outputs) bias_out[threadIdx.x] = f.vectors[branch_outputs(m) + m.outputs * W + threadIdx.x];
  __syncthreads();
  mbarrier_wait(full, 0);

  Divisor levels = divisor(f.e->levels);
  int each = 2 * chunk_tiles(f.e, f.chunks), units = chunks_used(f.e, f.chunks) * each;
  Place at = place(16 * warp, lane);
  for (int unit = blockIdx.x * PAIR_GROUPS + group; unit < units; unit += gridDim.x * PAIR_GROUPS) {
    int chunk = unit / each, tile = unit % each / 2, part = unit % 2;
    ChunkRows r = chunk_rows(f.e, f.chunks, chunk);
    if (tile >= r.tiles) continue;
    int first = r.first + tile * PAIR_ROWS + part * 64 + warp * 16 + lane / 4;
    const int row[2] = {min(first, r.end - 1), min(first + 8, r.end - 1)};
    unsigned a[I::STEPS][4];
    pair_first<W>(a, f, vectors, row, levels, m.inputs);
#pragma unroll 1
    for (int l = 0; l < layers; l++) {
      float d[I::SUMS];
      wgmma_fence();
#pragma unroll
      for (int s = 0; s < I::STEPS; s++) wgmma_f16_rows<0>(d, a[s], along(weights + l * I::WEIGHT, I::WEIGHT_HALF, s), s > 0);
      wgmma_commit();
      wgmma_wait<0>(d);
      int slot = f.keep ? pair_slot(m, l) : -1;
      if (slot >= 0) {
        if (threadIdx.x % 128 == 0) bulk_store_read();  // the rows before have left the staging buffer
        barrier_sync(1 + group, 128);
      }
      const float* bias = vectors + branch_biases(m) + l * W + lane % 4 * 2;
#pragma unroll
      for (int s = 0; s < I::STEPS; s++) {
        rectify(a[s], d, bias, s);
        if (slot >= 0) stmatrix_x4(step_at(stage, at, s, I::TILE_HALF / 2), a[s]);
      }
      if (slot < 0) continue;
      fence_async();
      barrier_sync(1 + group, 128);
      if (threadIdx.x % 128 == 0) {
        size_t image = (size_t(slot) * f.chunks + chunk) * (each / 2) + tile;
        pair_keep<W>(f.hidden + image * PAIR_ROWS * W, part, stage);
      }
    }
    pair_output<W>(f.out, a, table, bias_out, m.outputs, first, r.end);
  }
  bulk_store_end();
}
