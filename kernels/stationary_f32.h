// The weight-stationary branch's products in fp32, see stationary_math.h. A float is the sum of a high
// part, whose 11 bits tf32 holds, and a low part. Of their four products the matrix unit computes
// three; low · low is below fp32's own rounding.
//
// The matrix unit truncates its sums, so what it adds first counts: small products are summed apart
// from large ones (Sum), and sums over rows are kept for one tile at a time (APART).
#pragma once
#include "stationary_math.h"

// Singles keeps floats. ldmatrix cannot transpose floats, so a lane loads the elements of a product
// over rows itself.
struct Singles {
  typedef float element;
  enum { CHUNK = 4, GROUP = 16, TILES = 2, STEP = 8, APART = 1, PARTS = 1, UNROLL = 1 };
  struct Sum { float c[4], small[4]; };
  struct Left { unsigned x[4]; };
  struct Right { unsigned x[4]; };

  // Parts are N floats as high and low parts. The matrix unit reads 19 bits of a factor.
  template <int N> struct Parts { unsigned high[N], low[N]; };

  DEVICE float rounded(float x) { return x; }
  DEVICE float number(float x) { return x; }

  template <int N> DEVICE Parts<N> parts(const unsigned (&x)[N]) {
    Parts<N> p;
#pragma unroll
    for (int i = 0; i < N; i++) {
      p.high[i] = x[i] & 0xffffe000u;
      p.low[i] = __float_as_uint(__uint_as_float(x[i]) - __uint_as_float(p.high[i]));
    }
    return p;
  }
  // product adds the small products to `small`, the large one to c.
  DEVICE void product(float (&c)[4], float (&small)[4], const Parts<4>& a, const Parts<2>& b) {
    mma_tf32(small, a.low, b.high);
    mma_tf32(small, a.high, b.low);
    mma_tf32(c, a.high, b.high);
  }

  DEVICE void start(Sum& s, float x, float y) {
    s.c[0] = s.c[2] = x;
    s.c[1] = s.c[3] = y;
    for (int i = 0; i < 4; i++) s.small[i] = 0;
  }
  DEVICE void finish(Sum& s) {
    for (int i = 0; i < 4; i++) s.c[i] += s.small[i];
  }
  DEVICE void multiply(Sum& s, uint4 first, uint4 second, uint4 b) {
    const unsigned a0[4] = {first.x, first.y, first.z, first.w}, b0[2] = {b.x, b.y};
    const unsigned a1[4] = {second.x, second.y, second.z, second.w}, b1[2] = {b.z, b.w};
    product(s.c, s.small, parts(a0), parts(b0));
    product(s.c, s.small, parts(a1), parts(b1));
  }
  DEVICE uint4 joined(const Sum (&s)[TILES], int lower) {
    const int i = 2 * lower;
    return make_uint4(__float_as_uint(s[0].c[i]), __float_as_uint(s[0].c[i + 1]), __float_as_uint(s[1].c[i]), __float_as_uint(s[1].c[i + 1]));
  }
  DEVICE uint4 rectified(const Sum (&s)[TILES], int lower) {
    const int i = 2 * lower;
    return make_uint4(relu(s[0].c[i]), relu(s[0].c[i + 1]), relu(s[1].c[i]), relu(s[1].c[i + 1]));
  }
  DEVICE uint4 rectified_again(const Sum (&s)[TILES], int lower) { return rectified(s, lower); }
  DEVICE unsigned relu(float x) { return __float_as_uint(x < 0 ? 0 : x); }
  DEVICE uint4 masked(uint4 v, uint4 h) { return make_uint4(mask(v.x, h.x), mask(v.y, h.y), mask(v.z, h.z), mask(v.w, h.w)); }
  DEVICE unsigned mask(unsigned v, unsigned h) { return h & 0x7fffffffu ? v : 0; }

  DEVICE int swizzle(int row) { return (row & 1) << 2 | (row & 2); }
  template <int W> DEVICE unsigned at(const float* tile, int row, int column) {
    return __float_as_uint(tile[tile_at<Singles, W>(row, column)]);
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
    const unsigned b0[2] = {b.x[0], b.x[1]}, b1[2] = {b.x[2], b.x[3]};
    Parts<4> left = parts(a.x);
    product(c, c, left, parts(b0));
    product(d, d, left, parts(b1));
  }
  DEVICE void row_sums(float (&c)[4], const Left& a) {
    const unsigned all[2] = {0x3f800000u, 0x3f800000u};
    Parts<4> left = parts(a.x);
    mma_tf32(c, left.low, all);
    mma_tf32(c, left.high, all);
  }

  // Floats need no low parts, so slots 8 to 15 of outer's table are 0. The first two words of a lane
  // belong to tile 0, slots t and t + 4 of the high parts; the next two words are 0.
  DEVICE int outer_tile(int i) { return i / 4; }
  DEVICE int outer_low(int i) { return i / 2 % 2; }
  DEVICE int outer_slot(int i, int t) { return t + i % 2 * 4; }
  DEVICE void outer(Sum (&s)[TILES], const float* table, int ld, uint4 v, uint4 w, int lane) {
    unsigned a[4];
    ldmatrix_x4(a, table + (lane & 15) * ld + (lane >> 4) * 4);
    const unsigned b0[2] = {v.x, v.y}, b1[2] = {w.x, w.y};
    Parts<4> left = parts(a);
    product(s[0].c, s[0].small, left, parts(b0));
    product(s[1].c, s[1].small, left, parts(b1));
  }
};
