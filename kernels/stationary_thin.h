// Products of the weight-stationary branch with few columns: the gradients of the output's weights
// and of the first layer's.
//
// A table [R, 16 slots] in shared memory has, for every row of a tile, up to 8 numbers: slot o has
// the high part of number o, slot 8 + o its low part (split). So their products are as exact as in fp32
// but for the hidden values' own rounding.
#pragma once
#include "stationary_forward.h"

// Backward are the arguments of the backward kernels. Those of pairs have neither stages nor what follows chunks.
struct Backward {
  const Extents* e;
  const float *base, *level;
  const half* weights;
  const float *vectors, *grad;
  half* hidden;
  float *grad_base, *grad_level, *partials;
  int stages, chunks, s, above, mean;
  const float* more;
};

// set_slot stores number o of a row.
template <class M> DEVICE void set_slot(half* row, int o, float x) {
  Split s = split<M>(x);
  row[o / 8 * 16 + o % 8] = s.high;
  row[o / 8 * 16 + o % 8 + 8] = s.low;
}

// thin_gradient adds unit·tableᵀ·tile to sums [numbers, W] in shared memory. A warp computes 16 columns,
// and an element belongs to one lane.
template <class M, int W, int R>
DEVICE void thin_gradient(float* sums, int numbers, const half* tile, const half* table, int ld, float unit) {
  int column = threadIdx.x / 32 * 16, lane = threadIdx.x % 32;
  if (column >= W) return;
  typename M::Sum s[2];
  for (int q = 0; q < 2; q++) M::start(s[q], 0, 0);
#pragma unroll M::UNROLL
  for (int k = 0; k < R; k += M::STEP) {
    unsigned slots[4];
    ldmatrix_x4_trans(slots, table + (k + (lane & 7) + (lane >> 4) * 8) * ld + (lane & 8));
    M::exact(s, slots, M::template right<W, R>(tile, k, column, lane));
  }
  if (lane / 4 >= numbers) return;
  float2* to = reinterpret_cast<float2*>(sums + lane / 4 * W + column + lane % 4 * 2);
#pragma unroll
  for (int q = 0; q < 2; q++) {
    M::finish(s[q]);  // rows g: products of the high parts
    const float* c = s[q].c[0];
    to[4 * q] = make_float2(to[4 * q].x + unit * (c[0] + M::LOW * c[2]), to[4 * q].y + unit * (c[1] + M::LOW * c[3]));
  }
}

// Points are the points that a tile's rows belong to.
struct Points {
  int first, end;  // rows of the tile, of all rows
  Divisor levels;
  const int* of;   // [R] the number of a row's point, counted from the tile's first point; −1: no row
};

// members makes a left operand: element (slot, row) is 1 where of[row], of STEP rows, is slot.
DEVICE unsigned members_of(int2 of, int slot) { return (of.x == slot ? 0x3c00u : 0) | (of.y == slot ? 0x3c000000u : 0); }
DEVICE void members(unsigned (&a)[4], const int* of, int slot, int lane) {
#pragma unroll
  for (int i = 0; i < 4; i++) a[i] = members_of(*reinterpret_cast<const int2*>(of + lane % 4 * 2 + i / 2 * 8), slot + lane / 4 + i % 2 * 8);
}

// point_sums adds up the gradients of the rows of each point, unit · tile [R, W], and writes them to
// grad_base. carry [W] holds the sums of a point that ends in a later tile.
template <class M, int W, int R>
DEVICE void point_sums(float* grad_base, float* carry, const half* tile, Points p, float unit) {
  int lane = threadIdx.x % 32, column = threadIdx.x / 32 * 16, g = lane / 4;
  if (column >= W) return;
  int levels = p.levels.number, first = divide(p.first, p.levels), count = int(divide(p.end - 1, p.levels)) - first + 1;
  for (int slot = 0; slot < count; slot += 16) {
    typename M::Sum s[2];
    for (int q = 0; q < 2; q++) M::start(s[q], 0, 0);
#pragma unroll M::UNROLL
    for (int k = 0; k < R; k += M::STEP) {
      unsigned a[4];
      members(a, p.of + k, slot, lane);
      M::exact(s, a, M::template right<W, R>(tile, k, column, lane));
    }
    float c[2][4];
    for (int i = 0; i < 8; i++) {
      if (i % 4 == 0) M::finish(s[i / 4]);
      c[i / 4][i % 4] = unit * s[i / 4].c[0][i % 4];
    }
    int at = column + lane % 4 * 2;
    if (slot + g == 0 && first * levels < p.first) {
      for (int q = 0; q < 2; q++) {
        c[q][0] += carry[at + 8 * q];
        c[q][1] += carry[at + 8 * q + 1];
      }
    }
    __syncwarp();
    for (int i = 0; i < 4; i++) {
      int number = slot + g + i / 2 * 8, q = i % 2;
      if (number >= count) continue;
      bool whole = (first + number + 1) * levels <= p.end;
      float* to = whole ? grad_base + size_t(first + number) * W : carry;
      *reinterpret_cast<float2*>(to + at + 8 * q) = i < 2 ? make_float2(c[q][0], c[q][1]) : make_float2(c[q][2], c[q][3]);
    }
    __syncwarp();
  }
}

// level_gradient computes grad_level = unit · tile · v for the tile's rows. table has v by rows.
template <class M, int W, int R>
DEVICE void level_gradient(float* grad_level, const half* tile, const half* table, Points p, int inputs, float unit) {
  int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
  if (threadIdx.x / 32 * 16 >= R) return;
  typename M::Sum s;
  M::start(s, 0, 0);
#pragma unroll
  for (int q = 0; q < Width<M, W>::GROUPS; q++) {
    int column = q * M::GROUP + lane % 4 * M::CHUNK;
    auto upper = M::template read<4>(tile + tile_at<W>(row, column), tile + R * W + tile_at<W>(row, column));
    auto lower = M::template read<4>(tile + tile_at<W>(row + 8, column), tile + R * W + tile_at<W>(row + 8, column));
    M::turn(upper, lower);
    M::thin(s, upper, lower, table + q * 512 + lane * M::CHUNK);
  }
  M::finish(s);
  for (int i = 0; i < 4; i++) {
    int at = p.first + row + i / 2 * 8, input = lane % 4 * 2 + i % 2;
    if (at < p.end && input < inputs) grad_level[size_t(at) * inputs + input] = unit * s.c[0][i];
  }
}
