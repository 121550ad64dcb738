// Kernels that use every word of device.h, the wrappers around PTX each in a kernel of its own. Tests
// compare them with plain arithmetic, on the emulator and first of all on a GPU.
#include "../device.h"

// out[word][thread], 32 threads: the number that each thread gets from a word.
extern "C" __global__ void __launch_bounds__(32) vocabulary_warp(int* out) {
  wait_for_inputs();
  int t = threadIdx.x, w = 0;
  out[32 * w++ + t] = __shfl_xor_sync(~0u, t, 3);
  out[32 * w++ + t] = __shfl_xor_sync(~0u, t, 12, 8);
  out[32 * w++ + t] = int(__shfl_xor_sync(~0u, 1000000000000ull + t, 1) - 1000000000000ull);
  out[32 * w++ + t] = int(__shfl_xor_sync(~0u, 0.5f * t, 1) * 2);
  out[32 * w++ + t] = __any_sync(~0u, t == 31) + 2 * __any_sync(~0u, t == 32);
  int half_warp = 0;
  if (t < 16) half_warp = __shfl_xor_sync(0xffffu, t, 8);
  out[32 * w++ + t] = half_warp;
  __syncwarp();
}
KERNEL(vocabulary_warp)

// out[t], 64 threads: the block's numbers in reverse order, through static and dynamic shared
// memory.
extern "C" __global__ void __launch_bounds__(64) vocabulary_shared(float* out, const float* x) {
  wait_for_inputs();
  __shared__ float a[64];
  DYNAMIC_SHARED(p);
  float* b = reinterpret_cast<float*>(p);
  int t = threadIdx.x;
  a[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  b[t] = a[63 - t];
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = b[t ^ 1];
}
KERNEL(vocabulary_shared)

// d[16][8] = c[16][8] + a b in halves, a and b by ldmatrix. Plain: a[16][16], b[8][16], one column
// of the product a row. Transposed: both are given the other way around, a[k][16], b[k][8].
DEVICE void vocabulary_half_tile(bool transposed, float* d, const float* c, const float* a, const float* b) {
  __shared__ half as[256], bs[128];
  int t = threadIdx.x, g = t >> 2, i = (t & 3) * 2;
  for (int k = t; k < 256; k += 32) as[k] = __float2half_rn(a[k]);
  for (int k = t; k < 128; k += 32) bs[k] = __float2half_rn(b[k]);
  __syncwarp();
  unsigned fa[4], fb[4];
  float f[4] = {c[g * 8 + i], c[g * 8 + i + 1], c[(g + 8) * 8 + i], c[(g + 8) * 8 + i + 1]};
  if (transposed) {
    ldmatrix_x4_trans(fa, as + ((t & 7) + (t >> 4) * 8) * 16 + (t >> 3 & 1) * 8);
    ldmatrix_x4_trans(fb, bs + (t & 15) * 8);
  } else {
    ldmatrix_x4(fa, as + (t & 15) * 16 + (t >> 4) * 8);
    ldmatrix_x4(fb, bs + (t & 7) * 16 + (t >> 3 & 1) * 8);
  }
  mma_f16(f, fa, fb);
  d[g * 8 + i] = f[0];
  d[g * 8 + i + 1] = f[1];
  d[(g + 8) * 8 + i] = f[2];
  d[(g + 8) * 8 + i + 1] = f[3];
}

extern "C" __global__ void __launch_bounds__(32) vocabulary_f16(float* d, const float* c, const float* a, const float* b, int transposed) {
  wait_for_inputs();
  vocabulary_half_tile(transposed, d, c, a, b);
}
KERNEL(vocabulary_f16)

// out[n] = x[n] in tiles of 256 floats through two buffers of cp.async; beyond n zeros are copied
// and nothing is written.
extern "C" __global__ void __launch_bounds__(64) vocabulary_copy(float* out, const float* x, int n) {
  wait_for_inputs();
  DYNAMIC_SHARED(p);
  float* buffer[2] = {reinterpret_cast<float*>(p), reinterpret_cast<float*>(p) + 256};
  int t = threadIdx.x, tiles = (n + 255) / 256;
  cp_async16(buffer[0] + 4 * t, 4 * t < n ? x + 4 * t : x, 4 * t < n);
  cp_async_commit();
  for (int tile = 0; tile < tiles; tile++) {
    int next = (tile + 1) * 256 + 4 * t;
    cp_async16(buffer[(tile + 1) & 1] + 4 * t, next < n ? x + next : x, next < n);
    cp_async_commit();
    cp_async_wait<1>();
    __syncthreads();
    for (int i = t; i < 256; i += 64) {
      float v = buffer[tile & 1][i];
      if (tile * 256 + i < n) out[tile * 256 + i] = v;
    }
    __syncthreads();
  }
  cp_async_wait<0>();
}
KERNEL(vocabulary_copy)

// What n threads of any number of blocks make of three numbers in turn; found[0] must be 0 at first,
// found[1] large.
extern "C" __global__ void __launch_bounds__(256) vocabulary_atomic(int* found, unsigned long long* large, int n) {
  wait_for_inputs();
  int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  atomicAdd(found, i);
  atomicMin(found + 1, i);
  atomicAdd(large, 1ull << 33);
  __threadfence();
}
KERNEL(vocabulary_atomic)

// out[4][32] = what the lanes get of the matrices in x, four of 8 rows of 8 halves. A half is here an
// unsigned short of any value.
extern "C" __global__ void __launch_bounds__(32) vocabulary_ldmatrix(unsigned* out, const unsigned* x, int transposed) {
  wait_for_inputs();
  __shared__ __align__(16) unsigned matrices[128];
  int t = threadIdx.x;
  for (int i = t; i < 128; i += 32) matrices[i] = x[i];
  __syncwarp();
  unsigned r[4];
  if (transposed) {
    ldmatrix_x4_trans(r, matrices + t * 4);
  } else {
    ldmatrix_x4(r, matrices + t * 4);
  }
  for (int i = 0; i < 4; i++) out[i * 32 + t] = r[i];
}
KERNEL(vocabulary_ldmatrix)

// d[32][4] = c[32][4] + the product of the lanes' fragments a[32][4] and b[32][2], pairs of halves.
extern "C" __global__ void __launch_bounds__(32) vocabulary_mma_f16(float* d, const float* c, const unsigned* a, const unsigned* b) {
  wait_for_inputs();
  int t = threadIdx.x;
  float f[4] = {c[4 * t], c[4 * t + 1], c[4 * t + 2], c[4 * t + 3]};
  mma_f16(f, a + 4 * t, b + 2 * t);
  for (int i = 0; i < 4; i++) d[4 * t + i] = f[i];
}
KERNEL(vocabulary_mma_f16)

// Roundings of x[n]: to half and back; the bits of the pairs of halves (x, −2x), and of (x, −2x) after
// a ReLU, computed twice.
extern "C" __global__ void __launch_bounds__(32) vocabulary_roundings(float* halves, unsigned* pairs, unsigned* rectified, const float* x, int n) {
  wait_for_inputs();
  for (int i = threadIdx.x; i < n; i += 32) {
    halves[i] = __half2float(__float2half_rn(x[i]));
    pairs[i] = pack_half2(x[i], -2 * x[i]);
    rectified[i] = pack_relu_half2(x[i], -2 * x[i]);
    float2 pair = unpack_half2(pairs[i]);
    if (pair.x != halves[i] && pair.x == pair.x) __trap();
    if (pair.y != __half2float(__float2half_rn(-2 * x[i])) && pair.y == pair.y) __trap();
    if (pack_relu_half2_again(x[i], -2 * x[i]) != rectified[i]) __trap();
  }
}
KERNEL(vocabulary_roundings)

// Numbers: out[0..] of x[0..1] in the order of the test's table.
extern "C" __global__ void vocabulary_numbers(float* out, const float* x) {
  wait_for_inputs();
  float a = x[0], b = x[1];
  int w = 0;
  out[w++] = fmaf(a, b, 1.f);
  out[w++] = fmaxf(a, b) + min(a, b) + max(3, 4) + min(3u, 4u);
  out[w++] = expf(a) + logf(a) + log1pf(a) + sqrtf(a) + fabsf(-b);
  out[w++] = float(__umulhi(0x80000000u, 6u));
  out[w++] = __uint_as_float(__float_as_uint(a)) + __int_as_float(0x3f800000);
  out[w++] = __half2float(__float2half_rn(a));
  float4 v = make_float4(a, b, a, b);
  uint4 u = make_uint4(1, 2, 3, 4);
  int2 i2 = make_int2(5, 6);
  uint2 u2 = make_uint2(7, 8);
  out[w++] = v.x + v.y + v.z + v.w + make_float2(a, b).y + float(u.w + i2.y + u2.y);
  out[w++] = isnan(a) || isinf(b) || !isfinite(a) ? 1.f : 0.f;
  if (a != a) __trap();
}
KERNEL(vocabulary_numbers)

// out[i] = i + the sum of the block's thread numbers, i the thread's place in the whole grid; the
// sum goes through barriers.
extern "C" __global__ void __launch_bounds__(1024) vocabulary_places(int* out) {
  wait_for_inputs();
  __shared__ int sums[1024];
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), n = blockDim.x, t = threadIdx.x;
  sums[t] = t;
  __syncthreads();
  for (int k = 1; k < n; k *= 2) {
    int other = t % (2 * k) == 0 && t + k < n ? sums[t + k] : 0;
    if (t % (2 * k) == 0) sums[t] += other;
    __syncthreads();
  }
  out[block * n + t] = block * n + t + sums[0];
}
KERNEL(vocabulary_places)
