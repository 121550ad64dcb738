// The quantile branch: an MLP of [r, x, level] over all levels of all points, every layer in one kernel, forward and
// backward. ψ is one (level u, one output: the logit z), the decoder another (level τ, 3·dy outputs); between them lie the
// sigmoid and the mixture of likelihood.cu, which see one number and 3·dy numbers a row. With w = width, D = depth hidden
// layers, k = outputs and p the point of row i:
//
//   h_1 = relu(base_p + level_i·v)    h_{l+1} = relu(W_l·h_l + b_l), l = 1 … D−1    out_i = W_out·h_D + b_out
//
// Why so. ACQNP on lissajous (340,000 rows, w = 128, D = 5 and 3) is 0.2 TFLOP a step, and 174 MB a layer in fp32. Written and
// read again, the 6 layers that need it would take 0.5 ms at 4.3 TB/s in fp32 and 0.25 ms in half precision, besides what
// gradients between them move; to compute them once more in backward is a third more flops, 0.1 to 0.15 ms at the rate that
// mma.sync reaches in half precision. So hidden layers never leave shared memory. The layers' weights pass through it a panel
// at a time, for 5 layers' worth of rows fill it. The weights' gradients do not fit beside them: a block adds each tile's to
// sums of its own in device memory. That is 1 KB a row and layer at w = 128 and tiles of 128 rows, as much as layer by layer
// in half precision, but in fp32, and up to 34 MB in all, which the caches of large devices hold. In fp32 without matrix
// units the flops decide, 4 ms at 50 TFLOP/s, and there is nothing to gain but memory. None of this is measured yet.
//
// A block takes whole points, as many as any other to within one, and walks their rows in tiles of R: nothing is summed
// across blocks but the weights' gradients, in the order of the blocks. So a grid gives the same bits at every run; another
// grid gives others, by rounding.
//
// NAME is f16 (half products, sm_75 on), tf32 (sm_80 on) or f32; R is 16, 32, 64 or, f16 alone, 128: the largest whose
// shared memory the device has. All launches are of 256 threads; grids of branch_forward and branch_backward are to be
// chosen once, at capacity: a block or two a multiprocessor. width is a multiple of 16 up to 256, depth at least 1.
//
// branch_pack_NAME        (flat, layout, weights, vectors, width, depth, outputs)
// branch_forward_NAME_R   (e, base, level, weights, vectors, out, width, depth, outputs)
// branch_backward_NAME_R  (e, base, level, weights, vectors, grad, grad_base, grad_level, partials, width, depth, outputs)
// branch_reduce           (partials, blocks, layout, flat_grad, width, depth, outputs)
//
// | argument | what |
// | --- | --- |
// | flat, flat_grad | the flat vector of parameters, or of their gradients: what the MLP has there is overwritten |
// | layout | int [2D + 2]: where in it are v, and from one element of v to the next; W_1, b_1, … W_{D−1}, b_{D−1}; W_out, b_out |
// | weights | [D−1, w, w] of half (f16) or float, rounded to tf32 in tf32; made by branch_pack, aligned to 16 bytes |
// | vectors | float [w·(D + k) + k]: v, b_1 …, W_out [k, w], b_out; made by branch_pack, aligned to 16 bytes |
// | base | float [Point, w]; level float [Row, 1]; out float [Row, k] |
// | grad | float [Row, k]: by out; times the loss scale, if there is one, as are all gradients that come out |
// | grad_base | float [Point, w], the sum over a point's levels |
// | grad_level | float [Row, 1], or null |
// | partials | float [blocks of branch_backward, S]: S = (D−1)·w² + w·(D + k) + k, rounded up to a multiple of 4 |
// | blocks | of branch_backward |
//
// Dynamic shared memory, in bytes, with s = 2 and pad 8 (f16) or s = 4 and pad 4 (tf32, f32), and P = 64 (f16) or 32:
//
//   s·(H·R·(w + pad) + 2·max(P·(w + pad), w·(P + pad))) + 4·(w·(D + k) + k, up to a multiple of 4) + 4·R·(2 + k)
//
// with H = 2 forward, H = D backward. kernels.Branch computes all of this.
#include "branch_mlp.h"

extern "C" __global__ void __launch_bounds__(BRANCH_THREADS)
branch_reduce(const float* __restrict__ partials, int blocks, const int* __restrict__ layout, float* __restrict__ flat_grad,
              int width, int depth, int outputs) {
  Mlp m = {width, depth, outputs};
  int n = branch_weights(m), square = width * width, all = n + branch_vectors(m), stride = branch_sums(m);
  for (int i = thread(); i < all; i += threads()) {
    float sum = 0;
    for (int b = 0; b < blocks; b++) sum += partials[(size_t)b * stride + i];
    int at = i < n ? weight_at(layout, i / square, weight_of(i % square, width)) : vector_at(layout, m, i - n);
    flat_grad[at] = sum;
  }
}
KERNEL(branch_reduce)
