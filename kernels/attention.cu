// Multi-head attention of queries over the keys of their function, and its gradients. Queries have
// space s, Point or Context, keys have space t, Context or s. If there are ranges, a query reads the
// keys from its first number up to, but without, its second, counted in the function. Head h has columns
// [h·w, (h+1)·w) with w = d/heads. A warp computes one head of one query, or of one key. No scores are
// stored: each kernel computes them again, 32 at a time. Blocks of 128; no dynamic shared memory.
//
// | kernel | computes | grid |
// | --- | --- | --- |
// | attention | softmax(q·kᵀ/√w)·v | 1 to ceil(rows of s·heads / 4) |
// | attention_grad_query | part QueryGrad, and sums for attention_grad_key | 1 to ceil(rows of s·heads / 4) |
// | attention_grad_key | parts KeyGrad and ValueGrad | 1 to ceil(rows of t·heads / 4) |
#include "extents.h"
#include "functions.h"

// A warp sums STRIP columns of a head at a time; each lane sums COLUMNS of them.
enum { WARPS = 4, STRIP = 128, COLUMNS = STRIP / 32 };

// Keys are those of a query: n rows from the first on.
struct Keys {
  size_t first;
  int n;
};

// keys_of returns the keys of a query; ranges may be null.
DEVICE Keys keys_of(const Extents& e, const float* ranges, int query, int s, int t) {
  int n = rows_of_function(e, t);
  Keys keys = {(size_t)(query / rows_of_function(e, s)) * n, n};
  if (ranges) {
    int begin = (int)ranges[2 * (size_t)query];
    keys.first += begin;
    keys.n = (int)ranges[2 * (size_t)query + 1] - begin;
  }
  return keys;
}

// dot returns a·b.
DEVICE float dot(const float* a, const float* b, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// warp_max returns the largest of a warp's numbers.
DEVICE float warp_max(float v) {
  for (int step = 16; step > 0; step /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, step));
  return v;
}

// accumulate adds Σ_j weight[j]·rows[j], over n rows of w columns, to a lane's columns of a strip.
// stride is the distance of two rows.
DEVICE void accumulate(float sums[COLUMNS], const float* weight, const float* rows, int n, int stride, int strip, int w) {
  int column = strip + threadIdx.x % 32;
  for (rows += column; n > 0; n--, weight++, rows += stride) {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (column + c * 32 < w) sums[c] += *weight * rows[c * 32];
  }
}

// write stores a lane's columns of a strip, times a factor.
DEVICE void write(float* out, const float sums[COLUMNS], float factor, int strip, int w) {
#pragma unroll
  for (int c = 0; c < COLUMNS; c++) {
    int column = strip + c * 32 + threadIdx.x % 32;
    if (column < w) out[column] = sums[c] * factor;
  }
}

// attend_strip computes softmax(query·keys·scale)·values for a strip of columns, 32 keys at a time.
DEVICE void attend_strip(const float* query, const float* keys, const float* values, int n, int d, int w, int strip,
                         float scale, float* weight, float* out) {
  float sums[COLUMNS] = {0, 0, 0, 0}, largest = -INFINITY, total = 0;
  int lane = threadIdx.x % 32;
  for (int i = 0; i < n; i += 32) {
    // 1. Each lane computes the score of one key.
    bool there = i + lane < n;
    float s = there ? dot(query, keys + (size_t)(i + lane) * d, w) * scale : -INFINITY;
    // 2. Weights are relative to the largest score so far. If that grows, the sums so far are
    // scaled down.
    float before = largest;
    largest = fmaxf(before, warp_max(s));
    float down = expf(before - largest), a = there ? expf(s - largest) : 0;
    total = total * down + warp_sum(a);
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) sums[c] *= down;
    // 3. Add the values of these keys, weighted.
    __syncwarp();
    weight[lane] = a;
    __syncwarp();
    accumulate(sums, weight, values + (size_t)i * d, min(32, n - i), d, strip, w);
  }
  write(out, sums, n > 0 ? 1 / total : 0, strip, w);
}

extern "C" __global__ void __launch_bounds__(128, 8)
attention(const Extents* __restrict__ e,     // sizes of the run
          const float* __restrict__ q,       // queries [s, d]
          const float* __restrict__ k,       // keys [t, d]
          const float* __restrict__ v,       // values [t, d]
          const float* __restrict__ ranges,  // of keys [s, 2], or null
          float* __restrict__ out,           // [s, d]
          int s,                             // Point or Context
          int t,                             // Context or s
          int d,                             // columns of all heads
          int heads) {                       // d is a multiple of them
  wait_for_inputs();
  __shared__ float weights[WARPS][32];
  int n = rows(*e, s) * heads, w = d / heads;
  for (int item = thread() / 32; item < n; item += threads() / 32) {
    int query = item / heads, column = item % heads * w;
    Keys keys = keys_of(*e, ranges, query, s, t);
    size_t at = (size_t)query * d + column, first = keys.first * d + column;
    for (int strip = 0; strip < w; strip += STRIP)
      attend_strip(q + at, k + first, v + first, keys.n, d, w, strip, 1 / sqrtf((float)w), weights[threadIdx.x / 32],
                   out + at);
  }
}
KERNEL(attention)

// log_norm returns log Σ exp(query·key·scale) over n keys.
DEVICE float log_norm(const float* query, const float* keys, int n, int d, int w, float scale) {
  LogSum sum = log_sum();
  for (int i = threadIdx.x % 32; i < n; i += 32) include(sum, dot(query, keys + (size_t)i * d, w) * scale);
  return value(warp_log_sum(sum));
}

// warp_dot returns a·b, computed by a warp.
DEVICE float warp_dot(const float* a, const float* b, int n) {
  float sum = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32) sum += a[i] * b[i];
  return warp_sum(sum);
}

// attention_grad_query computes the gradient with respect to a score as weight·(g·v − Σ
// weight·g·v), where that sum equals g·result. It writes log_norm and g·result of every query and
// head to sums. It states 8 blocks per multiprocessor, as the other kernels here do, because nvcc
// otherwise plans for more and spills registers.
extern "C" __global__ void __launch_bounds__(128, 8)
attention_grad_query(const Extents* __restrict__ e,     // sizes of the run
                     const float* __restrict__ grad,    // of the result [s, d]
                     const float* __restrict__ result,  // [s, d]
                     const float* __restrict__ q,       // queries [s, d]
                     const float* __restrict__ k,       // keys [t, d]
                     const float* __restrict__ v,       // values [t, d]
                     const float* __restrict__ ranges,  // of keys [s, 2], or null
                     float* __restrict__ out,           // gradient of q [s, d], or null
                     float* __restrict__ sums,          // [s, heads, 2], for attention_grad_key
                     int s,                             // Point or Context
                     int t,                             // Context or s
                     int d,                             // columns of all heads
                     int heads) {                       // d is a multiple of them
  wait_for_inputs();
  __shared__ float slopes[WARPS][32];
  float* slope = slopes[threadIdx.x / 32];
  int n = rows(*e, s) * heads, w = d / heads, lane = threadIdx.x % 32;
  float scale = 1 / sqrtf((float)w);
  for (int item = thread() / 32; item < n; item += threads() / 32) {
    int query = item / heads, column = item % heads * w;
    Keys keys = keys_of(*e, ranges, query, s, t);
    size_t at = (size_t)query * d + column, first = keys.first * d + column;
    float norm = log_norm(q + at, k + first, keys.n, d, w, scale), mean = warp_dot(grad + at, result + at, w);
    if (lane == 0) {
      sums[2 * item] = norm;
      sums[2 * item + 1] = mean;
    }
    for (int strip = 0; out && strip < w; strip += STRIP) {
      float total[COLUMNS] = {0, 0, 0, 0};
      for (int i = 0; i < keys.n; i += 32) {
        size_t key = first + (size_t)(i + lane) * d;
        __syncwarp();
        if (i + lane < keys.n)
          slope[lane] = expf(dot(q + at, k + key, w) * scale - norm) * (dot(grad + at, v + key, w) - mean) * scale;
        __syncwarp();
        accumulate(total, slope, k + first + (size_t)i * d, min(32, keys.n - i), d, strip, w);
      }
      write(out + at, total, 1, strip, w);
    }
  }
}
KERNEL(attention_grad_query)

// attention_grad_key adds over the queries of the key's function. Of 32 queries that do not read the
// key it adds nothing.
extern "C" __global__ void __launch_bounds__(128, 8)
attention_grad_key(const Extents* __restrict__ e,     // sizes of the run
                   const float* __restrict__ grad,    // of the result [s, d]
                   const float* __restrict__ q,       // queries [s, d]
                   const float* __restrict__ k,       // keys [t, d]
                   const float* __restrict__ v,       // values [t, d]
                   const float* __restrict__ ranges,  // of keys [s, 2], or null
                   const float* __restrict__ sums,    // [s, heads, 2], by attention_grad_query
                   float* __restrict__ out_k,         // gradient of k [t, d], or null
                   float* __restrict__ out_v,         // gradient of v [t, d], or null
                   int s,                             // Point or Context
                   int t,                             // Context or s
                   int d,                             // columns of all heads
                   int heads) {                       // d is a multiple of them
  wait_for_inputs();
  __shared__ float slopes[WARPS][32], weights[WARPS][32];
  float *slope = slopes[threadIdx.x / 32], *weight = weights[threadIdx.x / 32];
  int n = rows(*e, t) * heads, w = d / heads, queries = rows_of_function(*e, s), lane = threadIdx.x % 32;
  float scale = 1 / sqrtf((float)w);
  for (int item = thread() / 32; item < n; item += threads() / 32) {
    int row = item / heads, head = item % heads, begin = row / rows_of_function(*e, t) * queries;
    size_t at = (size_t)row * d + head * w, first = (size_t)begin * d + head * w;
    for (int strip = 0; strip < w; strip += STRIP) {
      float total_k[COLUMNS] = {0, 0, 0, 0}, total_v[COLUMNS] = {0, 0, 0, 0};
      for (int i = 0; i < queries; i += 32) {
        bool there = i + lane < queries;
        if (ranges) {
          Keys keys = {0, 0};
          if (there) keys = keys_of(*e, ranges, begin + i + lane, s, t);
          there = keys.first <= (size_t)row && (size_t)row < keys.first + keys.n;
          if (!__any_sync(~0u, there)) continue;
        }
        __syncwarp();
        if (!there) weight[lane] = slope[lane] = 0;
        if (there) {
          size_t query = first + (size_t)(i + lane) * d;
          const float* known = sums + 2 * ((size_t)(begin + i + lane) * heads + head);
          weight[lane] = expf(dot(q + query, k + at, w) * scale - known[0]);
          slope[lane] = weight[lane] * (dot(grad + query, v + at, w) - known[1]) * scale;
        }
        __syncwarp();
        int read = min(32, queries - i);
        accumulate(total_k, slope, q + first + (size_t)i * d, read, d, strip, w);
        accumulate(total_v, weight, grad + first + (size_t)i * d, read, d, strip, w);
      }
      if (out_k) write(out_k + at, total_k, 1, strip, w);
      if (out_v) write(out_v + at, total_v, 1, strip, w);
    }
  }
}
KERNEL(attention_grad_key)
