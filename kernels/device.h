// The words that the kernels use. For nvcc they are CUDA C++. For g++ the emulator defines the same
// words and then includes the kernels, so they also run on the host, with every access checked
// (build tag simt). A kernel may use no other words of CUDA.
//
// | word | meaning |
// | --- | --- |
// | extern "C" __global__ void name(...) {...} KERNEL(name) | a kernel, and its entry in the table of kernels; arguments have 4 or 8 bytes |
// | __launch_bounds__(n) | the largest block that the kernel is launched with |
// | DEVICE | an inlined function of one file: DEVICE float f(float x), also after template <...> |
// | MEMBER | a member function of a struct, inlined |
// | wait_for_inputs(); | the first statement of a kernel, in every thread: see below |
// | __shared__ float a[N]; | static shared memory; in a kernel or a DEVICE function, but not in a template |
// | DYNAMIC_SHARED(p); | unsigned char* p: the launch's dynamic shared memory, aligned to 16 bytes |
// | threadIdx blockIdx blockDim gridDim | .x .y .z |
// | __syncthreads() | barrier of the block; all its threads must reach the same call |
// | __syncwarp(mask) | barrier of a warp's lanes; without it their accesses to shared memory have no order |
// | __shfl_xor_sync(mask, v, bits, width) | 4 or 8 bytes from another lane |
// | __any_sync(mask, p) | a vote of a warp |
// | atomicAdd Min | of int, unsigned, unsigned long long (not of floats: sums keep a fixed order) |
// | __threadfence() | before an atomic operation: what this thread did, and what others did before a barrier, comes before it for other blocks; after one: the same of those that counted before comes before what follows |
// | mma_f16(c, a, b) | c[4] += a[4] b[2]: m16n8k16, halves in, floats out; layout of PTX mma.sync (k16 as two k8 on sm_75) |
// | ldmatrix_x4(r, p), ldmatrix_x4_trans(r, p) | four 8x8 matrices of halves from shared memory; lane l gives row l%8 of matrix l/8 |
// | cp_async16(dst, src, ok) | 16 bytes from global to shared memory, zeros unless ok; a plain copy on sm_75 |
// | cp_async_commit() cp_async_wait<N>() | end a group of copies; wait until at most N of this thread's groups are incomplete |
// | half, __float2half_rn, __half2float | |
// | pack_half2(lo, hi) | two floats to an unsigned of two halves |
// | unpack_half2(w) | the float2 of such an unsigned |
// | pack_relu_half2(lo, hi) | pack_half2 of max(lo, 0) and max(hi, 0); a NaN stays a NaN |
// | pack_relu_half2_again(lo, hi) | the same, computed again: the compiler does not see that the registers are equal |
// | float2 float4 int2 uint2 uint4, make_... | vectors, aligned to their size |
// | fmaf fmaxf sqrtf ... | all of math.h for float |
// | min max | of two of the same type |
// | __umulhi __float_as_uint __uint_as_float __int_as_float | |
// | __trap() | ends the launch with an error |
// | #pragma unroll | |
//
// From sm_90 on, a launch may start while the one before it in a graph still runs: gpu.Early says
// which. wait_for_inputs waits until that one is complete and its results are visible, and only then
// lets the next launch start. So whatever a kernel reads or overwrites after it, no earlier launch
// uses any more:
// - The launch before is complete. If it started early itself, each of its threads waited for the one
//   before it, and so on: all launches that come before in the graph are complete, reads and writes.
// - A launch beside it in the graph shares no memory with it that either writes, early or not.
// - At most one launch waits behind another. Its blocks take only room that the other leaves, since
//   all of the other's blocks have begun.
// A thread that touches global memory before it waits, or ends without, is an error in the emulator.
// __restrict__ has no effect from sm_90 on. It promises that nothing else writes the memory while the
// kernel runs, which is wrong for one that starts early: nvcc may then move accesses before the wait,
// and read memory through ld.global.nc, whose cache the wait does not cover.
//
// __CUDA_ARCH__ is 900 on the host. The host does not show bank conflicts, the limits of registers
// and shared memory of each chip, the last digits of fast arithmetic, or the order in which the
// matrix unit adds.
#pragma once
#define MEMBER __device__ __forceinline__
#ifdef __CUDACC__
#include <cuda_fp16.h>
#include <stdint.h>

#if __CUDA_ARCH__ >= 900
#define __restrict__
#endif
#define DEVICE static __device__ __forceinline__
#define KERNEL(name)
extern __shared__ __align__(16) unsigned char device_dynamic_shared[];
#define DYNAMIC_SHARED(p) unsigned char* p = device_dynamic_shared

DEVICE void wait_for_inputs() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

DEVICE unsigned pack_half2(float lo, float hi) {
  __half2 h = __floats2half2_rn(lo, hi);
  return *reinterpret_cast<unsigned*>(&h);
}

DEVICE float2 unpack_half2(unsigned w) { return __half22float2(*reinterpret_cast<__half2*>(&w)); }

DEVICE unsigned pack_relu_half2(float lo, float hi) {
#if __CUDA_ARCH__ >= 800
  unsigned r;
  asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
#else
  return pack_half2(lo < 0 ? 0 : lo, hi < 0 ? 0 : hi);
#endif
}

DEVICE unsigned pack_relu_half2_again(float lo, float hi) {
#if __CUDA_ARCH__ >= 800
  unsigned r;
  asm volatile("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
#else
  return pack_relu_half2(lo, hi);
#endif
}

// All asm that a warp executes together is volatile. mma.sync and ldmatrix need all lanes, and only
// volatile asm stays where it is: other asm may be moved into a branch that some lanes do not take.
// ldmatrix reads shared memory that no operand names (PTX has no operand of memory), so it also needs
// the clobber "memory". Neither costs anything: without them nvcc 11.8 and 13.0 write as many
// instructions.
DEVICE unsigned device_shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

DEVICE void mma_f16(float c[4], const unsigned a[4], const unsigned b[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else  // two products of k8 take the same registers
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[2]), "r"(a[3]), "r"(b[1]));
#endif
}

DEVICE void ldmatrix_x4(unsigned r[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(device_shared_address(p))
               : "memory");
}

DEVICE void ldmatrix_x4_trans(unsigned r[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(device_shared_address(p))
               : "memory");
}

DEVICE void cp_async16(void* dst, const void* src, bool ok) {
#if __CUDA_ARCH__ >= 800
  int n = ok ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(device_shared_address(dst)), "l"(__cvta_generic_to_global(src)), "r"(n) : "memory");
#else
  *static_cast<uint4*>(dst) = ok ? *static_cast<const uint4*>(src) : make_uint4(0, 0, 0, 0);
#endif
}

DEVICE void cp_async_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int N> DEVICE void cp_async_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}
#endif
