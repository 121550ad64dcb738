// Index spaces and the sizes of a run. The sizes are in device memory, where kernels read them, so
// one captured graph serves every batch.
//
// Rules for every kernel:
// - Matrices are packed row-major [rows(space), width] float32, aligned to 16 bytes, with fewer than 2^31 elements.
// - A result overlaps no operand.
// - Spaces are passed as int, with the numbers of ops.Space.
// - A kernel takes any grid: its threads walk their work with a grid stride, and a block without work returns. The
//   host chooses grids once, at capacity. Results have the same bits for any grid. The head of a file states the
//   size of its blocks.
#pragma once
#include "device.h"

// space has the numbers of ops.Space, and the same meanings.
namespace space {
enum { Parameter, Scalar, Function, Ensemble, Context, Resample, Point, Row };
}

// Extents has the sizes of a run, see ops.Extents.
struct Extents {
  int functions, context, points, levels;
};

// Step is what the host uploads before a step. It begins with Extents, so a pointer to a Step can
// be passed as a pointer to Extents.
struct Step {
  Extents extents;
  unsigned long long batch; // its number, from which levels are drawn
  double rate;              // learning rate
};

// rows_of_function returns how many rows of the space belong to one function.
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

// rows returns how many rows a matrix of the space has.
DEVICE int rows(const Extents& e, int s) { return s <= space::Scalar ? 1 : e.functions * rows_of_function(e, s); }

// ratio returns how many rows of the space child belong to one row of its ancestor.
DEVICE int ratio(const Extents& e, int child, int ancestor) {
  if (ancestor <= space::Scalar) return rows(e, child);
  if (ancestor == child) return 1;
  if (ancestor == space::Function) return rows_of_function(e, child);
  return e.levels; // the levels of a point or of a context point
}

DEVICE int ceil_div(int a, int b) { return (a + b - 1) / b; }

// Divisor divides by a number of at least 1 in four instructions. The estimate of divide is the
// quotient or one less, since inverse is above (2^32 − number) / number and n below 2^32.
struct Divisor { unsigned number, inverse; };

DEVICE Divisor divisor(unsigned number) {
  Divisor d = {number, 0xffffffffu / number};
  return d;
}
DEVICE unsigned divide(unsigned n, Divisor d) {
  unsigned q = __umulhi(n, d.inverse);
  return q + (n - q * d.number >= d.number);
}

// thread returns this thread's number in the grid, threads the number of threads in the grid, for
// grid strides.
DEVICE unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE unsigned threads() { return gridDim.x * blockDim.x; }
