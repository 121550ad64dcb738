// What the precisions of the weight-stationary branch have in common: their interface and the layout
// of their operands. stationary_f16.h and stationary_f32.h are the precisions.
//
// A group is 64 bytes of a row: GROUP elements, 16 bytes in each of four neighbouring lanes. The
// matrix unit adds over k in any order, and a product's columns may come in any order, so both are
// taken in the order that keeps a lane's elements together. With g = lane/4 and t = lane%4, lane
// (g, t) holds of group q
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
// For the gradient of the input the left operand comes from shared memory by ldmatrix, in which lane
// (g, t) has 4 bytes of each of four chunks; W transposed is packed in that order of k. Weights lie
// in memory in the order [n][j][q][lane], so a warp reads 512 contiguous bytes.
//
// A precision has
//
//   element           type of activations and weights
//   CHUNK             elements in 16 bytes
//   STEP              rows that one product over rows adds
//   UNROLL            such steps at a time, as registers allow
//   PARTS             elements of a float in the tables of thin products: 2, high and low; or 1
//   APART             whether sums over rows are kept apart for each tile, see weight_gradient
//   Sum               four sums of a tile of 8 columns: c[0], c[1] of row g, c[2], c[3] of row g + 8
//   start, finish     begin a Sum with numbers of two columns; complete its c
//   multiply          a Sum += left · right over a group; left is turned
//   joined, rectified a group of a row of results, rounded; rectified applies a ReLU before
//   rectified_again   the same in other registers
//   masked            v where h, the result of a ReLU, is not 0, otherwise 0
//   Left, Right       operands of a product over rows: [STEP rows, 16 columns]ᵀ and [STEP rows, 16 columns]
//   swizzle           by which the 16-byte chunks of a row in shared memory change places, 0 to 7
//   over_rows         two tiles c += left · right; row_sums: c += left · 1
//   outer             TILES tiles c += s · w for numbers s split in slots, see stationary_thin.h
//
// Every sum is in fp32. The matrix unit truncates its sums.
#pragma once
#include "device.h"

// turn makes the left operands of two products of 16 bytes of row g and of row g + 8.
DEVICE void turn(uint4& a, uint4& b) {
  uint4 upper = a, lower = b;
  a = make_uint4(upper.x, lower.x, upper.y, lower.y);
  b = make_uint4(upper.z, lower.z, upper.w, lower.w);
}

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
