// Copies between the flat vectors of parameters and gradients and the packed matrices of the graph's leaves, all in one
// launch.
//
// load_blocks  (blocks, flat, leaves)   flat → leaves; a launch per step
// store_blocks (blocks, leaves, flat)   leaves → flat
//
// blocks is an array of Block, one for each blockIdx.y: grid (1 to ceil(elements of the largest block / 256), blocks);
// blocks of 256; no dynamic shared memory. Every leaf lies at its own place, in floats from leaves.
#include "device.h"

// Block is ops.Block and the place of its leaf; 32 bytes. panel is Cols where ops.Block has none.
struct Block {
  long long place;
  int rows, cols, offset, stride, panel, unused;
};

// in_flat is where element i of a block's leaf lies in the flat vector.
DEVICE int in_flat(const Block& b, int i) {
  int row = i / b.cols, column = i % b.cols;
  return b.offset + column / b.panel * b.rows * b.panel + row * b.stride + column % b.panel;
}

extern "C" __global__ void __launch_bounds__(256)
load_blocks(const Block* __restrict__ blocks, const float* __restrict__ flat, float* __restrict__ leaves) {
  Block b = blocks[blockIdx.y];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < b.rows * b.cols; i += gridDim.x * 256)
    leaves[b.place + i] = flat[in_flat(b, i)];
}
KERNEL(load_blocks)

extern "C" __global__ void __launch_bounds__(256)
store_blocks(const Block* __restrict__ blocks, const float* __restrict__ leaves, float* __restrict__ flat) {
  Block b = blocks[blockIdx.y];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < b.rows * b.cols; i += gridDim.x * 256)
    flat[in_flat(b, i)] = leaves[b.place + i];
}
KERNEL(store_blocks)
