// The quantile branch: a multilayer perceptron (MLP) of [r, x, level] over all levels of all
// points, with all its layers in one kernel, forward and backward. The adaptor ψ is one such MLP
// (level u, one output: the logit z), the decoder another (level τ, or the two columns [τ, u] of a
// residual adaptor; 3·dy outputs). The sigmoid runs between them and the mixture of likelihood.cu
// after the decoder; they read one number and 3·dy numbers per row. base holds the terms of r and x
// for each point, whether r belongs to functions or to points. With w = width, D = depth hidden
// layers, k = outputs, c = inputs (1 or 2 columns of level) and p the point of row i:
//
//   h_1 = relu(base_p + level_i·v)    h_{l+1} = relu(W_l·h_l + b_l), l = 1 … D−1    out_i = W_out·h_D + b_out
//
// Half precision and tf32 have kernels of their own, which keep the weights on the chip
// (branch_f16.cu). The tiled kernels here are for fp32: hidden layers stay in shared memory, where
// the rows of 5 layers fill it, so the weights pass through it one panel at a time and hidden
// layers are computed again in the backward pass. A block adds each tile's gradients of the weights
// to its own sums in device memory, 8·w²/R bytes per row and layer. Without matrix units the
// operations take longest, 4 ms a step of ACQNP on lissajous at 50 TFLOP/s (an estimate), and
// fusing only saves memory.
//
// Blocks take whole points, divided as evenly as possible, and process their rows in tiles of R
// rows. Only the parameters' gradients are summed across blocks, in the order of the blocks. So a
// grid gives the same bits at every run; another grid rounds differently.
//
// NAME is f32. R is 16, 32 or 64: the largest whose shared memory the device has. All blocks have
// 256 threads. The host chooses the grids of branch_forward and branch_backward once: one or two
// blocks per multiprocessor. width is a multiple of 16 up to 256, depth at least 1.
//
// | kernel | does |
// | --- | --- |
// | branch_pack_NAME | copies the parameters from the flat vector to weights and vectors |
// | branch_forward_NAME_R | computes the branch |
// | branch_backward_NAME_R | computes its gradient; for the parameters, every block its share |
// | branch_reduce | adds the blocks' gradients and stores them in the flat vector |
// | branch_reduce_chunks | the same for the chunks of branch_f16.cu |
//
// | argument | shape and meaning |
// | --- | --- |
// | flat, flat_grad | the flat vector of parameters or gradients; branch_reduce overwrites the MLP's part |
// | layout | int [2D + 2], indices of flat: v [w, c], the stride of its rows; W_1, b_1, … W_{D−1}, b_{D−1}; W_out, b_out |
// | weights | [D−1, w, w] of float, aligned to 16 bytes |
// | vectors | float [w·(c + D − 1 + k) + k]: v [c, w], b_1 …, W_out [k, w], b_out; aligned to 16 bytes |
// | base | float [Point, w] |
// | level | float [Row, c] |
// | out | float [Row, k] |
// | grad | float [Row, k], of out; if it is multiplied by a loss scale, so are all gradients computed from it |
// | grad_base | float [Point, w], the sum over a point's levels |
// | grad_level | float [Row, c], or null |
// | partials | float [blocks of branch_backward, S]: S = (D−1)·w² + the floats of vectors, rounded up to a multiple of 4 |
//
// Dynamic shared memory in bytes, with P = 32, and H = 2 forward, H = D backward:
//
//   4·(H·R·(w + 4) + 2·max(P·(w + 4), w·(P + 4))) + 4·(floats of vectors, up to a multiple of 4) + 4·R·(1 + c + k)
//
// cuda.BranchKernels (internal/engine/cuda) computes all of this.
#include "branch_mlp.h"

extern "C" __global__ void __launch_bounds__(BRANCH_THREADS)
branch_reduce(const float* __restrict__ partials,  // [blocks, S]
              int blocks,                          // blocks of branch_backward
              const int* __restrict__ layout,      // [2·depth + 2], see above
              float* __restrict__ flat_grad,       // flat vector
              int inputs,                          // columns of level
              int width,                           // columns of a hidden layer
              int depth,                           // hidden layers
              int outputs) {                       // columns of out
  Mlp m = {inputs, width, depth, outputs};
  int all = branch_weights(m) + branch_vectors(m), stride = branch_sums(m);
  for (int i = thread(); i < all; i += threads()) {
    float sum = 0;
    for (int b = 0; b < blocks; b++) sum += partials[(size_t)b * stride + i];
    flat_grad[sum_at(layout, m, i)] = sum;
  }
}
KERNEL(branch_reduce)

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
