// The weight-stationary branch's products in tf32, see stationary_math.h.
#pragma once
#include "stationary_math.h"

// Tf32s keeps floats rounded to tf32. ldmatrix cannot transpose floats, so a lane loads the
// elements of a product over rows itself.
struct Tf32s {
  typedef float element;
  enum { CHUNK = 4, GROUP = 16, TILES = 2, STEP = 8 };
  struct Left { unsigned x[4]; };
  struct Right { unsigned x[4]; };

  DEVICE float rounded(float x) { return __uint_as_float(to_tf32(x)); }
  DEVICE float number(float x) { return x; }

  DEVICE void multiply(float (&c)[4], uint4 upper, uint4 lower, uint4 b) {
    const unsigned a0[4] = {upper.x, lower.x, upper.y, lower.y}, b0[2] = {b.x, b.y};
    const unsigned a1[4] = {upper.z, lower.z, upper.w, lower.w}, b1[2] = {b.z, b.w};
    mma_tf32(c, a0, b0);
    mma_tf32(c, a1, b1);
  }
  DEVICE uint4 joined(const float (&c)[TILES][4], int lower) {
    const int i = 2 * lower;
    return make_uint4(to_tf32(c[0][i]), to_tf32(c[0][i + 1]), to_tf32(c[1][i]), to_tf32(c[1][i + 1]));
  }
  DEVICE uint4 rectified(const float (&c)[TILES][4], int lower) {
    const int i = 2 * lower;
    return make_uint4(relu(c[0][i]), relu(c[0][i + 1]), relu(c[1][i]), relu(c[1][i + 1]));
  }
  DEVICE unsigned relu(float x) { return to_tf32(x < 0 ? 0 : x); }
  DEVICE uint4 masked(uint4 v, uint4 h) { return make_uint4(mask(v.x, h.x), mask(v.y, h.y), mask(v.z, h.z), mask(v.w, h.w)); }
  DEVICE unsigned mask(unsigned v, unsigned h) { return h & 0x7fffffffu ? v : 0; }

  DEVICE int swizzle(int row) { return (row & 1) << 2 | (row & 2); }
  template <int W> DEVICE unsigned at(const float* tile, int row, int column) {
    return __float_as_uint(tile[tile_at<Tf32s, W>(row, column)]);
  }
  template <int W> DEVICE void left(Left& a, const float* tile, int row, int column, int lane) {
    row += lane % 4;
    column += lane / 4;
    a.x[0] = at<W>(tile, row, column);
    a.x[1] = at<W>(tile, row, column + 8);
    a.x[2] = at<W>(tile, row + 4, column);
    a.x[3] = at<W>(tile, row + 4, column + 8);
  }
  template <int W> DEVICE void right(Right& b, const float* tile, int row, int column, int lane) {
    row += lane % 4;
    column += lane / 4;
    b.x[0] = at<W>(tile, row, column);
    b.x[1] = at<W>(tile, row + 4, column);
    b.x[2] = at<W>(tile, row, column + 8);
    b.x[3] = at<W>(tile, row + 4, column + 8);
  }
  DEVICE void slots(Left& a, const float* table, int ld, int lane) {
    table += lane % 4 * ld + lane / 4;
    for (int i = 0; i < 4; i++) a.x[i] = __float_as_uint(table[(i >> 1) * 4 * ld + (i & 1) * 8]);
  }
  DEVICE void members(Left& a, const int* of, int slot, int lane) {
    int g = slot + lane / 4, near = of[lane % 4], far = of[lane % 4 + 4];
    a.x[0] = near == g ? 0x3f800000u : 0;
    a.x[1] = near == g + 8 ? 0x3f800000u : 0;
    a.x[2] = far == g ? 0x3f800000u : 0;
    a.x[3] = far == g + 8 ? 0x3f800000u : 0;
  }
  DEVICE void over_rows(float (&c)[4], float (&d)[4], const Left& a, const Right& b) {
    mma_tf32(c, a.x, b.x);
    mma_tf32(d, a.x, b.x + 2);
  }
  DEVICE void row_sums(float (&c)[4], const Left& a) {
    const unsigned all[2] = {0x3f800000u, 0x3f800000u};
    mma_tf32(c, a.x, all);
  }

  // Four words of outer's table belong to a tile: slots t and t + 4 of high parts, then of low
  // ones.
  DEVICE int outer_tile(int i) { return i / 4; }
  DEVICE int outer_low(int i) { return i / 2 % 2; }
  DEVICE int outer_slot(int i, int t) { return t + i % 2 * 4; }
  DEVICE void outer(float (&c)[TILES][4], const float* table, int ld, uint4 v, uint4 w, int lane) {
    unsigned high[4], low[4];
    const float* row = table + (lane & 15) * ld + (lane >> 4) * 4;
    ldmatrix_x4(high, row);
    ldmatrix_x4(low, row + 8);
    pair(c[0], high, low, v);
    pair(c[1], high, low, w);
  }
  DEVICE void pair(float (&c)[4], const unsigned (&high)[4], const unsigned (&low)[4], uint4 b) {
    const unsigned b0[2] = {b.x, b.y}, b1[2] = {b.z, b.w};
    mma_tf32(c, high, b0);
    mma_tf32(c, low, b0);
    mma_tf32(c, high, b1);
  }
};
