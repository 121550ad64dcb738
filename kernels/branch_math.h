// Products of the tiled branch, in fp32. A product is made of fragments of 16 rows and 16 columns.
// A warp holds a fragment's sums as two halves side by side, each in the layout of mma.m16n8. With
// g = lane/4 and t = lane%4:
//
//   c[q][0], c[q][1]: row g,     columns 8q + 2t and 8q + 2t + 1
//   c[q][2], c[q][3]: row g + 8, the same columns
//
// The tiles' functions take from a type such as F32
//
//   element           type of activations and weights in shared memory; PAD of them end each row, which spreads rows over
//                     the banks and keeps them aligned to 16 bytes
//   Left, Right       what a lane holds of [16 rows, STEP] and of [STEP, 16 columns]
//   left, left_t      load a Left from x[row][k] or x[k][row]; p points to the first element, rows are ld elements apart
//   right, right_t    load a Right from x[column][k] or x[k][column]
//   multiply          c += left · right
//   row_sums          c += left · 1, one half of a fragment whose columns are all alike
//   store, pair       store two neighbours; load them
//   dot               the product of a row with floats in shared memory; n is a multiple of 16
//
// Every sum is in fp32.
#pragma once
#include "device.h"

// F32 multiplies in registers. A lane reads the rows and columns of its own sums.
struct F32 {
  typedef float element;
  enum { STEP = 4, PAD = 4 };
  struct Left { float x[2][4]; };   // rows g and g + 8
  struct Right { float x[4][4]; };  // columns 2t, 2t + 1, 8 + 2t, 8 + 2t + 1

  DEVICE void four(float* x, const float* p) {
    float4 v = *reinterpret_cast<const float4*>(p);
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
    x[3] = v.w;
  }
  DEVICE void left(Left& a, const float* p, int ld, int lane) {
    four(a.x[0], p + (lane >> 2) * ld);
    four(a.x[1], p + ((lane >> 2) + 8) * ld);
  }
  DEVICE void left_t(Left& a, const float* p, int ld, int lane) {
    for (int k = 0; k < 4; k++) {
      a.x[0][k] = p[k * ld + (lane >> 2)];
      a.x[1][k] = p[k * ld + (lane >> 2) + 8];
    }
  }
  DEVICE void right(Right& b, const float* p, int ld, int lane) {
    for (int i = 0; i < 4; i++) four(b.x[i], p + ((i >> 1) * 8 + (lane & 3) * 2 + (i & 1)) * ld);
  }
  DEVICE void right_t(Right& b, const float* p, int ld, int lane) {
    for (int k = 0; k < 4; k++) {
      for (int q = 0; q < 2; q++) {
        float2 v = pair(p + k * ld + q * 8 + (lane & 3) * 2);
        b.x[2 * q][k] = v.x;
        b.x[2 * q + 1][k] = v.y;
      }
    }
  }
  DEVICE void multiply(float (&c)[2][4], const Left& a, const Right& b) {
    for (int k = 0; k < 4; k++) {
      for (int i = 0; i < 8; i++) c[i >> 2][i & 3] = fmaf(a.x[i >> 1 & 1][k], b.x[(i >> 2) * 2 + (i & 1)][k], c[i >> 2][i & 3]);
    }
  }
  DEVICE void row_sums(float (&c)[4], const Left& a) {
    for (int k = 0; k < 4; k++) {
      for (int i = 0; i < 4; i++) c[i] += a.x[i >> 1][k];
    }
  }

  DEVICE float rounded(float x) { return x; }
  DEVICE void store(float* p, float x, float y) { *reinterpret_cast<float2*>(p) = make_float2(x, y); }
  DEVICE float one(const float* p) { return *p; }
  DEVICE float2 pair(const float* p) { return *reinterpret_cast<const float2*>(p); }
  DEVICE float dot(const float* x, const float* w, int n) {
    float sum = 0;
    for (int j = 0; j < n; j += 4) {
      float4 v = *reinterpret_cast<const float4*>(x + j), u = *reinterpret_cast<const float4*>(w + j);
      sum = fmaf(v.w, u.w, fmaf(v.z, u.z, fmaf(v.y, u.y, fmaf(v.x, u.x, sum))));
    }
    return sum;
  }
};
