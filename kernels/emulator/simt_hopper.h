// The words of hopper.h for g++.
#pragma once
SIMT_WORD unsigned shared_address(const void* p, SIMT_AT) { return simt_shared_address(p, at); }
SIMT_WORD void* shared_pointer(unsigned a) { return simt_shared_pointer(a); }

template <int TA, int TB, int N> SIMT_WORD void wgmma_f16(float (&d)[N], uint64_t a, uint64_t b, int add, SIMT_AT) {
  static_assert(N == 64 || N == 32 || N == 4, "d has 64, 32 or 4 elements of a thread");
  simt_wgmma(d, a, b, simt_words{}, simt_wgmma_kind{2 * N, TA, TB, 0, add != 0}, at);
}
template <int TB, int N> SIMT_WORD void wgmma_f16_rows(float (&d)[N], const unsigned (&a)[4], uint64_t b, int add, SIMT_AT) {
  static_assert(N == 64 || N == 32, "d has 64 or 32 elements of a thread");
  simt_wgmma(d, 0, b, simt_words{a[0], a[1], a[2], a[3]}, simt_wgmma_kind{2 * N, 0, TB, 1, add != 0}, at);
}
SIMT_WORD void wgmma_fence(SIMT_AT) { simt_wgmma_fence(at); }
SIMT_WORD void wgmma_commit(SIMT_AT) { simt_wgmma_commit(at); }
template <int N, int D> SIMT_WORD void wgmma_wait(float (&)[D], SIMT_AT) {
  static_assert(D == 64 || D == 32, "d has 64 or 32 elements of a thread");
  simt_wgmma_wait(N, at);
}

SIMT_WORD void barrier_sync(int id, int threads, SIMT_AT) { simt_barrier_sync(id, threads, at); }
SIMT_WORD void fence_async(SIMT_AT) { simt_fence_async(at); }
SIMT_WORD void mbarrier_init(unsigned m, SIMT_AT) { simt_mbarrier_init(m, at); }
SIMT_WORD void mbarrier_expect(unsigned m, unsigned bytes, SIMT_AT) { simt_mbarrier_expect(m, bytes, at); }
SIMT_WORD void mbarrier_wait(unsigned m, unsigned parity, SIMT_AT) { simt_mbarrier_wait(m, parity, at); }
SIMT_WORD void bulk_load(unsigned to, const void* from, unsigned bytes, unsigned m, SIMT_AT) { simt_bulk_load(to, from, bytes, m, at); }
SIMT_WORD void bulk_store(void* to, unsigned from, unsigned bytes, SIMT_AT) { simt_bulk_store(to, from, bytes, at); }
SIMT_WORD void bulk_store_read(SIMT_AT) { simt_bulk_store_read(at); }
SIMT_WORD void bulk_store_end(SIMT_AT) { simt_bulk_store_end(at); }

SIMT_WORD void stmatrix_x4(unsigned a, const unsigned (&r)[4], SIMT_AT) { simt_stmatrix(a, simt_words{r[0], r[1], r[2], r[3]}, at); }
SIMT_WORD void ldmatrix_x4_at(unsigned (&r)[4], unsigned a, SIMT_AT) {
  simt_words w = simt_ldmatrix(simt_shared_pointer(a), 0, at);
  for (int i = 0; i < 4; i++) r[i] = w[i];
}
// A half above 0 is 1 to 0x7c00.
SIMT_WORD unsigned positive_halves(unsigned x) {
  return ((x & 0xffff) - 1 < 0x7c00 ? 0xffff : 0) | ((x >> 16) - 1 < 0x7c00 ? 0xffff0000 : 0);
}
