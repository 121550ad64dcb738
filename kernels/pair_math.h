// What the pair kernels (branch_f16_pairs.cu) have in common: images of matrices, and the products of a
// warpgroup with them. A pair kernel takes the rows of the branch through two square layers at a time.
//
// IMAGE. A matrix [rows, W] of halves lies in shared and in device memory as W / 64 column halves
// [rows, 64]. A row of a half has 128 bytes, whose 16-byte chunks change places: chunk c of row r is at
// c ^ (r % 8). That is the 128-byte swizzle of wgmma for an address divisible by 1024, so one bulk copy
// moves an image, and no tensor map is needed. A tile of rows has PAIR_ROWS rows; an image of a layer's
// weights is that of W [W, W].
//
// DESCRIPTORS (PTX ISA, matrix descriptors of wgmma; with this swizzle and halves):
//
//   along  the 16 of a product run along a row: 1024 bytes from 8 rows to the next 8. Step s of 16
//          columns is 32 bytes further, or one column half.
//   down   the 16 are rows: 1024 bytes from 8 of them to the next 8, and a column half from 64 columns
//          to the next 64. Step s of 16 rows is 2048 bytes further.
//
// So one image of W serves h·Wᵀ (along) and dz·W (down), and the images of dz and h serve dzᵀ·h (both
// down).
//
// CHUNKS. A block takes whole chunks (branch.h), and a chunk has its own tiles, so the last tile of a
// chunk may have rows that do not exist. They get the level 0 and the base of the last row, so that
// nothing in them is NaN, and gradients of 0. Chunk c has the images c·T to c·T + T − 1 of a hidden
// layer, with T = chunk_tiles.
#pragma once
#include "hopper.h"
#include "stationary_thin.h"

enum { PAIR_ROWS = 128, PAIR_GROUPS = 3, PAIR_FORWARD_THREADS = 128 * PAIR_GROUPS };

// Image has the sizes of images with W columns.
template <int W> struct Image {
  enum {
    STEPS = W / 16,              // products along a row
    SUMS = W / 2,                // of a thread, [64, W] of a warpgroup
    WEIGHT_HALF = 2 * W * 64,    // bytes of a column half
    WEIGHT = 2 * W * W,          // bytes of a layer's weights
    TILE_HALF = 2 * PAIR_ROWS * 64,
    TILE = 2 * PAIR_ROWS * W,
  };
};

DEVICE uint64_t matrix(unsigned address, int between_halves) {
  return (address & 0x3ffff) >> 4 | uint64_t(between_halves >> 4) << 16 | uint64_t(1024 >> 4) << 32 | 1ull << 62;
}
DEVICE uint64_t along(unsigned image, int half_bytes, int step) { return matrix(image + step / 4 * half_bytes + step % 4 * 32, 16); }
DEVICE uint64_t down(unsigned image, int half_bytes, int step) { return matrix(image + step * 2048, half_bytes); }

// image_at returns the place of element (row, column) in an image of `rows` rows.
DEVICE int image_at(int rows, int row, int column) {
  return column / 64 * rows * 64 + row * 64 + ((column % 64 / 8) ^ (row % 8)) * 8 + column % 8;
}

// Place is where a lane's stmatrix and ldmatrix find a warp's 16 rows from `row` on: of step s, matrices
// 0 and 1 are rows 0 to 7 and 8 to 15 of chunk 2s, matrices 2 and 3 of chunk 2s + 1. In this order the
// four registers are the sums 8s to 8s + 7 of a thread, and the left operand of a product.
struct Place { unsigned row, twist; };
DEVICE Place place(int row, int lane) {
  Place p = {unsigned(row + lane % 16) * 128, unsigned((lane >> 4) ^ (lane & 7)) << 4};
  return p;
}
DEVICE unsigned step_at(unsigned image, Place p, int s, int half_bytes) { return image + s / 4 * half_bytes + p.row + ((s % 4 << 5) ^ p.twist); }

// rectify rounds the sums 8s to 8s + 7 after adding a bias and applying the ReLU. bias has that of
// column 2t.
template <int N> DEVICE void rectify(unsigned (&h)[4], const float (&d)[N], const float* bias, int s) {
  float2 p = *reinterpret_cast<const float2*>(bias + 16 * s), q = *reinterpret_cast<const float2*>(bias + 16 * s + 8);
  h[0] = pack_relu_half2(d[8 * s] + p.x, d[8 * s + 1] + p.y);
  h[1] = pack_relu_half2(d[8 * s + 2] + p.x, d[8 * s + 3] + p.y);
  h[2] = pack_relu_half2(d[8 * s + 4] + q.x, d[8 * s + 5] + q.y);
  h[3] = pack_relu_half2(d[8 * s + 6] + q.x, d[8 * s + 7] + q.y);
}

// Thin products have 8 columns, in tables of 8·W words: for step s and lane, four words of the right
// operands of two products, of the numbers' high and of their low parts.
//
//   by rows     numbers 8e + g: high and low of columns 16s + 2t, + 1; and of 16s + 8 + 2t, + 1
//   by columns  numbers 8e + 2t, + 1 of column 16s + g: high and low; of column 16s + 8 + g: high and low
//
// The tables follow the images of the weights: W_out by rows and by columns, for each 8 outputs, and v
// by rows.
template <int W> DEVICE int pair_tables(Mlp m) { return (m.depth - 1) * W * W; }
template <int W> DEVICE const uint4* thin_table(const half* weights, Mlp m, int number) {
  return reinterpret_cast<const uint4*>(weights + pair_tables<W>(m) + number * 16 * W);
}
DEVICE void thin_product(float (&c)[4], const unsigned (&a)[4], uint4 b) {
  const unsigned high[2] = {b.x, b.z}, low[2] = {b.y, b.w};
  mma_f16(c, a, high);
  mma_f16(c, a, low);
}

// Tiles are Halves whose tiles are images.
struct Tiles : Halves {
  template <int W, int R> DEVICE Words<4> right(const half* tile, int row, int column, int lane) {
    Words<4> b;
    ldmatrix_x4_trans(b.x[0], tile + image_at(R, row + (lane & 15), column + (lane >> 4) * 8));
    return b;
  }
};

// ChunkRows are the rows of a chunk.
struct ChunkRows { int first, end, tiles; };

DEVICE int chunk_tiles(const Extents* e, int chunks) { return (chunk_points(e, chunks) * e->levels + PAIR_ROWS - 1) / PAIR_ROWS; }
DEVICE ChunkRows chunk_rows(const Extents* e, int chunks, int chunk) {
  int each = chunk_points(e, chunks), points = e->functions * e->points;
  ChunkRows r = {min(chunk * each, points) * e->levels, min((chunk + 1) * each, points) * e->levels, 0};
  r.tiles = (r.end - r.first + PAIR_ROWS - 1) / PAIR_ROWS;
  return r;
}

// pair_slot returns which image of a row's hidden layers is that of the result of square layer l, −1 for
// one that is computed again: kept are the inputs of all pairs, the top one first, but of the last.
DEVICE int pair_slot(Mlp m, int l) {
  int above = m.depth - 2 - l;
  return above > 0 && above % 2 == 0 ? above / 2 - 1 : -1;
}

// pair_pack copies the parameters from the flat vector to images, tables and vectors.
template <int W> DEVICE void pair_pack(const float* flat, const int* layout, half* weights, float* vectors, Mlp m) {
  int images = pair_tables<W>(m), eights = (m.outputs + 7) / 8, n = images + (2 * eights + 1) * 16 * W;
  for (int i = thread(); i < images; i += threads()) {
    int row = i % (W * W) / W, column = i % W;
    weights[i / (W * W) * W * W + image_at(W, row, column)] = __float2half_rn(flat[weight_at(layout, i / (W * W), row * W + column)]);
  }
  for (int i = images + thread(); i < n; i += threads()) {
    int at = i - images, table = at / (16 * W), word = at / 2 % 4, lane = at / 8 % 32, s = at / 256 % (W / 16);
    int g = lane / 4, t = lane % 4, number, column;
    bool columns = table >= eights && table < 2 * eights, of_level = table == 2 * eights;
    if (columns) {
      number = (table - eights) * 8 + 2 * t + at % 2;
      column = 16 * s + word / 2 * 8 + g;
    } else {
      number = (of_level ? 0 : table * 8) + g;
      column = 16 * s + word / 2 * 8 + 2 * t + at % 2;
    }
    float x = 0;
    if (of_level ? number < m.inputs : number < m.outputs) {
      x = flat[vector_at(layout, m, (of_level ? 0 : branch_outputs(m)) + number * W + column)];
    }
    Split s2 = split<Halves>(x);
    weights[i] = word % 2 ? s2.low : s2.high;
  }
  for (int i = thread(); i < branch_vectors(m); i += threads()) vectors[i] = flat[vector_at(layout, m, i)];
}
