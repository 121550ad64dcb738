// Sums over rows for gradients of parameters. The rows of a run are divided into slices: a block
// sums one slice, then weight_grad_sum adds the slices in their order.
#pragma once
#include "extents.h"

// There are at most SLICES slices, or FEW_SLICES if there are at most FEW_ROWS rows: then many tasks
// share a launch. A slice has at least SLICE rows, a multiple of ROUND. The division depends on the
// number of rows, not on the grid.
enum { SLICES = 256, FEW_SLICES = 64, FEW_ROWS = 1 << 16, SLICE = 32, ROUND = 8 };

// slice_rows returns the number of rows of a slice, of n rows in all.
DEVICE int slice_rows(int n) {
  int each = ceil_div(n, n > FEW_ROWS ? SLICES : FEW_SLICES);
  return each < SLICE ? SLICE : (each + ROUND - 1) / ROUND * ROUND;
}
