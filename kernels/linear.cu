// Linear layers act(base + in·Wᵀ) and their gradients. Blocks of 128; no dynamic shared memory. A
// block computes one tile of a product (product.h) at a time.
//
// | kernel | computes | grid |
// | --- | --- | --- |
// | linear | the layer | 1 to tiles(rows of s, d) |
// | in_grad | part InGrad | 1 to tiles(rows of s, k) |
// | weight_grad | for every slice of rows, the sums of part WeightGrad, and of BaseGrad if base is a bias | 1 to slices(rows of s)·tiles(d, k) |
// | weight_grad_sum | the sums over the slices | 1 to ceil(d·(k + 1) / 16) |
// | base_grad | part BaseGrad, if base is not a bias | 1 to ceil(elements of out / 128) |
//
// tiles(m, n) = ceil(m / 32)·ceil(n / 64); slices(rows) = min(256, ceil(rows / 32)), at capacity.
#include "product.h"
#include "slices.h"

// Layer is the shape of a layer: the sizes of the run, its space, the columns of input and result,
// and whether it ends in a ReLU.
struct Layer {
  const Extents* e;
  int s, k, d, relu;
};

// FEW is the number of wide tiles below which most of a device would be idle.
enum { FEW = 128 };

// with_shape runs f with the best shape of tiles for a result [m, n].
template <class F>
DEVICE void with_shape(int m, int n, F& f) {
  if (n <= Narrow::N)
    f.template run<Narrow>();
  else if (ceil_div(m, Wide::M) * ceil_div(n, Wide::N) < FEW)
    f.template run<Small>();
  else
    f.template run<Wide>();
}

// Forward computes the layer.
struct Forward {
  Layer l;
  const float *base, *in, *weight;
  float *out, *shared;
  int above;

  template <class S>
  MEMBER void run() {
    int m = rows(*l.e, l.s), across = ceil_div(l.d, S::N), tiles = ceil_div(m, S::M) * across;
    Operand left = {in, nullptr, l.k, m, 0, l.k}, right = {weight, nullptr, l.k, l.d, 0, l.k};
    Unwatched nothing;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      Product<S, Loader<S::M, true, false>, Loader<S::N, true, false>> p;
      int m0 = tile / across * S::M, n0 = tile % across * S::N;
      p.run(left, right, m0, n0, shared, nothing);
      write<S>(p, m, m0, n0);
    }
  }

  template <class S, class P>
  MEMBER void write(const P& p, int m, int m0, int n0) {
    bool whole = aligned(out, l.d), whole_base = aligned(base, l.d);
    int below = ratio(*l.e, l.s, above);
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
      int row = m0 + p.row(i);
      if (row >= m) continue;
      const float* from = base + (size_t)(row / below) * l.d;
#pragma unroll
      for (int j = 0; j < S::TN; j += 4) {
        int column = n0 + p.column(j);
        float4 b = load4(from + column, l.d - column, whole_base);
        float v[4] = {b.x + p.sums[i][j], b.y + p.sums[i][j + 1], b.z + p.sums[i][j + 2], b.w + p.sums[i][j + 3]};
#pragma unroll
        for (int c = 0; c < 4; c++)
          if (l.relu && v[c] < 0) v[c] = 0;  // a NaN stays a NaN
        store4(out + (size_t)row * l.d + column, v, l.d - column, whole);
      }
    }
  }
};

extern "C" __global__ void __launch_bounds__(128)
linear(const Extents* __restrict__ e,     // sizes of the run
       const float* __restrict__ base,    // [above, d]
       const float* __restrict__ in,      // [s, k]
       const float* __restrict__ weight,  // [d, k]
       float* __restrict__ out,           // [s, d]
       int s,                             // space of the layer
       int above,                         // space of base: s, an ancestor, or Parameter
       int k,                             // columns of its input
       int d,                             // columns of its result
       int relu) {                        // 1 if it ends in a ReLU
  __shared__ float shared[SHARED];
  Forward f = {{e, s, k, d, relu}, base, in, weight, out, shared, above};
  with_shape(rows(*e, s), d, f);
}
KERNEL(linear)

// mask returns result if the layer ends in a ReLU, otherwise null.
DEVICE const float* mask(const float* result, int relu) { return relu ? result : nullptr; }

// InGrad computes the gradient with respect to the input.
struct InGrad {
  Layer l;
  const float *grad, *result, *weight;
  float *out, *shared;

  template <class S>
  MEMBER void run() {
    int m = rows(*l.e, l.s), across = ceil_div(l.k, S::N), tiles = ceil_div(m, S::M) * across;
    Operand left = {grad, mask(result, l.relu), l.d, m, 0, l.d}, right = {weight, nullptr, l.k, l.k, 0, l.d};
    bool whole = aligned(out, l.k);
    Unwatched nothing;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      Product<S, Loader<S::M, true, true>, Loader<S::N, false, false>> p;
      int m0 = tile / across * S::M, n0 = tile % across * S::N;
      p.run(left, right, m0, n0, shared, nothing);
#pragma unroll
      for (int i = 0; i < S::TM; i++) {
        int row = m0 + p.row(i);
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
          int column = n0 + p.column(j);
          store4(out + (size_t)row * l.k + column, &p.sums[i][j], row < m ? l.k - column : 0, whole);
        }
      }
    }
  }
};

extern "C" __global__ void __launch_bounds__(128)
in_grad(const Extents* __restrict__ e,     // sizes of the run
        const float* __restrict__ grad,    // of the result [s, d]
        const float* __restrict__ result,  // [s, d]; not read without ReLU, may be null then
        const float* __restrict__ weight,  // [d, k]
        float* __restrict__ out,           // [s, k]
        int s,                             // space of the layer
        int k,                             // columns of its input
        int d,                             // columns of its result
        int relu) {                        // 1 if it ends in a ReLU
  __shared__ float shared[SHARED];
  InGrad f = {{e, s, k, d, relu}, grad, result, weight, out, shared};
  with_shape(rows(*e, s), k, f);
}
KERNEL(in_grad)

// Totals sums one operand of a product over k, while the product has it in shared memory: the
// gradient of a bias.
template <int X, bool LEFT>
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
      for (int k = 0; k < STEP; k++) sums[i] += (LEFT ? left : right)[k * (X + PAD) + x];
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
  Layer l;
  const float *grad, *result, *in;
  float *partial, *shared;

  template <class S, bool TURNED>
  MEMBER void run() {
    int n = rows(*l.e, l.s), each = slice_rows(n), m = TURNED ? l.k : l.d, width = TURNED ? l.d : l.k;
    int across = ceil_div(width, S::N), tiles = ceil_div(m, S::M) * across, slices = ceil_div(n, each);
    for (int item = blockIdx.x; item < slices * tiles; item += gridDim.x) {
      int slice = item / tiles, m0 = item % tiles / across * S::M, n0 = item % across * S::N;
      int from = slice * each, to = min(n, from + each);
      Operand g = {grad, mask(result, l.relu), l.d, l.d, from, to}, x = {in, nullptr, l.k, l.k, from, to};
      tile<S, TURNED>(TURNED ? x : g, TURNED ? g : x, m0, n0, partial + (size_t)slice * l.d * (l.k + 1));
    }
  }

  template <class S, bool TURNED>
  MEMBER void tile(const Operand& left, const Operand& right, int m0, int n0, float* out) {
    Product<S, Loader<S::M, false, !TURNED>, Loader<S::N, false, TURNED>> p;
    Totals<TURNED ? S::N : S::M, !TURNED> totals;
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

extern "C" __global__ void __launch_bounds__(128)
weight_grad(const Extents* __restrict__ e,     // sizes of the run
            const float* __restrict__ grad,    // of the result [s, d]
            const float* __restrict__ result,  // [s, d]; not read without ReLU, may be null then
            const float* __restrict__ in,      // [s, k]
            float* __restrict__ partial,       // [slices, d·(k + 1)]
            int s,                             // space of the layer
            int k,                             // columns of its input
            int d,                             // columns of its result
            int relu) {                        // 1 if it ends in a ReLU
  __shared__ float shared[SHARED];
  WeightGrad f = {{e, s, k, d, relu}, grad, result, in, partial, shared};
  if (k <= Narrow::N)
    f.run<Narrow, false>();
  else if (d <= Narrow::N)
    f.run<Narrow, true>();
  else if (d <= Small::M)
    f.run<Small, false>();
  else
    f.run<Wide, false>();
}
KERNEL(weight_grad)

// weight_grad_sum adds the slices of weight_grad, or those of layer_norm_grad_slices (k = 1). A
// block adds 16 columns: each of 8 groups of 16 threads takes every eighth slice, then the groups'
// sums are added.
extern "C" __global__ void __launch_bounds__(128)
weight_grad_sum(const Extents* __restrict__ e,      // sizes of the run
                const float* __restrict__ partial,  // [slices, d·(k + 1)]
                float* __restrict__ dw,             // [d, k]
                float* __restrict__ dbase,          // [d], or null
                int s,                              // space of the layer
                int k,                              // columns of its input
                int d) {                            // columns of its result
  __shared__ float part[8][16];
  int total = rows(*e, s), slices = ceil_div(total, slice_rows(total)), n = d * (k + 1);
  int column = threadIdx.x % 16, run = threadIdx.x / 16;
  for (int first = blockIdx.x * 16; first < n; first += gridDim.x * 16) {
    int i = first + column;
    float sum = 0;
    if (i < n)
      for (int slice = run; slice < slices; slice += 8) sum += partial[(size_t)slice * n + i];
    part[run][column] = sum;
    __syncthreads();
    if (run == 0 && i < n) {
      sum = 0;
      for (int r = 0; r < 8; r++) sum += part[r][column];
      if (i < d * k)
        dw[i] = sum;
      else if (dbase)
        dbase[i - d * k] = sum;
    }
    __syncthreads();
  }
}
KERNEL(weight_grad_sum)

extern "C" __global__ void __launch_bounds__(128)
base_grad(const Extents* __restrict__ e,     // sizes of the run
          const float* __restrict__ grad,    // of the result [s, d]
          const float* __restrict__ result,  // [s, d]; not read without ReLU, may be null then
          float* __restrict__ out,           // [above, d]
          int s,                             // space of the layer
          int above,                         // space of base: Function or finer
          int d,                             // columns of its result
          int relu) {                        // 1 if it ends in a ReLU
  unsigned n = (unsigned)rows(*e, above) * d, below = ratio(*e, s, above);
  for (unsigned i = thread(); i < n; i += threads()) {
    size_t at = (size_t)(i / d) * below * d + i % d;
    float sum = 0;
    for (unsigned r = 0; r < below; r++, at += d) sum += relu && result[at] == 0 ? 0 : grad[at];
    out[i] = sum;
  }
}
KERNEL(base_grad)
