// archs: 90a
// Kernels that use every word of hopper.h. Tests compare them with plain arithmetic, on the emulator
// and on a GPU of compute capability 9.0.
#define BOUNDED // a wait that never ends fails its test
#include "../hopper.h"

// vocabulary_image copies bytes to the first multiple of 1024 in dynamic shared memory, for wgmma.
DEVICE unsigned vocabulary_image(const uint4* image, int bytes) {
  DYNAMIC_SHARED(p);
  unsigned at = (shared_address(p) + 1023) & ~1023u;
  uint4* to = static_cast<uint4*>(shared_pointer(at));
  for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x) to[i] = image[i];
  fence_async();
  __syncthreads();
  return at;
}

// vocabulary_sums loads a thread's elements of c [64, N], or stores them.
template <int N> DEVICE void vocabulary_sums(float (&f)[N / 2], float* c, bool load) {
  int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
#pragma unroll
  for (int i = 0; i < N / 2; i++) {
    float* at = c + (row + i / 2 % 2 * 8) * N + column + i / 4 * 8 + i % 2;
    if (load)
      f[i] = *at;
    else
      *at = f[i];
  }
}

// d += A B, or d = A B unless add. A is [64, 16 steps], B [16 steps, N]. operands has the descriptors
// of A and B for an image at address 0, and what to add to them for the next 16.
template <int N, int TA, int TB> DEVICE void vocabulary_product(float* d, const uint4* image, int bytes, const uint64_t* operands, int steps, int add) {
  unsigned at = vocabulary_image(image, bytes);
  float f[N / 2];
  vocabulary_sums<N>(f, d, true);
  uint64_t a = operands[0] + (at >> 4), b = operands[1] + (at >> 4);
  wgmma_fence();
  for (int s = 0; s < steps; s++) wgmma_f16<TA, TB>(f, a + s * operands[2], b + s * operands[3], add || s > 0);
  wgmma_commit();
  if constexpr (N == 8) {  // no wgmma_wait takes so few
    float other[32] = {};
    wgmma_wait<0>(other);
  } else {
    wgmma_wait<0>(f);
  }
  vocabulary_sums<N>(f, d, false);
}
template <int N> DEVICE void vocabulary_any_product(float* d, const uint4* image, int bytes, const uint64_t* operands, int steps, int add, int ta, int tb) {
  if (ta && tb) vocabulary_product<N, 1, 1>(d, image, bytes, operands, steps, add);
  if (ta && !tb) vocabulary_product<N, 1, 0>(d, image, bytes, operands, steps, add);
  if (!ta && tb) vocabulary_product<N, 0, 1>(d, image, bytes, operands, steps, add);
  if (!ta && !tb) vocabulary_product<N, 0, 0>(d, image, bytes, operands, steps, add);
}
#define VOCABULARY_WGMMA(N)                                                                                       \
  extern "C" __global__ void __launch_bounds__(128) vocabulary_wgmma_##N(                                         \
      float* d, const uint4* image, int bytes, const uint64_t* operands, int steps, int add, int ta, int tb) {    \
    wait_for_inputs();                                                                                            \
    vocabulary_any_product<N>(d, image, bytes, operands, steps, add, ta, tb);                                     \
  }                                                                                                               \
  KERNEL(vocabulary_wgmma_##N)
VOCABULARY_WGMMA(128)
VOCABULARY_WGMMA(64)
VOCABULARY_WGMMA(8)

// The same with 2 steps and A in registers: a[thread][step][4]. Two products are under way: the one
// that is waited for first is stored to d, the other to d + 64 N.
template <int N, int TB> DEVICE void vocabulary_rows(float* d, const unsigned* a, const uint4* image, int bytes, const uint64_t* operands, int add) {
  wait_for_inputs();
  unsigned at = vocabulary_image(image, bytes);
  float f[N / 2], g[N / 2];
  vocabulary_sums<N>(f, d, true);
  vocabulary_sums<N>(g, d + 64 * N, true);
  uint64_t b = operands[1] + (at >> 4);
  unsigned rows[2][4];
#pragma unroll
  for (int i = 0; i < 8; i++) rows[i / 4][i % 4] = a[threadIdx.x * 8 + i];
  wgmma_fence();
#pragma unroll
  for (int s = 0; s < 2; s++) wgmma_f16_rows<TB>(f, rows[s], b + s * operands[3], add || s > 0);
  wgmma_commit();
#pragma unroll
  for (int s = 0; s < 2; s++) wgmma_f16_rows<TB>(g, rows[s], b + s * operands[3], add || s > 0);
  wgmma_commit();
  wgmma_wait<1>(f);
  vocabulary_sums<N>(f, d, false);
  wgmma_wait<0>(g);
  vocabulary_sums<N>(g, d + 64 * N, false);
}
#define VOCABULARY_ROWS(N)                                                                                        \
  extern "C" __global__ void __launch_bounds__(128) vocabulary_rows_##N(                                          \
      float* d, const unsigned* a, const uint4* image, int bytes, const uint64_t* operands, int add, int tb) {    \
    wait_for_inputs();                                                                                            \
    if (tb)                                                                                                       \
      vocabulary_rows<N, 1>(d, a, image, bytes, operands, add);                                                   \
    else                                                                                                          \
      vocabulary_rows<N, 0>(d, a, image, bytes, operands, add);                                                   \
  }                                                                                                               \
  KERNEL(vocabulary_rows_##N)
VOCABULARY_ROWS(128)
VOCABULARY_ROWS(64)

// out[tiles][n] = x[tiles][n] with each tile's numbers in reverse order, through two buffers of bulk
// copies and one for the result. An mbarrier also shows what its thread wrote before. Three tiles of n
// numbers and 32 bytes fit the shared memory.
extern "C" __global__ void __launch_bounds__(64) vocabulary_bulk(float* out, const float* x, int tiles, int n) {
  wait_for_inputs();
  DYNAMIC_SHARED(p);
  int* number = reinterpret_cast<int*>(p + 16);  // of the tile in a buffer
  float* tile = reinterpret_cast<float*>(p + 32);
  unsigned m = shared_address(p), at = m + 32, result = at + 8 * n;
  int t = threadIdx.x;
  auto load = [&](int i) {
    if (i >= tiles) return;
    number[i & 1] = i;
    mbarrier_expect(m + 8 * (i & 1), 4 * n);
    bulk_load(at + 4 * n * (i & 1), x + i * n, 4 * n, m + 8 * (i & 1));
  };
  if (t == 0) {
    mbarrier_init(m);
    mbarrier_init(m + 8);
  }
  __syncthreads();
  if (t == 0) {
    load(0);
    load(1);
  }
  for (int i = 0; i < tiles; i++) {
    mbarrier_wait(m + 8 * (i & 1), i >> 1 & 1);
    if (number[i & 1] != i) __trap();
    for (int k = t; k < n; k += 64) tile[2 * n + k] = tile[(i & 1) * n + n - 1 - k];
    fence_async();
    __syncthreads();
    if (t == 0) {
      bulk_store(out + i * n, result, 4 * n);
      load(i + 2);
      bulk_store_read();
    }
    __syncthreads();
  }
  if (t == 0) bulk_store_end();
}
KERNEL(vocabulary_bulk)

// 192 threads in three groups of 64, each with a barrier of its own: group g passes numbers around by
// one thread g + 1 times. out[t] has the number that thread t then gets from the next group. Group 0
// meets the others one after the other and clears its numbers, which both have read; out[192 + t] has
// what is left.
extern "C" __global__ void __launch_bounds__(192) vocabulary_groups(int* out) {
  wait_for_inputs();
  __shared__ int numbers[192];
  int t = threadIdx.x, group = t / 64;
  numbers[t] = t;
  for (int i = 0; i <= group; i++) {
    barrier_sync(1 + group, 64);
    int v = numbers[group * 64 + (t + 1) % 64];
    barrier_sync(1 + group, 64);
    numbers[t] = v;
  }
  barrier_sync(15, 192);
  out[t] = numbers[(t + 64) % 192];
  if (group > 0) {
    if (numbers[t % 64] != (t + 1) % 64) __trap();
    barrier_sync(4 + group, 128);
  } else {
    barrier_sync(5, 128);
    barrier_sync(6, 128);
    numbers[t] = 0;
  }
  __syncthreads();
  out[192 + t] = numbers[t];
}
KERNEL(vocabulary_groups)

// out[128] = four matrices of 8 rows of 8 halves, of which lane l has element l in x[4][32]. back[4][32]
// = what the lanes load of them.
extern "C" __global__ void __launch_bounds__(32) vocabulary_stmatrix(unsigned* out, unsigned* back, const unsigned* x) {
  wait_for_inputs();
  DYNAMIC_SHARED(p);
  unsigned* matrices = reinterpret_cast<unsigned*>(p);
  int t = threadIdx.x;
  unsigned r[4] = {x[t], x[32 + t], x[64 + t], x[96 + t]}, s[4];
  stmatrix_x4(shared_address(matrices + t * 4), r);
  __syncwarp();
  ldmatrix_x4_at(s, shared_address(matrices + t * 4));
  for (int i = 0; i < 4; i++) {
    out[32 * i + t] = matrices[32 * i + t];
    back[32 * i + t] = s[i];
  }
}
KERNEL(vocabulary_stmatrix)

// masks[n] of the pairs of halves x[n].
extern "C" __global__ void __launch_bounds__(256) vocabulary_positive(unsigned* masks, const unsigned* x, int n) {
  wait_for_inputs();
  for (int i = threadIdx.x; i < n; i += 256) masks[i] = positive_halves(x[i]);
}
KERNEL(vocabulary_positive)
