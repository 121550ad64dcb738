// The layout of the branch's parameters and of their gradients, which all its kernels share.
#pragma once
#include "extents.h"

enum { BRANCH_THREADS = 256, BRANCH_WARPS = BRANCH_THREADS / 32 };

// Mlp has the sizes of an MLP: the columns of the level (1 or 2) and of a hidden layer, the number
// of hidden layers, and the columns of the output.
struct Mlp {
  int inputs, width, depth, outputs;
};

// branch_biases returns the index in vectors of the hidden layers' biases, branch_outputs the index
// of the output's weights, and branch_vectors the number of floats of vectors.
DEVICE int branch_biases(Mlp m) { return m.inputs * m.width; }
DEVICE int branch_outputs(Mlp m) { return branch_biases(m) + (m.depth - 1) * m.width; }
DEVICE int branch_vectors(Mlp m) { return branch_outputs(m) + m.outputs * m.width + m.outputs; }

// branch_sums returns the number of a block's sums: the gradients of the hidden layers' weights
// [depth − 1, width, width], in the order of weight_gradient, and of vectors, padded to a multiple
// of 4. branch_weights returns the number of these weights.
DEVICE int branch_weights(Mlp m) { return (m.depth - 1) * m.width * m.width; }
DEVICE int branch_sums(Mlp m) { return branch_weights(m) + (branch_vectors(m) + 3) / 4 * 4; }

// vector_at returns the index in the flat vector of element i of vectors. weight_at returns the
// index of element i of hidden layer l's weights [width, width].
DEVICE int vector_at(const int* layout, Mlp m, int i) {
  if (i < branch_biases(m)) return layout[0] + i % m.width * layout[1] + i / m.width;
  if (i < branch_outputs(m)) return layout[2 * ((i - branch_biases(m)) / m.width) + 3] + i % m.width;
  i -= branch_outputs(m);
  int n = m.outputs * m.width;
  return i < n ? layout[2 * m.depth] + i : layout[2 * m.depth + 1] + i - n;
}

DEVICE int weight_at(const int* layout, int l, int i) { return layout[2 * l + 2] + i; }

// fragment_sums returns the address in dw of a lane's four sums of half q of a fragment.
DEVICE float4* fragment_sums(float* dw, int row, int column, int q, int width, int lane) {
  return reinterpret_cast<float4*>(dw) + ((row / 16 * (width / 16) + column / 16) * 2 + q) * 32 + lane;
}

// weight_of returns the index in W [width, width] of element i of weight_gradient's dw.
DEVICE int weight_of(int i, int width) {
  int fragment = i / 256, q = i / 128 % 2, lane = i / 4 % 32, c = i % 4;
  int row = fragment / (width / 16) * 16 + c / 2 * 8 + lane / 4;
  int column = fragment % (width / 16) * 16 + q * 8 + lane % 4 * 2 + c % 2;
  return row * width + column;
}

// sum_at returns the index in the flat vector of element i of a block's or chunk's sums.
DEVICE int sum_at(const int* layout, Mlp m, int i) {
  int n = branch_weights(m), square = m.width * m.width;
  return i < n ? weight_at(layout, i / square, weight_of(i % square, m.width)) : vector_at(layout, m, i - n);
}

// CHUNK_ROWS is the number of rows that a chunk has at least.
enum { CHUNK_ROWS = 128 };

// chunk_points returns the number of points of a chunk, chunks_used the number of chunks, at most
// `chunks`. Both depend on the sizes of the run alone.
DEVICE int chunk_points(const Extents* e, int chunks) {
  int points = e->functions * e->points;
  return max((points + chunks - 1) / chunks, (CHUNK_ROWS + e->levels - 1) / e->levels);
}
DEVICE int chunks_used(const Extents* e, int chunks) {
  int each = chunk_points(e, chunks);
  return (e->functions * e->points + each - 1) / each;
}
