// The weight-stationary branch's products in half precision, see stationary_math.h.
#pragma once
#include "stationary_math.h"

struct Halves {
  typedef half element;
  enum { CHUNK = 8, GROUP = 32, TILES = 4, STEP = 16, APART = 0, PARTS = 2, UNROLL = 2 };
  struct Sum { float c[4]; };
  struct Left { unsigned x[4]; };
  struct Right { unsigned x[4]; };

  DEVICE half rounded(float x) { return __float2half_rn(x); }
  DEVICE float number(half x) { return __half2float(x); }

  DEVICE void start(Sum& s, float x, float y) {
    s.c[0] = s.c[2] = x;
    s.c[1] = s.c[3] = y;
  }
  DEVICE void finish(Sum&) {}
  DEVICE void multiply(Sum& s, uint4 first, uint4 second, uint4 b) {
    const unsigned a0[4] = {first.x, first.y, first.z, first.w}, b0[2] = {b.x, b.y};
    const unsigned a1[4] = {second.x, second.y, second.z, second.w}, b1[2] = {b.z, b.w};
    mma_f16(s.c, a0, b0);
    mma_f16(s.c, a1, b1);
  }
  DEVICE uint4 joined(const Sum (&s)[TILES], int lower) {
    const int i = 2 * lower;
    return make_uint4(pack_half2(s[0].c[i], s[0].c[i + 1]), pack_half2(s[1].c[i], s[1].c[i + 1]),
                      pack_half2(s[2].c[i], s[2].c[i + 1]), pack_half2(s[3].c[i], s[3].c[i + 1]));
  }
  DEVICE uint4 rectified(const Sum (&s)[TILES], int lower) {
    const int i = 2 * lower;
    return make_uint4(pack_relu_half2(s[0].c[i], s[0].c[i + 1]), pack_relu_half2(s[1].c[i], s[1].c[i + 1]),
                      pack_relu_half2(s[2].c[i], s[2].c[i + 1]), pack_relu_half2(s[3].c[i], s[3].c[i + 1]));
  }
  DEVICE uint4 rectified_again(const Sum (&s)[TILES], int lower) {
    const int i = 2 * lower;
    return make_uint4(pack_relu_half2_again(s[0].c[i], s[0].c[i + 1]), pack_relu_half2_again(s[1].c[i], s[1].c[i + 1]),
                      pack_relu_half2_again(s[2].c[i], s[2].c[i + 1]), pack_relu_half2_again(s[3].c[i], s[3].c[i + 1]));
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
  DEVICE void outer(Sum (&s)[TILES], const half* table, int ld, uint4 v, uint4 w, int lane) {
    unsigned a[4];
    ldmatrix_x4(a, table + (lane & 15) * ld + (lane >> 4) * 8);
    pair(s[0].c, a, v.x, v.y);
    pair(s[1].c, a, v.z, v.w);
    pair(s[2].c, a, w.x, w.y);
    pair(s[3].c, a, w.z, w.w);
  }
  DEVICE void pair(float (&c)[4], const unsigned (&a)[4], unsigned high, unsigned low) {
    const unsigned b0[2] = {high, high}, b1[2] = {low, low};
    mma_f16(c, a, b0);
    mma_f16(c, a, b1);
  }
};
