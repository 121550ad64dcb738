// The branch with half-precision products (since sm_75) and the weights of a layer in shared
// memory.
//
// Forward, activations stay in registers from layer to layer: a warp takes 32 rows through all
// layers whose weights are in shared memory, and the sums of one product are the left operand of
// the next (stationary_math.h). No shared memory is used for activations, and no barrier. Hidden
// layers 2 to D are written once, in half precision, for the backward pass.
//
// Backward, a block takes a chunk of whole points through all layers, the last first. For a layer,
// W is in shared memory and dW in registers for all of the chunk's rows. Tiles of R rows of dz and
// h pass through shared memory. dz of the layer below is written in place of h. A chunk's sums are
// written once; branch_reduce_chunks adds them in the order of the chunks. Chunks depend on the sizes
// of the run and on `chunks` alone, so the results have the same bits for any grid. The matrix unit
// truncates its sums, by at most 2^-23 of them for each 16 rows, 2e-5 for a chunk of 3,000 rows,
// where the factors' own rounding is 5e-4.
//
// Store or compute again, by arithmetic, for ACQNP on lissajous (w = 128, ψ with D = 5, decoder
// with D = 3, 256 bytes for a row and layer): forward writes 4 + 2 layers, 1536 bytes a row.
// Backward, each of the D−1 square layers reads h and dz and writes dz, but h_1 is computed from
// base and level, dz_1 stays in shared memory and dz_D is made from h_D: 10 + 4 times 256 bytes. In
// all 5.1 KB a row, 1.7 GB a step: 0.4 ms at 4.3 TB/s. The products take 0.2 TFLOP, 0.43 ms at 474
// TFLOP/s, and overlap. To store h_1 and dz_1 too costs 20% more memory traffic. To store nothing
// costs a third more products, 0.14 ms, and dW of all layers does not fit registers, so it would
// travel through the caches for every tile: 2 GB. Two layers at a time would save a third of
// backward's traffic but need 128 registers for dW alone. The chunks' sums are written and read
// once: 8 bytes of each of 100,000 parameters and of 124 chunks, 0.1 GB.
//
// W is 64 or 128, D at least 2, outputs at most 16. All blocks have 256 threads. Registers allow
// one block on a multiprocessor at W = 128. cuda.StationaryKernels (internal/engine/cuda) has the
// shapes for each architecture.
//
// | kernel | does |
// | --- | --- |
// | branch_pack_f16_W | copies the parameters from the flat vector to weights and vectors |
// | branch_forward_f16_W | computes the branch |
// | branch_backward_f16_WxR | computes its gradient; for the parameters, every chunk's share |
// | branch_reduce_chunks (branch.cu) | adds the chunks' gradients and stores them in the flat vector |
//
// The arguments are those of branch.cu, but for
//
// | argument | shape and meaning |
// | --- | --- |
// | weights | half: W_1 and its transpose, W_2 …, in the order of stationary_math.h; then 2·ceil(outputs / 8) + 1 tables of 16·W, see stationary_element |
// | hidden | half [D−1, Row, W]: h_2 … h_D, which backward overwrites; [Row, W] without keep; null if all layers are resident and keep is 0 |
// | resident | layers whose weights are in shared memory at a time |
// | keep | 1 if backward follows, otherwise 0 |
// | stages | 1 or 2: tiles in shared memory |
// | chunks | most chunks of a run |
// | partials | float [chunks, S], S as in branch.cu |
//
// Dynamic shared memory in bytes, with L = 16·ceil(outputs / 8) + 8:
//
//   forward    resident·2·W² + 4·W·(inputs + D − 1)
//   backward   2·W² + 104·R + 4·(3·W + 128) + stages·R·(4·W + 2·L) + 4·W·outputs
#include "stationary_kernels.h"

STATIONARY(f16, Halves, half, 128, 2)
STATIONARY(f16, Halves, half, 64, 2)
STATIONARY_BACKWARD(f16, Halves, half, 128, 64, 4)
STATIONARY_BACKWARD(f16, Halves, half, 128, 32, 4)
STATIONARY_BACKWARD(f16, Halves, half, 64, 64, 2)
