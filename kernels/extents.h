// The sizes of a run lie in device memory, where kernels read them: one captured graph then serves every batch.
//
// What holds for every kernel:
// - Matrices are packed row-major [rows(space), width] float32, 16-byte aligned, with fewer than 2^31 elements each.
// - A result overlaps no operand.
// - Spaces are passed as int, with the numbers of ops.Space.
// - Grids are free (a grid stride walks what is left, a block without work returns): they are to be chosen once, at
//   capacity. Results are the same bits whatever the grid. Blocks are the size that the kernel's table names.
#pragma once
#include "device.h"

// space has the numbers of ops.Space.
namespace space {
enum { Parameter, Scalar, Function, Ensemble, Context, Resample, Point, Row };
}

// Extents are ops.Extents.
struct Extents {
  int functions, context, points, levels;
};

// Step is what the host says of a step, uploaded before it. Its address serves where a kernel wants Extents.
struct Step {
  Extents extents;
  unsigned long long batch; // its number, which the levels depend on
  double rate;              // learning rate
};

// rows_of_function is how many rows of the space belong to one function.
DEVICE int rows_of_function(const Extents& e, int s) {
  switch (s) {
    case space::Ensemble: return e.levels;
    case space::Context: return e.context;
    case space::Resample: return e.context * e.levels;
    case space::Point: return e.points;
    case space::Row: return e.points * e.levels;
  }
  return 1;
}

// rows is how many rows a matrix of the space has.
DEVICE int rows(const Extents& e, int s) { return s <= space::Scalar ? 1 : e.functions * rows_of_function(e, s); }

// ratio is how many rows of the space child belong to one row of its ancestor.
DEVICE int ratio(const Extents& e, int child, int ancestor) {
  if (ancestor <= space::Scalar) return rows(e, child);
  if (ancestor == child) return 1;
  if (ancestor == space::Function) return rows_of_function(e, child);
  return e.levels; // of a point or of a context point
}

// thread is this thread's number in the grid, threads how many there are: for grid strides over elements.
DEVICE unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE unsigned threads() { return gridDim.x * blockDim.x; }
