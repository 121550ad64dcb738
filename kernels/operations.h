// Written by go generate ./internal/engine/cuda. Do not edit.
#pragma once

// TASKS has the operations that kernels compute, ELEMENTS those that are declared by an element in
// internal/models/ops: element i of a result, of column in row.
#define TASKS(ENTRY) \
  ENTRY(END) \
  ENTRY(BASE_GRAD) \
  ENTRY(ENSEMBLE_ADD_GRAD_LEVEL) \
  ENTRY(ENSEMBLE_ADD_GRAD_POINT) \
  ENTRY(GAUSSIAN) \
  ENTRY(GAUSSIAN_GRAD) \
  ENTRY(LEVELS) \
  ENTRY(LINEAR) \
  ENTRY(IN_GRAD) \
  ENTRY(LAYER_NORM) \
  ENTRY(LAYER_NORM_GRAD) \
  ENTRY(WEIGHT_GRAD) \
  ENTRY(WEIGHT_GRAD_SUM) \
  ENTRY(NEG_MEAN) \
  ENTRY(BRANCH_SUM) \
  ENTRY(BRANCH_PACK)

#define ELEMENTS(ENTRY) \
  ENTRY(ADD, t.a[i] + t.b[i]) \
  ENTRY(AFFINE, t.scale * t.a[i] + t.shift) \
  ENTRY(COLUMNS, t.a[row * t.k + t.from + column]) \
  ENTRY(ENSEMBLE_ADD, ensemble_add_of(t, e, row, column)) \
  ENTRY(EXP, expf(t.a[i])) \
  ENTRY(GATHER, gather_of(t, e, row, column)) \
  ENTRY(JOIN, column < (unsigned)t.k ? t.a[row * t.k + column] : t.b[row * (t.d - t.k) + column - t.k]) \
  ENTRY(LOG, logf(t.a[i])) \
  ENTRY(LOG_MEAN_EXP_GRAD, t.a[row / e.levels] * expf(t.b[row] - t.c[row / e.levels]) / e.levels) \
  ENTRY(LOG_SUM_EXP, log_sum_exp_of(t, e, row, column)) \
  ENTRY(MUL, t.a[i] * t.b[i]) \
  ENTRY(NEG_MEAN_GRAD, -t.a[0] / rows(e, t.s)) \
  ENTRY(ONES, 1) \
  ENTRY(PAD, pad_of(t, row, column)) \
  ENTRY(PERTURB, perturb_of(t, e, row, column)) \
  ENTRY(POSITIVE, t.a[i] >= 0) \
  ENTRY(RESIDUAL, residual_of(t, e, row, column)) \
  ENTRY(SET_MEAN, set_mean_of(t, e, row, column)) \
  ENTRY(SET_MEAN_GRAD, set_mean_grad_of(t, e, row, column)) \
  ENTRY(SIGMOID, sigmoid_of(t.a[i])) \
  ENTRY(SIGMOID_GRAD, t.a[i] * t.b[i] * (1 - t.b[i])) \
  ENTRY(SOFTPLUS, softplus(t.a[i])) \
  ENTRY(SPREAD, spread_of(t, e, row, column)) \
  ENTRY(SUM, sum_of(t, e, row, column)) \
  ENTRY(UNIFORM_LEVEL, level(t.a[i])) \
  ENTRY(UNIFORM_LOGIT, logf(level(t.a[i])) - logf(level(1 - t.a[i])))
