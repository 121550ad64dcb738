// Tasks: operations that share a launch. A table in device memory holds the tasks of a launch,
// [lanes, most]. A lane is a list of tasks that run one after another on the same rows; lanes do not
// depend on each other, and blockIdx.y is the number of the lane. A lane of fewer than `most` tasks
// ends with an END. Which arguments an operation has is said where it is computed.
#pragma once
#include "extents.h"
#include "operations.h"

// Operation has the numbers of internal/engine/cuda/task.go: END, those of blocks and rows in each.cu,
// chain.cu, weights.cu and branch_*.cu, and those of elements in elements.h.
#define TASK(name) name,
#define ELEMENT(name, element) name,
enum Operation { TASKS(TASK) ELEMENTS(ELEMENT) };
#undef TASK
#undef ELEMENT

// Task is one operation. It has 72 bytes. No operation has two fields of one union.
struct Task {
  int operation;            // an Operation
  int s;                    // space of the rows that the task computes
  int other;                // another space
  union {
    int k;                  // columns of the input
    unsigned seed_low;      // lower half of the seed of LEVELS
  };
  union {
    int d;                  // columns of the result
    unsigned seed_high;
  };
  int relu;                 // 1 if the operation has a ReLU
  union {
    int stride;             // between the rows of a weight or its gradient
    int from;               // first column of a copy
    int depth;              // of a branch
    unsigned stream;        // of LEVELS
    float shift;
  };
  union {
    float scale;
    float floor;            // the smallest σ
    int chunks;             // most chunks of a branch's sums
  };
  const float *a, *b, *c;   // inputs
  float *out, *more;        // results
};
