// The words of sm_90a that the pair kernels use besides those of device.h. A warpgroup is four warps,
// the first of which has a number divisible by 4. Addresses of shared memory are numbers of 32 bits, as
// these instructions take them.
//
// | word | meaning |
// | --- | --- |
// | shared_address(p) shared_pointer(a) | the address of a pointer to shared memory, and back |
// | wgmma_f16<TA, TB>(d, a, b, add) | d = A B, or d += A B if add: A [64, 16], B [16, N] halves in shared memory, d [64, N] floats; N is 128, 64 or 8 and d has N / 2 elements of a thread. a and b are descriptors (PTX ISA: matrix descriptor), TA and TB 1 if the memory runs along rows of d (columns of B) rather than along the 16. Of thread l of warp w, d[4j + 2i + e] is row 16w + l/4 + 8i, column 8j + 2(l%4) + e |
// | wgmma_f16_rows<TB>(d, a, b, add) | the same, N = 128 or 64, with A in registers: a[4] of a warp is that of mma_f16 |
// | wgmma_fence() | before the first wgmma after registers of d or a were written |
// | wgmma_commit() wgmma_wait<N>(d) | end a group of products; wait until at most N groups of the warpgroup are under way. d may be read then, not before |
// | fence_async() | what this thread wrote to shared memory comes before what wgmma and bulk copies read after a barrier |
// | barrier_sync(id, threads) | a barrier of as many threads, whole warps; id 1 to 15 |
// | mbarrier_init(m) | by one thread, before a barrier: 8 bytes that count one arrival and the bytes of copies; phase 0 begins |
// | mbarrier_expect(m, bytes) | the arrival: the phase ends when that many bytes have come |
// | mbarrier_wait(m, parity) | waits for the end of the phase of this parity; 0 is the first |
// | bulk_load(to, from, bytes, m) | copies from global to shared memory, in the background; multiples of 16 bytes |
// | bulk_store(to, from, bytes) | copies from shared to global memory, in the background, a group for each call |
// | bulk_store_read() bulk_store_end() | waits until this thread's stores have read their source; until they are done |
// | stmatrix_x4(a, r) | four 8x8 matrices of halves to shared memory; lane l gives the address of row l%8 of matrix l/8 |
// | ldmatrix_x4_at(r, a) | ldmatrix_x4 by address |
// | positive_halves(x) | 0xffff for each of two halves above 0, otherwise 0 |
#pragma once
#include "device.h"
#ifdef __CUDACC__
DEVICE unsigned shared_address(const void* p) { return device_shared_address(p); }
DEVICE void* shared_pointer(unsigned a) { return __cvta_shared_to_generic(a); }

#define HOPPER_R4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define HOPPER_R16(d, i) HOPPER_R4(d, i), HOPPER_R4(d, i + 4), HOPPER_R4(d, i + 8), HOPPER_R4(d, i + 12)
#define HOPPER_R32(d) HOPPER_R16(d, 0), HOPPER_R16(d, 16)
#define HOPPER_R64(d) HOPPER_R16(d, 0), HOPPER_R16(d, 16), HOPPER_R16(d, 32), HOPPER_R16(d, 48)
#define HOPPER_N32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define HOPPER_N64 HOPPER_N32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"

// HOPPER_WGMMA defines the products of N columns. D are the COUNT registers of d and LIST their names;
// n0 … n6 are the numbers of the operands after them.
#define HOPPER_WGMMA(COUNT, N, D, LIST, n0, n1, n2, n3, n4, n5, n6)                                                        \
  template <int TA, int TB> DEVICE void wgmma_f16(float (&d)[COUNT], uint64_t a, uint64_t b, int add) {                    \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %" #n2 ", 0; wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 {" LIST \
                 "}, %" #n0 ", %" #n1 ", p, 1, 1, %" #n3 ", %" #n4 ";}"                                                    \
                 : D                                                                                                       \
                 : "l"(a), "l"(b), "r"(add), "n"(TA), "n"(TB)                                                              \
                 : "memory");                                                                                              \
  }                                                                                                                        \
  template <int TB> DEVICE void wgmma_f16_rows(float (&d)[COUNT], const unsigned (&a)[4], uint64_t b, int add) {           \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %" #n5 ", 0; wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 {" LIST \
                 "}, {%" #n0 ", %" #n1 ", %" #n2 ", %" #n3 "}, %" #n4 ", p, 1, 1, %" #n6 ";}"                              \
                 : D                                                                                                       \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(TB)                                   \
                 : "memory");                                                                                              \
  }
HOPPER_WGMMA(4, 8, HOPPER_R4(d, 0), "%0,%1,%2,%3", 4, 5, 6, 7, 8, 9, 10)
HOPPER_WGMMA(32, 64, HOPPER_R32(d), HOPPER_N32, 32, 33, 34, 35, 36, 37, 38)
HOPPER_WGMMA(64, 128, HOPPER_R64(d), HOPPER_N64, 64, 65, 66, 67, 68, 69, 70)

DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// The operands keep the compiler from reading d sooner.
template <int N> DEVICE void wgmma_wait(float (&d)[64]) { asm volatile("wgmma.wait_group.sync.aligned %64;" : HOPPER_R64(d) : "n"(N) : "memory"); }
template <int N> DEVICE void wgmma_wait(float (&d)[32]) { asm volatile("wgmma.wait_group.sync.aligned %32;" : HOPPER_R32(d) : "n"(N) : "memory"); }

DEVICE void barrier_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
DEVICE void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
DEVICE void mbarrier_init(unsigned m) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(m) : "memory");
}
DEVICE void mbarrier_expect(unsigned m, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(m), "r"(bytes) : "memory");
}
#ifdef BOUNDED
// Traps after two seconds, so that a copy that never comes ends a test (scripts/gpu-check-pack.sh).
DEVICE void mbarrier_wait(unsigned m, unsigned parity) {
  unsigned began, now, done;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(began));
  while (true) {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(m), "r"(parity) : "memory");
    if (done) return;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
    if (now - began > 2000000000u) __trap();
  }
}
#else
DEVICE void mbarrier_wait(unsigned m, unsigned parity) {
  asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again;}" ::"r"(m), "r"(parity) : "memory");
}
#endif
DEVICE void bulk_load(unsigned to, const void* from, unsigned bytes, unsigned m) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               ::"r"(to), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(m) : "memory");
}
DEVICE void bulk_store(void* to, unsigned from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)), "r"(from), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
DEVICE void bulk_store_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
DEVICE void bulk_store_end() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
DEVICE void stmatrix_x4(unsigned a, const unsigned (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
}
DEVICE void ldmatrix_x4_at(unsigned (&r)[4], unsigned a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}
DEVICE unsigned positive_halves(unsigned x) { return __hgt2_mask(*reinterpret_cast<__half2*>(&x), __half2half2(__ushort_as_half(0))); }
#endif
