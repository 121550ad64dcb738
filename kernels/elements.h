// Operations whose result is computed element by element. internal/models/ops declares the element of most,
// see operations.h. Those marked "row" compute all columns of a row at once; as tasks they have d = 1.
//
// Below is the space of the levels of the space above: Row if above is Point, Resample if it is
// Context.
#pragma once
#include "functions.h"
#include "task.h"

#define HALF_LOG_2PI 0.91893853320467274178f

// level returns τ = 0.001 + 0.998·u.
DEVICE float level(float u) { return LEVEL_FLOOR + (1 - 2 * LEVEL_FLOOR) * u; }

// masked returns the gradient before a ReLU with this result.
DEVICE float masked(float grad, float result, int relu) { return relu && result == 0 ? 0 : grad; }

// base_grad_of: a = gradient [other, d] and b = result [other, d] of a layer whose base has space s;
// relu: the layer ends in a ReLU.
DEVICE float base_grad_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned below = ratio(e, t.other, t.s);
  size_t at = (size_t)row * below * t.d + column;
  float sum = 0;
  for (unsigned r = 0; r < below; r++, at += t.d) sum += t.relu && t.b[at] == 0 ? 0 : t.a[at];
  return sum;
}

// ensemble_add_of: a [other, d], b [Ensemble, d]; s is below other; relu: with ReLU.
DEVICE float ensemble_add_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned levels = e.levels, points = rows_of_function(e, t.other), point = row / levels;
  float sum = t.a[point * t.d + column] + t.b[(point / points * levels + row % levels) * t.d + column];
  return t.relu && sum < 0 ? 0 : sum;
}

// ensemble_add_grad_level_of is part EnsembleGrad: a = gradient and b = result [below, d], other =
// above; relu: with ReLU.
DEVICE float ensemble_add_grad_level_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned levels = e.levels, points = rows_of_function(e, t.other);
  unsigned at = (row / levels * points * levels + row % levels) * t.d + column;
  float sum = 0;
  for (unsigned p = 0; p < points; p++, at += levels * t.d) sum += masked(t.a[at], t.b[at], t.relu);
  return sum;
}

// ensemble_add_grad_point_of is part PointGrad: the same inputs, s = above.
DEVICE float ensemble_add_grad_point_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned levels = e.levels, at = row * levels * t.d + column;
  float sum = 0;
  for (unsigned k = 0; k < levels; k++, at += t.d) sum += masked(t.a[at], t.b[at], t.relu);
  return sum;
}

// gather_of: a = values [other, d], b = index [Resample, 1].
DEVICE float gather_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned levels = e.levels, source = row / levels / e.context * e.context + (unsigned)t.b[row];
  if (t.other == space::Resample) source = source * levels + row % levels;
  return t.a[source * t.d + column];
}

// gaussian_of (row): a = decoded [s, 2·k]: μ…, s…; b = y [other, k].
DEVICE float gaussian_of(const Task& t, const Extents& e, unsigned row) {
  const float *d = t.a + row * 2 * t.k, *target = t.b + row / ratio(e, t.s, t.other) * t.k;
  float ll = 0;
  for (int c = 0; c < t.k; c++) {
    float sigma = sigma_of(d[t.k + c], t.floor), z = (target[c] - d[c]) / sigma;
    ll += -z * z / 2 - logf(sigma) - HALF_LOG_2PI;
  }
  return ll;
}

// gaussian_grad_of (row) writes out [s, 2·k]: a = gradient [s, 1], b = decoded [s, 2·k], c = y
// [other, k].
DEVICE void gaussian_grad_of(const Task& t, const Extents& e, unsigned row) {
  const float *d = t.b + row * 2 * t.k, *target = t.c + row / ratio(e, t.s, t.other) * t.k;
  float *slope = t.out + row * 2 * t.k, g = t.a[row];
  for (int c = 0; c < t.k; c++) {
    float sigma = sigma_of(d[t.k + c], t.floor), z = (target[c] - d[c]) / sigma;
    slope[c] = g * z / sigma;
    slope[t.k + c] = g * (z * z - 1) / sigma * (1 - t.floor) * sigmoid_of(d[t.k + c]);
  }
}

// Addends are the elements of a [other, k] that a SUM or a LOG_SUM_EXP adds up: those of the rows that
// belong to a row of the result [s, d], in its column or, if d is 1, in all.
struct Addends {
  const float* first;
  unsigned number, step;  // step: between two elements
};

DEVICE Addends addends_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned below = ratio(e, t.other, t.s), k = t.k;
  const float* first = t.a + (size_t)row * below * k;
  Addends all = {first, below * k, 1};
  if ((unsigned)t.d == k) all = {first + column, below, k};
  return all;
}

DEVICE float sum_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  Addends x = addends_of(t, e, row, column);
  float sum = 0;
  for (unsigned i = 0; i < x.number; i++) sum += x.first[(size_t)i * x.step];
  return sum;
}

DEVICE float log_sum_exp_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  Addends x = addends_of(t, e, row, column);
  LogSum sum = log_sum();
  for (unsigned i = 0; i < x.number; i++) include(sum, x.first[(size_t)i * x.step]);
  return value(sum);
}

// pad_of: a [s, k]; from: the column of the result [s, d] that has the first one of a.
DEVICE float pad_of(const Task& t, unsigned row, unsigned column) {
  unsigned own = column - t.from;  // wraps around before the first
  return own < (unsigned)t.k ? t.a[row * t.k + own] : 0;
}

// spread_of: a [other, k], with k = d or 1.
DEVICE float spread_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  return t.a[row / ratio(e, t.s, t.other) * t.k + (t.k == 1 ? 0 : column)];
}

// perturb_of: a = decoded [Resample, 2·d], b = residual [Resample, d], c = mean of the residuals
// [Ensemble, d].
DEVICE float perturb_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned levels = e.levels;
  const float* r = t.a + row * 2 * t.d;
  float centre = t.c[(row / (levels * e.context) * levels + row % levels) * t.d + column];
  return r[column] + sigma_of(r[t.d + column], t.floor) * (t.b[row * t.d + column] - centre);
}

// residual_of: a = decoded [Resample, 2·d], b = y [Context, d].
DEVICE float residual_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  const float* r = t.a + row * 2 * t.d;
  return (t.b[row / e.levels * t.d + column] - r[column]) / sigma_of(r[t.d + column], t.floor);
}

// set_mean_of: a [other, d], other = Context or Resample.
DEVICE float set_mean_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  int levels = t.other == space::Resample ? e.levels : 1, context = e.context;
  float share = 1.0f / context, sum = 0;
  const float* x = t.a + (size_t)(row / levels * context * levels + row % levels) * t.d + column;
  for (int c = 0; c < context; c++) sum += share * x[(size_t)c * levels * t.d];
  return sum;
}

// set_mean_grad_of: a = gradient [Function or Ensemble, d], and b, which is added to it, or null.
DEVICE float set_mean_grad_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned levels = t.s == space::Resample ? e.levels : 1, context = e.context;
  size_t at = (size_t)(row / (levels * context) * levels + row % levels) * t.d + column;
  return 1.0f / context * (t.b ? t.a[at] + t.b[at] : t.a[at]);
}

// element_of returns an element of a task's result. For those of ELEMENTS, a, b and c are the inputs,
// other is the space of the first input that is not in s, and k is the number of columns of a.
DEVICE float element_of(const Task& t, const Extents& e, unsigned row, unsigned column) {
  unsigned i = row * t.d + column;
#define ELEMENT(name, element) case name: return element;
  switch (t.operation) {
    ELEMENTS(ELEMENT)
    case BASE_GRAD: return base_grad_of(t, e, row, column);
    case ENSEMBLE_ADD_GRAD_LEVEL: return ensemble_add_grad_level_of(t, e, row, column);
    case ENSEMBLE_ADD_GRAD_POINT: return ensemble_add_grad_point_of(t, e, row, column);
    case GAUSSIAN: return gaussian_of(t, e, row);
  }
#undef ELEMENT
  __trap();
  return 0;
}

// compute_element computes an element of a task, and of a "row" task a row. Elements of ADD may be
// those of a gradient in the flat vector, whose rows lie stride apart.
DEVICE void compute_element(const Task& t, const Extents& e, unsigned row, unsigned column) {
  if (t.operation == GAUSSIAN_GRAD)
    gaussian_grad_of(t, e, row);
  else if (t.operation == ADD && t.stride)
    t.out[column / t.k * t.stride + column % t.k] = t.a[column] + t.b[column];
  else
    t.out[row * t.d + column] = element_of(t, e, row, column);
}
