// The quantile branch: a multilayer perceptron (MLP) of [r, x, level] over all levels of all
// points, with all its layers in one kernel, forward and backward. The adaptor ψ is one such MLP
// (level u, one output: the logit z), the decoder another (level τ, or the two columns [τ, u] of a
// residual adaptor; 3·dy outputs). The sigmoid runs between them and the mixture of likelihood.cu
// after the decoder; they read one number and 3·dy numbers per row. base holds the terms of r and x
// for each point, whether r belongs to functions or to points. With W = width, D = depth hidden
// layers, k = outputs, c = inputs (1 or 2 columns of level) and p the point of row i:
//
//   h_1 = relu(base_p + level_i·v)    h_{l+1} = relu(W_l·h_l + b_l), l = 1 … D−1    out_i = W_out·h_D + b_out
//
// branch_f16.cu and branch_f32.cu have the kernels of the two precisions, with the weights of a layer in
// shared memory (stationary_*.h). branch_f16_pairs.cu has those for Hopper's own instructions, which take
// two layers a pass (pair_*.h).
//
// Forward, activations stay in registers from layer to layer: a warp takes 32 rows through all
// layers whose weights are in shared memory, and the sums of one product are the left operand of
// the next (stationary_math.h). No shared memory is used for activations, and no barrier. Hidden
// layers 2 to D are written once for the backward pass.
//
// Backward, a block takes a chunk of whole points through all layers, the last first. For a layer,
// W is in shared memory and dW in registers for all of the chunk's rows. Tiles of R rows of dz and
// h pass through shared memory. dz of the layer below is written in place of h. A chunk's sums are
// written once; kernel sums adds them in the order of the chunks. Chunks depend on the sizes
// of the run and on `chunks` alone, so the results have the same bits for any grid. The matrix unit
// truncates sums by at most 2^-23 of them for each 16 rows. In half precision that is 2e-5 for a chunk of
// 3,000 rows, where the factors' own rounding is 5e-4. In fp32 each 16 rows are summed apart.
//
// Store or compute again, by arithmetic, for ACQNP on lissajous (w = 128, ψ with D = 5, decoder
// with D = 3, 256 bytes for a row and layer): forward writes 4 + 2 layers, 1536 bytes a row.
// Backward, each of the D−1 square layers reads h and dz and writes dz, but h_1 is computed from
// base and level, dz_1 stays in shared memory and dz_D is made from h_D: 10 + 4 times 256 bytes. In
// all 5.1 KB a row, 1.7 GB a step: 0.58 ms at the 3.0 TB/s of an H100. The products take 0.2 TFLOP, 0.43 ms at 474
// TFLOP/s, and overlap. To store h_1 and dz_1 too costs 20% more memory traffic. To store nothing
// costs a third more products, 0.14 ms, and dW of all layers does not fit registers, so it would
// travel through the caches for every tile: 2 GB. Two layers at a time need 128 registers for dW alone,
// which the operands of mma.sync do not leave. wgmma reads its operands from shared memory: pair kernels
// keep h_3 of ψ alone and write dz_3, 1 KB a row and step, 0.35 GB. They compute one layer again for
// each two, and the top one, 23 products of a layer in place of 18: 0.26 TFLOP a step. The chunks' sums are written and read
// once: 8 bytes of each of 100,000 parameters and of the 132 chunks of an H100, 0.1 GB.
//
// W is 64 or 128, D at least 2, outputs at most 16. All blocks have 256 threads. Registers allow
// one block on a multiprocessor at W = 128. cuda.BranchKernels (internal/engine/cuda) has the shapes for
// each architecture. P is f16, f32 or f32s, and E one half or two, see stationary_math.h.
//
// | kernel | does |
// | --- | --- |
// | branch_pack_P_W | copies the parameters from the flat vector to weights and vectors |
// | branch_forward_P_W | computes the branch |
// | branch_backward_P_WxR | computes its gradient; for the parameters, every chunk's share |
// | branch_pack_f16_pairs_W, branch_forward_f16_pairs_W | the same for pairs of layers |
// | branch_backward_f16_pairs_W_PASS | a pass of the gradient, see pair_backward.h: top, middle, bottom have two layers, whole is top and bottom at once; last and only have one |
// | mlp_forward_f32_W, mlp_backward_f32_WxR | the same for MLPs of other rows |
// | sums (weights.cu) | adds the chunks' gradients and stores them in the flat vector |
//
// | argument | shape and meaning |
// | --- | --- |
// | flat | the flat vector of parameters |
// | layout | int [2D + 4], indices of flat: v [W, c], the stride of its rows; W_1, b_1, … W_{D−1}, b_{D−1}; W_out, b_out; the base, if it is a bias; then W |
// | weights (pairs) | half: images of W_1, W_2 …; then 2·ceil(k / 8) + 1 tables of 16·W, see pair_math.h |
// | weights | E: W_1 and its transpose, W_2 …, in the orders of stationary_math.h; then 2·ceil(k / 8) + 1 tables of 16·W halves, see stationary_element |
// | vectors | float [W·(c + D − 1 + k) + k]: v [c, W], b_1 …, W_out [k, W], b_out; aligned to 16 bytes |
// | base | float [Point, W] |
// | level | float [Row, c] |
// | out | float [Row, k] |
// | hidden (pairs) | half, images of tiles (pair_math.h): the inputs of all passes but the last; backward overwrites them |
// | hidden | half [D−1, Row, planes, W]: h_2 … h_D, which backward overwrites, and in fp32 a float for each tile, see Pass; one layer without keep; null if all layers are resident and keep is 0 |
// | resident | layers whose weights are in shared memory at a time; pairs have all there |
// | keep | 1 if backward follows, otherwise 0 |
// | grad | float [Row, k], of out; if it is multiplied by a loss scale, so are all gradients computed from it |
// | grad_base | float [Point, W], the sum over a point's levels |
// | grad_level | float [Row, c], or null |
// | partials | float [chunks, S]: S = (D−1)·W² + the floats of vectors, rounded up to a multiple of 4 |
// | stages | 1 or 2: tiles in shared memory |
// | layer | of pairs: the lowest square layer of a pass, from 0 |
// | chunks | most chunks of a run |
// | s, above | of mlp_*: spaces of the rows and of the base, in place of Row and Point |
// | mean, more | of mlp_backward: see below |
//
// mlp_f32.cu has kernels for the MLPs outside the quantile branch: the decoder of [r, x] over all points, whose
// base is the term of r, and the encoders of [x, y] over the context, whose base is the bias of the first
// layer (above = Parameter, base null). Their level is x or [x, y]: up to 8 columns with the bias, which is
// then the last row of v, for a level of 1. grad_level is null. Without outputs (k = 0) the last hidden layer has
// no ReLU and is the result, out [s, W]; then grad [s, W] is its gradient. With mean = 1, grad and more
// [Function, W] are gradients of the mean of each function's rows, and their sum counts; more may be null. The
// rows are few, 32 a chunk, so that as many multiprocessors as can be have work.
//
// cuda.BranchKernels also computes the dynamic shared memory; stationary_forward and Pass divide it.
//
// This file has the layout of the parameters and of their gradients, which all these kernels share.
#pragma once
#include "extents.h"

enum { BRANCH_THREADS = 256, BRANCH_WARPS = BRANCH_THREADS / 32 };

// Mlp has the sizes of an MLP: the columns of the level (1 or 2) and of a hidden layer, the number
// of hidden layers, and the columns of the output. biased says that the base is the bias of the first layer,
// which is the last row of v in vectors.
struct Mlp {
  int inputs, width, depth, outputs;
  bool biased = false;
};

// branch_terms returns the rows of v in vectors. branch_biases returns the index in vectors of the hidden layers' biases, branch_outputs the index
// of the output's weights, and branch_vectors the number of floats of vectors.
DEVICE int branch_terms(Mlp m) { return m.inputs + m.biased; }
DEVICE int branch_biases(Mlp m) { return branch_terms(m) * m.width; }
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
  if (i < m.inputs * m.width) return layout[0] + i % m.width * layout[1] + i / m.width;
  if (i < branch_biases(m)) return layout[2 * m.depth + 2] + i % m.width;
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

// Span are the rows of a run by those of the base: `levels` rows in a row belong to one of `points`
// rows of the base. A chunk has at least `least` rows.
struct Span {
  int points, levels, least;
};

// CHUNK_ROWS and MLP_CHUNK_ROWS are the numbers of rows that a chunk has at least: a tile, or some.
enum { CHUNK_ROWS = 128, MLP_CHUNK_ROWS = 32 };

// span_of returns the span of a branch whose rows have space s and whose base has space `above`. All
// rows share a bias, so that each can be taken for a point of its own.
DEVICE Span span_of(const Extents& e, int s, int above) {
  Span p = {rows(e, s), 1, s == space::Row ? CHUNK_ROWS : MLP_CHUNK_ROWS};
  if (above == space::Parameter || p.points == 0) return p;
  p.levels = ratio(e, s, above);
  p.points /= p.levels;
  return p;
}

// chunk_points returns the number of points of a chunk, chunks_used the number of chunks, at most
// `chunks`. Both depend on the sizes of the run alone.
DEVICE int chunk_points(Span p, int chunks) {
  return max(ceil_div(p.points, chunks), ceil_div(p.least, p.levels));
}
DEVICE int chunks_used(Span p, int chunks) { return ceil_div(p.points, chunk_points(p, chunks)); }
DEVICE int chunk_points(const Extents* e, int chunks) { return chunk_points(span_of(*e, space::Row, space::Point), chunks); }
DEVICE int chunks_used(const Extents* e, int chunks) { return chunks_used(span_of(*e, space::Row, space::Point), chunks); }
