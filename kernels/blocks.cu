// Copies between the flat vectors of parameters and gradients and the matrices of the graph's
// leaves, in one launch for all blocks of parameters (ops.Block). load_blocks copies from the flat
// vector, store_blocks to it. Grid (1 to ceil(elements of the largest block / 256), number of
// blocks); thread blocks of 256; no dynamic shared memory.
#include "device.h"

// Block is an ops.Block with the place of its leaf, an offset in floats. It has 32 bytes. strip is
// cols if the ops.Block has no strips.
struct Block {
  long long place;
  int rows, cols, offset, stride, strip, unused;
};

// in_flat returns the index in the flat vector of element i of a block's leaf.
DEVICE int in_flat(const Block& b, int i) {
  int row = i / b.cols, column = i % b.cols;
  return b.offset + column / b.strip * b.rows * b.strip + row * b.stride + column % b.strip;
}

extern "C" __global__ void __launch_bounds__(256)
load_blocks(const Block* __restrict__ blocks,  // one for each blockIdx.y
            const float* __restrict__ flat,    // flat vector
            float* __restrict__ leaves) {      // matrices; a block's matrix begins at its place
  wait_for_inputs();
  Block b = blocks[blockIdx.y];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < b.rows * b.cols; i += gridDim.x * 256)
    leaves[b.place + i] = flat[in_flat(b, i)];
}
KERNEL(load_blocks)

extern "C" __global__ void __launch_bounds__(256)
store_blocks(const Block* __restrict__ blocks,  // one for each blockIdx.y
             const float* __restrict__ leaves,  // matrices; a block's matrix begins at its place
             float* __restrict__ flat) {        // flat vector
  wait_for_inputs();
  Block b = blocks[blockIdx.y];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < b.rows * b.cols; i += gridDim.x * 256)
    flat[in_flat(b, i)] = leaves[b.place + i];
}
KERNEL(store_blocks)
