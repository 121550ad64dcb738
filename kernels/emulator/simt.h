// The words of device.h for g++. Threads are fibers that meet in the functions of simt_runtime.h.
// In a checked build g++ calls a function of the emulator for every access to memory that is not a
// thread's own (-fsanitize=thread).
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <type_traits>
#include <utility>

#include "simt_runtime.h"

#define __CUDA_ARCH__ 900
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("simt_shared"), aligned(16)))
#define DEVICE static inline
#define SIMT_WORD static inline __attribute__((always_inline))
#define SIMT_UNCHECKED __attribute__((noinline, no_sanitize_thread))
#define SIMT_AT simt_place at = {__builtin_FILE(), __builtin_LINE()}
#define DYNAMIC_SHARED(p) unsigned char* p = simt_dynamic_shared()

// ---- vectors
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
SIMT_WORD float2 make_float2(float x, float y) { return {x, y}; }
SIMT_WORD float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
SIMT_WORD int2 make_int2(int x, int y) { return {x, y}; }
SIMT_WORD uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
SIMT_WORD uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// ---- where a thread is
#define threadIdx (simt_thread())
#define blockIdx (simt_block())
#define blockDim (simt_block_size())
#define gridDim (simt_grid())

SIMT_WORD void wait_for_inputs() { simt_wait_for_inputs(); }

// ---- meeting points
SIMT_WORD void __syncthreads(SIMT_AT) { simt_syncthreads(at); }
SIMT_WORD void __syncwarp(unsigned mask = ~0u, SIMT_AT) { simt_syncwarp(mask, at); }
SIMT_WORD void __threadfence() { simt_threadfence(); }
SIMT_WORD int __any_sync(unsigned mask, int vote, SIMT_AT) { return simt_ballot(mask, vote, at) != 0; }

namespace simt {
template <class T> SIMT_WORD T shuffle(unsigned mask, T v, unsigned source, simt_place at) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles are of 4 or 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &v, sizeof v);
  bits = simt_shuffle(mask, bits, source, at);
  memcpy(&v, &bits, sizeof v);
  return v;
}
}  // namespace simt
template <class T> SIMT_WORD T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, SIMT_AT) {
  unsigned lane = simt_lane(), source = lane ^ bits;
  return simt::shuffle(mask, v, source < (lane & -width) + width ? source : lane, at);
}

// ---- atomics: threads switch only at meeting points
#define SIMT_ATOMIC(name, result)                                     \
  template <class T> SIMT_UNCHECKED T name(T* p, T v, SIMT_AT) {      \
    static_assert(std::is_integral<T>::value, "sums of floats keep a fixed order: no atomics"); \
    simt_atomic(p, sizeof(T), at);                                    \
    T old = *p;                                                       \
    *p = result;                                                      \
    return old;                                                       \
  }
SIMT_ATOMIC(atomicAdd, old + v)
SIMT_ATOMIC(atomicMin, v < old ? v : old)

// ---- numbers
SIMT_WORD unsigned __umulhi(unsigned a, unsigned b) { return unsigned(uint64_t(a) * b >> 32); }
namespace simt {
template <class To, class From> SIMT_WORD To bits(From x) {
  static_assert(sizeof(To) == sizeof(From), "");
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}
}  // namespace simt
SIMT_WORD unsigned __float_as_uint(float x) { return simt::bits<unsigned>(x); }
SIMT_WORD float __uint_as_float(unsigned x) { return simt::bits<float>(x); }
SIMT_WORD float __int_as_float(int x) { return simt::bits<float>(x); }
#define SIMT_MIN_MAX(T)                                 \
  SIMT_WORD T min(T a, T b) { return a < b ? a : b; }   \
  SIMT_WORD T max(T a, T b) { return a > b ? a : b; }
SIMT_MIN_MAX(int)
SIMT_MIN_MAX(unsigned)
SIMT_MIN_MAX(long)
SIMT_MIN_MAX(unsigned long)
SIMT_MIN_MAX(long long)
SIMT_MIN_MAX(unsigned long long)
SIMT_WORD float min(float a, float b) { return fminf(a, b); }
SIMT_WORD float max(float a, float b) { return fmaxf(a, b); }

// ---- halves
struct alignas(2) __half { uint16_t bits; };
typedef __half half;
SIMT_WORD half __float2half_rn(float x) { return {simt_to_half(x)}; }
SIMT_WORD float __half2float(half h) { return simt_from_half(h.bits); }
SIMT_WORD unsigned pack_half2(float lo, float hi) { return simt_to_half(lo) | unsigned(simt_to_half(hi)) << 16; }
SIMT_WORD float2 unpack_half2(unsigned w) { return make_float2(simt_from_half(uint16_t(w)), simt_from_half(uint16_t(w >> 16))); }
SIMT_WORD unsigned pack_relu_half2(float lo, float hi) { return pack_half2(lo < 0 ? 0 : lo, hi < 0 ? 0 : hi); }
SIMT_WORD unsigned pack_relu_half2_again(float lo, float hi) { return pack_relu_half2(lo, hi); }

// ---- the matrix unit. Operands are passed by value, so that accesses to a thread's fragments are
// not checked.
SIMT_WORD void mma_f16(float c[4], const unsigned a[4], const unsigned b[2], SIMT_AT) {
  simt_floats d = simt_mma_f16(simt_floats{c[0], c[1], c[2], c[3]}, simt_words{a[0], a[1], a[2], a[3]}, b[0] | uint64_t(b[1]) << 32, at);
  for (int i = 0; i < 4; i++) c[i] = d[i];
}
SIMT_WORD void ldmatrix_x4(unsigned r[4], const void* p, SIMT_AT) {
  simt_words w = simt_ldmatrix(p, 0, at);
  for (int i = 0; i < 4; i++) r[i] = w[i];
}
SIMT_WORD void ldmatrix_x4_trans(unsigned r[4], const void* p, SIMT_AT) {
  simt_words w = simt_ldmatrix(p, 1, at);
  for (int i = 0; i < 4; i++) r[i] = w[i];
}
SIMT_WORD void cp_async16(void* dst, const void* src, bool ok, SIMT_AT) { simt_cp_async(dst, src, ok ? 16 : 0, at); }
SIMT_WORD void cp_async_commit(SIMT_AT) { simt_cp_async_commit(at); }
template <int N> SIMT_WORD void cp_async_wait(SIMT_AT) { simt_cp_async_wait(N, at); }
SIMT_WORD void __trap(SIMT_AT) { simt_trap(at); }

#include "simt_hopper.h"

// ---- the table of kernels: name and sizes of arguments come from the kernel's type
namespace simt {
template <auto Kernel> struct Entry;
template <class... A, void (*Kernel)(A...)> struct Entry<Kernel> {
  static constexpr int sizes[sizeof...(A) + 1] = {int(sizeof(A))..., 0};
  template <size_t... I> SIMT_UNCHECKED static void spread(void** p, std::index_sequence<I...>) { Kernel(*static_cast<A*>(p[I])...); }
  SIMT_UNCHECKED static void call(void** p) { spread(p, std::index_sequence_for<A...>{}); }
  simt_kernel kernel;
  explicit Entry(const char* name) : kernel{name, call, sizeof...(A), sizes, nullptr} {
    static_assert(((sizeof(A) == 4 || sizeof(A) == 8) && ...), "arguments are of 4 or 8 bytes");
    simt_add_kernel(&kernel);
  }
};
}  // namespace simt
#define KERNEL(name) static simt::Entry<name> simt_kernel_##name(#name);
