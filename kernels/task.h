// Tasks: operations that share a launch. A table in device memory holds the tasks of a launch,
// [lanes, most]. A lane is a list of tasks that run one after another on the same rows; lanes do not
// depend on each other, and blockIdx.y is the number of the lane. A lane of fewer than `most` tasks
// ends with an END. Which arguments an operation has is said where it is computed.
#pragma once
#include "extents.h"

// Operation has the numbers of internal/engine/cuda/task.go.
enum Operation {
  END,
  // elements.h
  ADD, AFFINE, BASE_GRAD, COLUMNS, ENSEMBLE_ADD, ENSEMBLE_ADD_GRAD_LEVEL, ENSEMBLE_ADD_GRAD_POINT, EXP, GATHER, GAUSSIAN,
  GAUSSIAN_GRAD, JOIN, LOG, LOG_MEAN_EXP_GRAD, LOG_SUM_EXP, MUL, NEG_MEAN_GRAD, ONES, PAD_COLUMNS, PERTURB, POSITIVE, RESIDUAL,
  SET_MEAN, SET_MEAN_GRAD, SIGMOID, SIGMOID_GRAD, SOFTPLUS, SPREAD, SUM, UNIFORM_LEVEL, UNIFORM_LOGIT,
  LEVELS,            // each.cu
  LINEAR, IN_GRAD,   // chain.cu
  LAYER_NORM, LAYER_NORM_GRAD,
  WEIGHT_GRAD,       // weights.cu
  WEIGHT_GRAD_SUM, NEG_MEAN, BRANCH_SUM,
  BRANCH_PACK        // branch_f16.cu, branch_f32.cu
};

// Task is one operation. It has 72 bytes.
struct Task {
  int operation;            // an Operation
  int s;                    // space of the rows that the task computes
  int other;                // another space
  int k, d;                 // columns of the input and of the result
  int flag;                 // 1 if the operation has a ReLU
  int stride;               // between the rows of a weight or its gradient, or another number
  float number;             // the smallest σ, or another number
  const float *a, *b, *c;   // inputs
  float *out, *more;        // results
};
