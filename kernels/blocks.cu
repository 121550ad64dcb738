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
