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
// shared memory (stationary_*.h).
//
// Forward, activations stay in registers from layer to layer: a warp takes 32 rows through all
// layers whose weights are in shared memory, and the sums of one product are the left operand of
// the next (stationary_math.h). No shared memory is used for activations, and no barrier. Hidden
// layers 2 to D are written once for the backward pass.
//
// Backward, a block takes a chunk of whole points through all layers, the last first. For a layer,
// W is in shared memory and dW in registers for all of the chunk's rows. Tiles of R rows of dz and
// h pass through shared memory. dz of the layer below is written in place of h. A chunk's sums are
// written once; branch_reduce_chunks adds them in the order of the chunks. Chunks depend on the sizes
// of the run and on `chunks` alone, so the results have the same bits for any grid. In half precision
// the matrix unit truncates sums by at most 2^-23 of them for each 16 rows, 2e-5 for a chunk of 3,000
// rows, where the factors' own rounding is 5e-4.
//
// Store or compute again, by arithmetic, for ACQNP on lissajous (w = 128, ψ with D = 5, decoder
// with D = 3, 256 bytes for a row and layer): forward writes 4 + 2 layers, 1536 bytes a row.
// Backward, each of the D−1 square layers reads h and dz and writes dz, but h_1 is computed from
// base and level, dz_1 stays in shared memory and dz_D is made from h_D: 10 + 4 times 256 bytes. In
// all 5.1 KB a row, 1.7 GB a step: 0.58 ms at the 3.0 TB/s of an H100. The products take 0.2 TFLOP, 0.43 ms at 474
// TFLOP/s, and overlap. To store h_1 and dz_1 too costs 20% more memory traffic. To store nothing
// costs a third more products, 0.14 ms, and dW of all layers does not fit registers, so it would
// travel through the caches for every tile: 2 GB. Two layers at a time would save a third of
// backward's traffic but need 128 registers for dW alone. The chunks' sums are written and read
// once: 8 bytes of each of 100,000 parameters and of 124 chunks, 0.1 GB.
//
// W is 64 or 128, D at least 2, outputs at most 16. All blocks have 256 threads. Registers allow
// one block on a multiprocessor at W = 128. cuda.BranchKernels (internal/engine/cuda) has the shapes for
// each architecture. P is f16 or f32, and E half or float.
//
// | kernel | does |
// | --- | --- |
// | branch_pack_P_W | copies the parameters from the flat vector to weights and vectors |
// | branch_forward_P_W | computes the branch |
// | branch_backward_P_WxR | computes its gradient; for the parameters, every chunk's share |
// | branch_reduce_chunks | adds the chunks' gradients and stores them in the flat vector |
//
// | argument | shape and meaning |
// | --- | --- |
// | flat, flat_grad | the flat vector of parameters or gradients; branch_reduce_chunks overwrites the MLP's part |
// | layout | int [2D + 2], indices of flat: v [W, c], the stride of its rows; W_1, b_1, … W_{D−1}, b_{D−1}; W_out, b_out |
// | weights | E: W_1 and its transpose, W_2 …, in the orders of stationary_math.h; then 2·ceil(k / 8) + 1 tables of 16·W, see stationary_element |
// | vectors | float [W·(c + D − 1 + k) + k]: v [c, W], b_1 …, W_out [k, W], b_out; aligned to 16 bytes |
// | base | float [Point, W] |
// | level | float [Row, c] |
// | out | float [Row, k] |
// | hidden | E [D−1, Row, W]: h_2 … h_D, which backward overwrites; [Row, W] without keep; null if all layers are resident and keep is 0 |
// | resident | layers whose weights are in shared memory at a time |
// | keep | 1 if backward follows, otherwise 0 |
// | grad | float [Row, k], of out; if it is multiplied by a loss scale, so are all gradients computed from it |
// | grad_base | float [Point, W], the sum over a point's levels |
// | grad_level | float [Row, c], or null |
// | partials | float [chunks, S]: S = (D−1)·W² + the floats of vectors, rounded up to a multiple of 4 |
// | stages | 1 or 2: tiles in shared memory |
// | chunks | most chunks of a run |
//
// cuda.BranchKernels also computes the dynamic shared memory; stationary_forward and Pass divide it.
#include "branch_layout.h"

extern "C" __global__ void __launch_bounds__(BRANCH_THREADS)
branch_reduce_chunks(const Extents* __restrict__ e,       // sizes of the run
                     const float* __restrict__ partials,  // [chunks, S]
                     int chunks,                          // most chunks
                     const int* __restrict__ layout,      // [2·depth + 2], see above
                     float* __restrict__ flat_grad,       // flat vector
                     int inputs,                          // columns of level
                     int width,                           // columns of a hidden layer
                     int depth,                           // hidden layers
                     int outputs) {                       // columns of out
  Mlp m = {inputs, width, depth, outputs};
  int used = chunks_used(e, chunks), stride = branch_sums(m), all = branch_weights(m) + branch_vectors(m);
  for (int i = thread(); i < all; i += threads()) {
    float sum = 0;
#pragma unroll 8
    for (int c = 0; c < used; c++) sum += partials[size_t(c) * stride + i];
    flat_grad[sum_at(layout, m, i)] = sum;
  }
}
KERNEL(branch_reduce_chunks)
