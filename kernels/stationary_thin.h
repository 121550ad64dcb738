// Products of the weight-stationary branch with few columns: the gradients of the output's weights
// and of the first layer's.
//
// A table [R, 16 slots] in shared memory has, for every row of a tile, up to 8 numbers: slot o has
// the high part of number o, slot 8 + o its low part. So their products are as exact as in fp32
// but for the hidden values' own rounding.
#pragma once
#include "stationary_forward.h"

// set_slot stores number o of a row.
template <class M> DEVICE void set_slot(typename M::element* row, int o, float x) {
  Split<M> s = split<M>(x);
  row[o / 8 * 16 + o % 8] = s.high;
  row[o / 8 * 16 + o % 8 + 8] = s.low;
}

// thin_gradient adds tableᵀ·tile to sums [numbers, W] in shared memory. A warp computes 16 columns,
// and an element belongs to one lane.
template <class M, int W, int R>
DEVICE void thin_gradient(float* sums, int numbers, const typename M::element* tile, const typename M::element* table, int ld) {
  int column = threadIdx.x / 32 * 16, lane = threadIdx.x % 32;
  if (column >= W) return;
  float c[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
#pragma unroll M::UNROLL
  for (int k = 0; k < R; k += M::STEP) {
    typename M::Left a;
    typename M::Right b;
    M::slots(a, table + k * ld, ld, lane);
    M::template right<W>(b, tile, k, column, lane);
    M::over_rows(c[0], c[1], a, b);
  }
  if (lane / 4 >= numbers) return;
  float2* to = reinterpret_cast<float2*>(sums + lane / 4 * W + column + lane % 4 * 2);
#pragma unroll
  for (int q = 0; q < 2; q++) to[4 * q] = make_float2(to[4 * q].x + (c[q][0] + c[q][2]), to[4 * q].y + (c[q][1] + c[q][3]));
}

// Points are the points that a tile's rows belong to.
struct Points {
  int first, end;  // rows of the tile, of all rows
  Divisor levels;
  const int* of;   // [R] the number of a row's point, counted from the tile's first point; −1: no row
};

// point_sums adds up the gradients of the rows of each point, tile [R, W], and writes them to
// grad_base. carry [W] holds the sums of a point that ends in a later tile.
template <class M, int W, int R>
DEVICE void point_sums(float* grad_base, float* carry, const typename M::element* tile, Points p) {
  int lane = threadIdx.x % 32, column = threadIdx.x / 32 * 16, g = lane / 4;
  if (column >= W) return;
  int levels = p.levels.number, first = divide(p.first, p.levels), count = int(divide(p.end - 1, p.levels)) - first + 1;
  for (int slot = 0; slot < count; slot += 16) {
    float c[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
#pragma unroll M::UNROLL
    for (int k = 0; k < R; k += M::STEP) {
      typename M::Left a;
      typename M::Right b;
      M::members(a, p.of + k, slot, lane);
      M::template right<W>(b, tile, k, column, lane);
      M::over_rows(c[0], c[1], a, b);
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

// level_gradient computes grad_level = tile · v for the tile's rows. table has v by rows.
template <class M, int W, int R>
DEVICE void level_gradient(float* grad_level, const typename M::element* tile, const typename M::element* table, Points p,
                           int inputs) {
  int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
  if (threadIdx.x / 32 * 16 >= R) return;
  const uint4* right = reinterpret_cast<const uint4*>(table) + lane;
  typename M::Sum s;
  M::start(s, 0, 0);
#pragma unroll
  for (int q = 0; q < Width<M, W>::GROUPS; q++) {
    int column = q * M::GROUP + lane % 4 * M::CHUNK;
    uint4 upper = *reinterpret_cast<const uint4*>(tile + tile_at<M, W>(row, column));
    uint4 lower = *reinterpret_cast<const uint4*>(tile + tile_at<M, W>(row + 8, column));
    turn(upper, lower);
#pragma unroll
    for (int part = 0; part < M::PARTS; part++) M::multiply(s, upper, lower, right[(2 * q + part) * 32]);
  }
  M::finish(s);
  for (int i = 0; i < 4; i++) {
    int at = p.first + row + i / 2 * 8, input = lane % 4 * 2 + i % 2;
    if (at < p.end && input < inputs) grad_level[size_t(at) * inputs + input] = s.c[i];
  }
}
