// The products of the weight-stationary branch, and the layout of their operands.
//
// A number is kept as P halves, in P planes. With one plane it is rounded to a half (fp16). With two it
// is a sum high + 2^-11·low, which has 22 bits (fp32), and a product is three products of halves, all but
// low·low, which is below 2^-22 of it. The matrix unit truncates its sums, so what it adds first counts:
// the small products are summed apart from the large one (Sum), and 16 rows apart from others (over_rows).
//
// A half ends at 65,504, and has its 11 bits from 6e-5 on. low is of high's size, so two planes have all
// 22 bits from 6e-5 on too, and are exact to 2^-36 below. Where these limits lie, scales decide, all
// powers of two:
//
//   hidden values · 2^-2    up to 262,000; 22 bits from 2.4e-4 on, below that ±6e-11
//   weights · 2^2           up to 16,376; 22 bits from 1.5e-5 on, below that ±4e-12
//   gradients               by a scale for each tile of rows, see Pass: the largest becomes 2^14 to 2^15,
//                           22 bits down to 2^-28 of it, below that ±2^-51 of it. So gradients do not
//                           overflow, and the loss needs no scale
//
// What is larger than the limit becomes an infinity and then a NaN, which the step reports. A hidden value
// times a weight needs no scale. With one plane nothing is scaled; the loss is, see adam.cu.
//
// A group is 64 bytes of a row of a plane: GROUP halves, 16 bytes (a chunk) in each of four neighbouring
// lanes. The matrix unit adds over k in any order, and a product's columns may come in any order, so both
// are taken in the order that keeps a lane's halves together. With g = lane/4 and t = lane%4, lane (g, t)
// holds of group q
//
//   columns GROUP·q + CHUNK·t to … + CHUNK − 1 of rows g and g + 8
//
// as a result, and as it reads and writes memory. The matrix unit reads a left operand from four
// registers in a row, two of row g and two of row g + 8, so turn brings both rows' 16 bytes into that
// order: the result of one product is the left operand of the next, in the lane that has it. A value
// that is stored too is rounded twice (rectified, rectified_again): one register in both orders would
// be copied before every product.
//
// The right operand of a product with W has TILES tiles of 8 columns for a group. Lane (g, t) holds,
// for tile j of group n and group q of k, the 16 bytes
//
//   W[GROUP·n + CHUNK·(g/2) + 2j + g%2][GROUP·q + CHUNK·t …]
//
// of each plane. For the gradient of the input the left operand comes from shared memory by ldmatrix, in
// which lane (g, t) has 4 bytes of each of four chunks; W transposed is packed in that order of k. Weights
// lie in memory in the order [plane][n][j][q][lane], so a warp reads 512 contiguous bytes.
#pragma once
#include "device.h"

// tile_at returns the index of an element of a plane of a tile [rows, W] in shared memory. Chunks of a
// row change places so that neither eight rows of a chunk nor four neighbouring chunks of two rows share
// banks.
template <int W> DEVICE int tile_at(int row, int column) {
  int swizzle = (row & 1) << 2 | (row >> 1 & 3);
  return row * W + ((column / 8) ^ swizzle) * 8 + column % 8;
}

template <int P, int SHARED = P> struct Planes {
  enum {
    PLANES = P,
    HELD = SHARED,   // planes of a layer's weights in shared memory; the rest is read from the caches
    CHUNK = 8,       // halves in 16 bytes
    GROUP = 32,      // columns of a group
    TILES = 4,       // of 8 columns
    STEP = 16,       // rows that one product over rows adds
    UNROLL = 3 - P,  // such steps at a time, as registers allow
  };
  // The number that 1 in a low part stands for, and the scales of hidden values and weights.
  static constexpr float LOW = P > 1 ? 0x1p-11f : 1, HIDDEN = P > 1 ? 0.25f : 1, WEIGHT = P > 1 ? 4 : 1;

  // Sum has four sums of a tile of 8 columns: c[0][0], c[0][1] of row g, c[0][2], c[0][3] of row g + 8; and
  // those of the small products in c[1].
  struct Sum { float c[P][4]; };

  // Words are N words of two halves in each plane: 4 are a chunk, or an operand of the matrix unit.
  template <int N> struct Words { unsigned x[P][N]; };

  // start begins a Sum with numbers of two columns. finish completes its c[0].
  DEVICE void start(Sum& s, float x, float y) {
    s.c[0][0] = s.c[0][2] = x;
    s.c[0][1] = s.c[0][3] = y;
    if constexpr (P > 1) s.c[1][0] = s.c[1][1] = s.c[1][2] = s.c[1][3] = 0;
  }
  DEVICE void finish(Sum& s) {
    if constexpr (P > 1)
      for (int i = 0; i < 4; i++) s.c[0][i] = fmaf(LOW, s.c[1][i], s.c[0][i]);
  }

  // put sets word i to two numbers.
  template <int N> DEVICE void put(Words<N>& w, int i, float x, float y) {
    w.x[0][i] = pack_half2(x, y);
    if constexpr (P > 1) {
      float2 high = unpack_half2(w.x[0][i]);
      w.x[1][i] = pack_half2((x - high.x) / LOW, (y - high.y) / LOW);
    }
  }
  // joined returns the row g, or g + 8, of results times a scale.
  template <int N> DEVICE Words<N> joined(const Sum (&s)[N], int lower, float scale) {
    Words<N> w;
#pragma unroll
    for (int j = 0; j < N; j++) put(w, j, scale * s[j].c[0][2 * lower], scale * s[j].c[0][2 * lower + 1]);
    return w;
  }
  // rectified returns a row of hidden values: ReLUs of results. rectified_again returns the same in other
  // registers.
  DEVICE Words<4> rectified(const Sum (&s)[TILES], int lower) {
    Words<4> w;
#pragma unroll
    for (int j = 0; j < TILES; j++) {
      float x = s[j].c[0][2 * lower], y = s[j].c[0][2 * lower + 1];
      if constexpr (P > 1) put(w, j, HIDDEN * (x < 0 ? 0 : x), HIDDEN * (y < 0 ? 0 : y));
      else w.x[0][j] = pack_relu_half2(x, y);
    }
    return w;
  }
  DEVICE Words<4> rectified_again(const Sum (&s)[TILES], int lower) {
    Words<4> w;
    if constexpr (P > 1) w = rectified(s, lower);
    else
      for (int j = 0; j < TILES; j++) w.x[0][j] = pack_relu_half2_again(s[j].c[0][2 * lower], s[j].c[0][2 * lower + 1]);
    return w;
  }
  // mask sets a row of results to 0 where h, the result of a ReLU, is 0.
  template <int N> DEVICE void mask(Sum (&s)[N], int lower, const Words<N>& h) {
#pragma unroll
    for (int j = 0; j < N; j++) {
      unsigned w = h.x[0][j] | h.x[P - 1][j];
      if (!(w & 0x7fffu)) s[j].c[0][2 * lower] = 0;
      if (!(w & 0x7fff0000u)) s[j].c[0][2 * lower + 1] = 0;
    }
  }

  // turn makes the left operands of two products of 16 bytes of row g and of row g + 8.
  DEVICE void turn(Words<4>& a, Words<4>& b) {
    Words<4> upper = a, lower = b;
#pragma unroll
    for (int i = 0; i < 4 * P; i++) {
      const unsigned* row = (i % 2 ? lower : upper).x[i / 4];
      a.x[i / 4][i % 4] = row[i % 4 / 2];
      b.x[i / 4][i % 4] = row[i % 4 / 2 + 2];
    }
  }
  // read returns words whose planes are at p and at `low`. write stores words whose planes are `apart` halves
  // apart.
  template <int N> DEVICE Words<N> read(const half* p, const half* low) {
    Words<N> w;
#pragma unroll
    for (int i = 0; i < P; i++) {
      if constexpr (N == 4) {
        uint4 v = *reinterpret_cast<const uint4*>(i ? low : p);
        w.x[i][0] = v.x, w.x[i][1] = v.y, w.x[i][2] = v.z, w.x[i][3] = v.w;
      } else {
        uint2 v = *reinterpret_cast<const uint2*>(i ? low : p);
        w.x[i][0] = v.x, w.x[i][1] = v.y;
      }
    }
    return w;
  }
  template <int N> DEVICE void write(half* p, int apart, const Words<N>& w) {
#pragma unroll
    for (int i = 0; i < P; i++) {
      if constexpr (N == 4) *reinterpret_cast<uint4*>(p + i * apart) = make_uint4(w.x[i][0], w.x[i][1], w.x[i][2], w.x[i][3]);
      else *reinterpret_cast<uint2*>(p + i * apart) = make_uint2(w.x[i][0], w.x[i][1]);
    }
  }

  // product adds a · b of 16 columns or rows to a Sum.
  DEVICE void product(Sum& s, const Words<4>& a, const Words<4>& b, int tile) {
    if constexpr (P > 1) {
      mma_f16(s.c[1], a.x[1], b.x[0] + 2 * tile);
      mma_f16(s.c[1], a.x[0], b.x[1] + 2 * tile);
    }
    mma_f16(s.c[0], a.x[0], b.x[0] + 2 * tile);
  }
  // multiply adds left · right over a group. left is turned.
  DEVICE void multiply(Sum& s, const Words<4>& first, const Words<4>& second, const Words<4>& b) {
    product(s, first, b, 0);
    product(s, second, b, 1);
  }
  // thin adds left · w over a group. w has, at p and 256 halves after it, the high and the low parts of
  // numbers, with one plane too.
  DEVICE void thin(Sum& s, const Words<4>& first, const Words<4>& second, const half* p) {
    multiply(s, first, second, read<4>(p, p + 256));
    if constexpr (P == 1) multiply(s, first, second, read<4>(p + 256, p));
  }

  // left and right return an operand of a product over rows from a tile [P, R, W]: [STEP rows, 16
  // columns]ᵀ and [STEP rows, 16 columns].
  template <int W, int R> DEVICE Words<4> left(const half* tile, int row, int column, int lane) {
    Words<4> a;
#pragma unroll
    for (int p = 0; p < P; p++) ldmatrix_x4_trans(a.x[p], tile + p * R * W + tile_at<W>(row + (lane & 7) + (lane >> 4) * 8, column + (lane & 8)));
    return a;
  }
  template <int W, int R> DEVICE Words<4> right(const half* tile, int row, int column, int lane) {
    Words<4> b;
#pragma unroll
    for (int p = 0; p < P; p++) ldmatrix_x4_trans(b.x[p], tile + p * R * W + tile_at<W>(row + (lane & 15), column + (lane >> 4) * 8));
    return b;
  }
  // over_rows adds unit · left · right to two tiles, row_sums unit · left · 1 to one. With two planes the
  // rows of a step are summed apart, the small products first: the matrix unit truncates more the larger a
  // sum is. With one plane, unit is 1.
  DEVICE void over_rows(float (&to)[2][4], const Words<4>& a, const Words<4>& b, float unit) {
    if constexpr (P > 1) {
      float s[2][4] = {};
#pragma unroll
      for (int i = 0; i < 4; i++) mma_f16(s[i % 2], a.x[1 - i / 2], b.x[i / 2] + i % 2 * 2);
#pragma unroll
      for (int i = 0; i < 8; i++) s[i / 4][i % 4] *= LOW;
#pragma unroll
      for (int i = 0; i < 2; i++) mma_f16(s[i], a.x[0], b.x[0] + i * 2);
#pragma unroll
      for (int i = 0; i < 8; i++) to[i / 4][i % 4] = fmaf(unit, s[i / 4][i % 4], to[i / 4][i % 4]);
    } else {
      for (int i = 0; i < 2; i++) mma_f16(to[i], a.x[0], b.x[0] + i * 2);
    }
  }
  DEVICE void row_sums(float (&to)[4], const Words<4>& a, float unit) {
    const unsigned all[2] = {0x3c003c00u, 0x3c003c00u};
    if constexpr (P > 1) {
      float s[4] = {};
      mma_f16(s, a.x[1], all);
      for (int i = 0; i < 4; i++) s[i] *= LOW;
      mma_f16(s, a.x[0], all);
      for (int i = 0; i < 4; i++) to[i] = fmaf(unit, s[i], to[i]);
    } else {
      mma_f16(to, a.x[0], all);
    }
  }
  // exact adds a · right to two tiles for a left operand of one plane.
  DEVICE void exact(Sum (&s)[2], const unsigned (&a)[4], const Words<4>& b) {
#pragma unroll
    for (int i = 0; i < 2 * P; i++) mma_f16(s[i % 2].c[i / 2], a, b.x[i / 2] + i % 2 * 2);
  }

  // outer adds s · w to two tiles for numbers s split in slots, see stationary_thin.h. A word of w has slots
  // 2t and 2t + 1: high and low part of a weight by turns.
  DEVICE void outer(Sum* s, const unsigned (&slots)[4], uint4 w) {
    pair(s[0], slots, w.x, w.y);
    pair(s[1], slots, w.z, w.w);
  }
  DEVICE void pair(Sum& s, const unsigned (&a)[4], unsigned high, unsigned low) {
    const unsigned b0[2] = {high, P > 1 ? 0 : high}, b1[2] = {low, P > 1 ? high : low};
    mma_f16(s.c[0], a, b0);
    mma_f16(s.c[P - 1], a, b1);
  }
};

typedef Planes<1> Halves;
typedef Planes<2> Singles;
typedef Planes<2, 1> SmallSingles;  // where shared memory does not hold both planes of a layer's weights

// Split is a float as a high and a low part.
struct Split { half high, low; };

template <class M> DEVICE Split split(float x) {
  Split s;
  s.high = __float2half_rn(x);
  s.low = __float2half_rn((x - __half2float(s.high)) / M::LOW);
  return s;
}

// scale_for returns the power of two that brings the largest of a tile's numbers to 2^14 to 2^15.
DEVICE float scale_for(float largest) { return __uint_as_float((268u - max(__float_as_uint(largest) >> 23, 15u)) << 23); }

// inverse returns 1 / a power of two, 2^-126 to 2^126.
DEVICE float inverse(float power) { return __uint_as_float((254u << 23) - __float_as_uint(power)); }
