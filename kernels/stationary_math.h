// The precisions of the weight-stationary branch's products, with one interface, and the layout of
// its operands.
//
// A group is 64 bytes of a row: GROUP elements, 16 bytes in each of four neighbouring lanes. The
// matrix unit adds over k in any order, and a product's columns may come in any order, so both are
// taken in the order that keeps a lane's elements together. With g = lane/4 and t = lane%4, lane
// (g, t) holds of group q
//
//   columns GROUP·q + CHUNK·t to … + CHUNK − 1 of rows g and g + 8
//
// as a left operand, as a result, and as it reads and writes memory. So the result of one product
// is the left operand of the next, in the same registers. The right operand of a product with W has
// TILES tiles of 8 columns for a group. Lane (g, t) holds, for tile j of group n and group q of k,
// the 16 bytes
//
//   W[GROUP·n + CHUNK·(g/2) + 2j + g%2][GROUP·q + CHUNK·t …]
//
// Weights lie in memory in the order [n][j][q][lane], so a warp reads 512 contiguous bytes.
//
// A precision has
//
//   element           type of activations and weights
//   CHUNK             elements in 16 bytes
//   STEP              rows that one product over rows adds
//   multiply          c += left · right over a group; upper and lower hold rows g and g + 8
//   joined, rectified a group of a row of results, rounded; rectified applies a ReLU before
//   masked            v where h, the result of a ReLU, is not 0, otherwise 0
//   Left, Right       operands of a product over rows: [STEP rows, 16 columns]ᵀ and [STEP rows, 16 columns]
//   swizzle           by which the 16-byte chunks of a row in shared memory change places, 0 to 7
//   over_rows         two tiles c += left · right; row_sums: c += left · 1
//   outer             TILES tiles c += s · w for numbers s split in slots, see branch_thin.h
//
// Every sum is in fp32.
#pragma once
#include "device.h"

// tile_at returns the index of an element of a tile [rows, W] in shared memory. Chunks of a row
// change places so that neither eight rows of a chunk nor four neighbouring chunks of two rows
// share banks.
template <class M, int W> DEVICE int tile_at(int row, int column) {
  return row * W + ((column / M::CHUNK) ^ M::swizzle(row)) * M::CHUNK + column % M::CHUNK;
}

// Split is a float as a sum of two elements, to twice an element's precision.
template <class M> struct Split { typename M::element high, low; };

template <class M> DEVICE Split<M> split(float x) {
  Split<M> s;
  s.high = M::rounded(x);
  s.low = M::rounded(x - M::number(s.high));
  return s;
}

struct Halves {
  typedef half element;
  enum { CHUNK = 8, GROUP = 32, TILES = 4, STEP = 16 };
  struct Left { unsigned x[4]; };
  struct Right { unsigned x[4]; };

  DEVICE half rounded(float x) { return __float2half_rn(x); }
  DEVICE float number(half x) { return __half2float(x); }

  DEVICE void multiply(float (&c)[4], uint4 upper, uint4 lower, uint4 b) {
    const unsigned a0[4] = {upper.x, lower.x, upper.y, lower.y}, b0[2] = {b.x, b.y};
    const unsigned a1[4] = {upper.z, lower.z, upper.w, lower.w}, b1[2] = {b.z, b.w};
    mma_f16(c, a0, b0);
    mma_f16(c, a1, b1);
  }
  DEVICE uint4 joined(const float (&c)[TILES][4], int lower) {
    const int i = 2 * lower;
    return make_uint4(pack_half2(c[0][i], c[0][i + 1]), pack_half2(c[1][i], c[1][i + 1]),
                      pack_half2(c[2][i], c[2][i + 1]), pack_half2(c[3][i], c[3][i + 1]));
  }
  DEVICE uint4 rectified(const float (&c)[TILES][4], int lower) {
    const int i = 2 * lower;
    return make_uint4(pack_relu_half2(c[0][i], c[0][i + 1]), pack_relu_half2(c[1][i], c[1][i + 1]),
                      pack_relu_half2(c[2][i], c[2][i + 1]), pack_relu_half2(c[3][i], c[3][i + 1]));
  }
  DEVICE uint4 masked(uint4 v, uint4 h) { return make_uint4(mask(v.x, h.x), mask(v.y, h.y), mask(v.z, h.z), mask(v.w, h.w)); }
  DEVICE unsigned mask(unsigned v, unsigned h) {
    return (h & 0x7fffu ? v & 0xffffu : 0) | (h & 0x7fff0000u ? v & 0xffff0000u : 0);
  }

  DEVICE int swizzle(int row) { return (row & 1) << 2 | (row >> 1 & 3); }
  template <int W> DEVICE void left(Left& a, const half* tile, int row, int column, int lane) {
    ldmatrix_x4_trans(a.x, tile + tile_at<Halves, W>(row + (lane & 7) + (lane >> 4) * 8, column + (lane & 8)));
  }
  template <int W> DEVICE void right(Right& b, const half* tile, int row, int column, int lane) {
    ldmatrix_x4_trans(b.x, tile + tile_at<Halves, W>(row + (lane & 15), column + (lane >> 4) * 8));
  }
  // slots loads 16 slots of STEP rows of a table whose rows are ld elements apart.
  DEVICE void slots(Left& a, const half* table, int ld, int lane) {
    ldmatrix_x4_trans(a.x, table + ((lane & 7) + (lane >> 4) * 8) * ld + (lane & 8));
  }
  // members sets element (slot, row) to 1 where of[row], of STEP rows, is slot.
  DEVICE void members(Left& a, const int* of, int slot, int lane) {
    int g = slot + lane / 4;
    int2 near = *reinterpret_cast<const int2*>(of + lane % 4 * 2), far = *reinterpret_cast<const int2*>(of + lane % 4 * 2 + 8);
    a.x[0] = ones(near, g);
    a.x[1] = ones(near, g + 8);
    a.x[2] = ones(far, g);
    a.x[3] = ones(far, g + 8);
  }
  DEVICE unsigned ones(int2 of, int slot) { return (of.x == slot ? 0x3c00u : 0) | (of.y == slot ? 0x3c000000u : 0); }
  DEVICE void over_rows(float (&c)[4], float (&d)[4], const Left& a, const Right& b) {
    mma_f16(c, a.x, b.x);
    mma_f16(d, a.x, b.x + 2);
  }
  DEVICE void row_sums(float (&c)[4], const Left& a) {
    const unsigned all[2] = {0x3c003c00u, 0x3c003c00u};
    mma_f16(c, a.x, all);
  }

  // A word of outer's table has slots 2t and 2t + 1: high and low part of a weight by turns.
  DEVICE int outer_tile(int i) { return i / 4; }
  DEVICE int outer_low(int i) { return i / 2 % 2; }
  DEVICE int outer_slot(int i, int t) { return 2 * t + i % 2; }
  DEVICE void outer(float (&c)[TILES][4], const half* table, int ld, uint4 v, uint4 w, int lane) {
    unsigned a[4];
    ldmatrix_x4(a, table + (lane & 15) * ld + (lane >> 4) * 8);
    pair(c[0], a, v.x, v.y);
    pair(c[1], a, v.z, v.w);
    pair(c[2], a, w.x, w.y);
    pair(c[3], a, w.z, w.w);
  }
  DEVICE void pair(float (&c)[4], const unsigned (&a)[4], unsigned high, unsigned low) {
    const unsigned b0[2] = {high, high}, b1[2] = {low, low};
    mma_f16(c, a, b0);
    mma_f16(c, a, b1);
  }
};
