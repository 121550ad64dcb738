// Sums over rows for gradients of parameters. The rows of a run are divided into slices: a block
// sums one slice, then weight_grad_sum adds the slices in their order.
#pragma once
#include "extents.h"

// There are at most SLICES slices. Each has at least SLICE rows, a multiple of ROUND. The division
// depends on the number of rows, not on the grid.
enum { SLICES = 256, SLICE = 32, ROUND = 8 };

DEVICE int ceil_div(int a, int b) { return (a + b - 1) / b; }

// slice_rows returns the number of rows of a slice, of n rows in all.
DEVICE int slice_rows(int n) {
  int each = ceil_div(n, SLICES);
  return each < SLICE ? SLICE : (each + ROUND - 1) / ROUND * ROUND;
}
