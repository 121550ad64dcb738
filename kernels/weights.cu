// Gradients of weights and biases, and other sums over all rows, many in a launch. Blocks of 128; no
// dynamic shared memory. blockIdx.y is the number of the task.
//
// | kernel | computes | grid |
// | --- | --- | --- |
// | weight_grads | for every slice of rows, the sums of part WeightGrad, and of BaseGrad if base is a bias | (1 to slices(rows of s)·tiles(d, k), tasks) |
// | sums | the sums over the slices, or over the chunks of a branch; the cost | (1 to ceil(d·(k + 1) / 16), tasks); for a branch 1 to ceil(S / 128) |
//
// tiles(m, n) = ceil(m / 32)·ceil(n / 64); slices(rows) is that of slices.h, at capacity.
#include "branch.h"
#include "functions.h"
#include "linear.h"
#include "slices.h"
#include "task.h"
#include "training.h"

// Totals sums one operand of a product over k, while the product has it in shared memory: the
// gradient of a bias.
template <int X, int STEP, bool LEFT>
struct Totals {
  enum { EACH = (X + THREADS - 1) / THREADS };
  float sums[EACH];

  MEMBER void clear() {
#pragma unroll
    for (int i = 0; i < EACH; i++) sums[i] = 0;
  }

  MEMBER void operator()(const float* left, const float* right) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      int x = threadIdx.x + i * THREADS;
      if (x >= X) continue;
#pragma unroll
      for (int k = 0; k < STEP; k++) sums[i] += (LEFT ? left : right)[k * (X + GAP) + swizzled(k, x)];
    }
  }

  MEMBER void write(float* out, int x0, int count) const {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      int x = threadIdx.x + i * THREADS;
      if (x < X && x0 + x < count) out[x0 + x] = sums[i];
    }
  }
};

// WeightGrad computes for every slice dW [d, k] and, after it, the gradient of a bias [d]. If
// TURNED is true, tiles have k down and d across. The larger of d and k goes down.
struct WeightGrad {
  const Extents* e;
  Layer l;
  const float *grad, *result, *in;
  float *partial, *shared;

  template <class S, bool TURNED>
  MEMBER void run() {
    int n = rows(*e, l.s), each = slice_rows(n), m = TURNED ? l.k : l.d, width = TURNED ? l.d : l.k;
    int across = ceil_div(width, S::N), tiles = ceil_div(m, S::M) * across, slices = ceil_div(n, each);
    for (int item = blockIdx.x; item < slices * tiles; item += gridDim.x) {
      int slice = item / tiles, m0 = item % tiles / across * S::M, n0 = item % across * S::N;
      int from = slice * each, to = min(n, from + each);
      Operand g = {grad, mask_of(result, l.relu), l.d, l.d, from, to}, x = {in, nullptr, l.k, l.k, from, to};
      tile<S, TURNED>(TURNED ? x : g, TURNED ? g : x, m0, n0, partial + (size_t)slice * l.d * (l.k + 1));
    }
  }

  template <class S, bool TURNED>
  MEMBER void tile(const Operand& left, const Operand& right, int m0, int n0, float* out) {
    Product<S, Loader<S::M, S::STEP, false, !TURNED>, Loader<S::N, S::STEP, false, TURNED>> p;
    Totals<TURNED ? S::N : S::M, S::STEP, !TURNED> totals;
    totals.clear();
    p.run(left, right, m0, n0, shared, totals);
    if ((TURNED ? m0 : n0) == 0) totals.write(out + l.d * l.k, TURNED ? n0 : m0, l.d);
    bool whole = aligned(out, l.k);
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
      int row = m0 + p.row(i);
#pragma unroll
      for (int j = 0; j < S::TN; j++) {
        int column = n0 + p.column(j);
        if (TURNED && row < l.k && column < l.d) out[column * l.k + row] = p.sums[i][j];
        if (!TURNED && j % 4 == 0) store4(out + row * l.k + column, &p.sums[i][j], row < l.d ? l.k - column : 0, whole);
      }
    }
  }
};

// weight_grads computes WEIGHT_GRAD: a = gradient of the result and b = the result [s, d], c = the
// input [s, k]; b is not read without ReLU and may be null then. out [slices, d·(k + 1)].
extern "C" __global__ void __launch_bounds__(128)
weight_grads(const Step* __restrict__ step,  // sizes of the run
             const Task* tasks) {            // [tasks]
  wait_for_inputs();
  __shared__ __align__(16) float shared[SHARED];
  Task t = tasks[blockIdx.y];
  WeightGrad f = {&step->extents, {t.s, t.k, t.d, t.relu, 0}, t.a, t.b, t.c, t.out, shared};
  if (t.k <= Narrow::N)
    f.run<Narrow, false>();
  else if (t.d <= Narrow::N)
    f.run<Narrow, true>();
  else if (t.d <= Small::M)
    f.run<Small, false>();
  else
    f.run<Wide, false>();
}
KERNEL(weight_grads)

// Gradients stores sums, and notes which of those in the flat gradient are not finite.
struct Gradients {
  const float* flat;  // [n]; null outside of training
  int n;
  int* first;         // see Training

  MEMBER void store(float* to, float sum) const {
    *to = sum;
    if (flat && to >= flat && to < flat + n) keep_lowest(first, to - flat, finite(sum));
  }
};

// weight_grad_sum adds the slices of weight_grads, or those of layer_norm_grad_slices (k = 1): a
// [slices, d·(k + 1)], out [d, k] with rows stride apart, more [d] or null. A block adds 16 columns:
// each of 8 groups of 16 threads takes every eighth slice, then the groups' sums are added.
DEVICE void weight_grad_sum(const Task& t, const Extents& e, const Gradients& g, float part[8][16]) {
  int total = rows(e, t.s), slices = ceil_div(total, slice_rows(total)), n = t.d * (t.k + 1);
  int column = threadIdx.x % 16, run = threadIdx.x / 16;
  for (int first = blockIdx.x * 16; first < n; first += gridDim.x * 16) {
    int i = first + column;
    float sum = 0;
    if (i < n)
      for (int slice = run; slice < slices; slice += 8) sum += t.a[(size_t)slice * n + i];
    part[run][column] = sum;
    __syncthreads();
    if (run == 0 && i < n) {
      sum = 0;
      for (int r = 0; r < 8; r++) sum += part[r][column];
      if (i < t.d * t.k) {
        if (t.out) g.store(t.out + i / t.k * t.stride + i % t.k, sum);
      } else if (t.more) {
        g.store(t.more + i - t.d * t.k, sum);
      }
    }
    __syncthreads();
  }
}

// mean_of returns the mean of ll [s, 1] to thread 0, computed by one block.
DEVICE float mean_of(const float* ll, int n, float* part) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += THREADS) sum += ll[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = part[0] + part[1] + part[2] + part[3];
  __syncthreads();
  return sum / n;
}

// neg_mean computes the cost, out [1]: minus the mean of a [s, 1], and of b [other, 1] unless it is
// null.
DEVICE void neg_mean(const Task& t, const Extents& e, float* part) {
  if (blockIdx.x > 0) return;
  float cost = -mean_of(t.a, rows(e, t.s), part);
  if (t.b) cost -= mean_of(t.b, rows(e, t.other), part);
  if (threadIdx.x == 0) t.out[0] = cost;
}

// branch_sum adds the sums of a branch's chunks (branch.h): a = partials [chunks, S], b = layout, int
// [2·depth + 4], out = the flat vector, of which it writes the branch's part; s = space of the rows,
// other = space of the base, k = inputs, d = outputs, depth, chunks = most chunks.
DEVICE void branch_sum(const Task& t, const Extents& e, const Gradients& g) {
  const int* layout = (const int*)t.b;
  Mlp m = {t.k, layout[2 * t.depth + 3], t.depth, t.d, t.other == space::Parameter};
  int used = chunks_used(span_of(e, t.s, t.other), t.chunks), stride = branch_sums(m), all = branch_weights(m) + branch_vectors(m);
  for (int i = thread(); i < all; i += threads()) {
    float sum = 0;
#pragma unroll 8
    for (int c = 0; c < used; c++) sum += t.a[size_t(c) * stride + i];
    g.store(t.out + sum_at(layout, m, i), sum);
  }
}

extern "C" __global__ void __launch_bounds__(128)
sums(const Step* __restrict__ step,  // sizes of the run
     const Task* tasks,              // [tasks], WEIGHT_GRAD_SUM, NEG_MEAN or BRANCH_SUM
     const float* flat,              // flat gradient [n]
     int n,                          // parameters
     Training* training) {           // first is lowered; null outside of training
  wait_for_inputs();
  __shared__ float part[8][16];
  Task t = tasks[blockIdx.y];
  Gradients g = {training ? flat : nullptr, n, training ? &training->first : nullptr};
  if (t.operation == NEG_MEAN)
    neg_mean(t, step->extents, part[0]);
  else if (t.operation == BRANCH_SUM)
    branch_sum(t, step->extents, g);
  else
    weight_grad_sum(t, step->extents, g, part);
}
KERNEL(sums)
