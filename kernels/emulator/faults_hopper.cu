// A pipeline in the words of hopper.h that can have one flaw, which the emulator must find. Two
// warpgroups each multiply three tiles x[64][64] by weights[64][128], all halves in wgmma's 128-byte
// swizzle: tiles arrive by bulk copies, results leave by them through a stage.
#include "../hopper.h"

enum Flaw {
  NONE,
  // fences and barriers
  NO_FENCE, FENCE_AFTER_BARRIER, FENCE_BY_ONE, NO_BARRIER_BEFORE_STORE, NO_BARRIER_AFTER_PRODUCTS, BARRIER_OF_OTHERS,
  BARRIER_OF_HALF, BARRIER_OF_MORE, BARRIER_OF_BOTH,
  // products
  NO_PRODUCT_WAIT, WAIT_FOR_TOO_FEW, LOAD_TOO_SOON, STORE_TO_OPERAND, WRITE_RESULT, NO_PRODUCT_FENCE, OTHER_OPERANDS, HALF_A_GROUP,
  NO_COMMIT, WRONG_LEADING, WRONG_TRANSPOSE, PATTERN_MOVED, OPERAND_OUTSIDE,
  // copies
  NO_LOAD_WAIT, WRONG_PARITY, EXPECT_MORE, EXPECT_LESS, EXPECT_TWICE, NO_INIT, LOAD_OF_12_BYTES, LOAD_FROM_ODD_ADDRESS, LOAD_BEYOND,
  NO_STORE_READ, NO_STORE_END, NO_STORE_READ_BARRIER, LOAD_OVER_STORE, STMATRIX_MISALIGNED, READ_BEFORE_LOAD,
  READ_BEFORE_STORE_END, LOAD_BEFORE_STORE_END
};

DEVICE uint64_t fault_descriptor(unsigned address, unsigned leading) { return address >> 4 | uint64_t(leading >> 4) << 16 | 64ull << 32 | 1ull << 62; }

extern "C" __global__ void __launch_bounds__(256) fault_pipeline(half* out, const half* x, const half* weights, int flaw) {
  wait_for_inputs();
  DYNAMIC_SHARED(arena);
  int t = threadIdx.x, group = t / 128, lane = t % 32, row = t % 128 / 32 * 16 + lane % 16;
  bool first = t % 128 == 0;
  unsigned w = (shared_address(arena) + 1023) & ~1023u, a = w + 16384 + 8192 * group, stage = w + 32768 + 16384 * group;
  unsigned weights_full = w + 65536, full = weights_full + 8 + 8 * group;
  auto tile = [&](int i) { return blockIdx.x * 6 + group * 3 + i; };
  auto load = [&](int i) {
    if (!first || i == 3) return;
    mbarrier_expect(full, flaw == EXPECT_MORE ? 8208 : flaw == EXPECT_LESS ? 8176 : 8192);
    if (flaw == EXPECT_TWICE) mbarrier_expect(full, 8192);
    const half* from = x + tile(i) * 4096 + (flaw == LOAD_FROM_ODD_ADDRESS ? 2 : flaw == LOAD_BEYOND ? 8 * 4096 : 0);
    bulk_load(a, from, flaw == LOAD_OF_12_BYTES ? 12 : 8192, full);
  };
  if (t == 0) {
    for (int i = 0; i < 3 - (flaw == NO_INIT); i++) mbarrier_init(weights_full + 8 * i);
    mbarrier_expect(weights_full, 16384);
    bulk_load(w, weights, 16384, weights_full);
  }
  __syncthreads();
  load(0);
  mbarrier_wait(weights_full, 0);
  if (flaw == READ_BEFORE_LOAD && *static_cast<const unsigned*>(shared_pointer(a)) == 1) return;
  float d[64];
  for (int i = 0; i < 3; i++) {
    // 1. d = x · weights
    if (flaw != NO_LOAD_WAIT) mbarrier_wait(full, (i & 1) ^ (flaw == WRONG_PARITY));
    if (flaw != NO_PRODUCT_FENCE) wgmma_fence();
    for (int s = 0; s < 4; s++) {
      uint64_t da = fault_descriptor(a + 32 * s + (flaw == PATTERN_MOVED ? 128 : flaw == OPERAND_OUTSIDE ? 1 << 16 : 0), 16);
      uint64_t db = fault_descriptor(w + 2048 * s, flaw == WRONG_LEADING ? 4096 : 8192);
      if (flaw == OTHER_OPERANDS && t % 128 >= 96) da += 64;
      if (flaw == HALF_A_GROUP && t % 128 >= 64) continue;
      if (flaw == WRONG_TRANSPOSE)
        wgmma_f16<0, 0>(d, da, db, s > 0);
      else
        wgmma_f16<0, 1>(d, da, db, s > 0);
    }
    if (flaw != NO_COMMIT) wgmma_commit();
    if (flaw == LOAD_TOO_SOON) load(i + 1);
    if (flaw == STORE_TO_OPERAND) *static_cast<unsigned*>(shared_pointer(a + 4 * (t % 128))) = 0;
    if (flaw == WRITE_RESULT) d[5] = 1;
    if (flaw == WAIT_FOR_TOO_FEW)
      wgmma_wait<1>(d);
    else if (flaw != NO_PRODUCT_WAIT)
      wgmma_wait<0>(d);
    // 2. all have read x, and the stage is free
    if (first && flaw != NO_STORE_READ && flaw != NO_STORE_READ_BARRIER) bulk_store_read();
    int threads = flaw == BARRIER_OF_HALF ? 64 : flaw == BARRIER_OF_MORE && t < 128 ? 256 : 128;
    if (flaw != NO_BARRIER_AFTER_PRODUCTS) barrier_sync(flaw == BARRIER_OF_OTHERS ? 3 + t / 64 % 2 : 1 + group, threads);
    if (first && flaw == NO_STORE_READ_BARRIER) bulk_store_read();
    if (flaw != LOAD_TOO_SOON) load(i + 1);
    for (int s = 0; s < 8; s++) {
      const float* e = d + 8 * s;
      unsigned r[4] = {pack_half2(e[0], e[1]), pack_half2(e[2], e[3]), pack_half2(e[4], e[5]), pack_half2(e[6], e[7])};
      stmatrix_x4(stage + s / 4 * 8192 + row * 128 + ((s % 4 * 2 + lane / 16) ^ (row & 7)) * 16 + (flaw == STMATRIX_MISALIGNED ? 8 : 0), r);
    }
    // 3. the result leaves
    if (flaw == FENCE_AFTER_BARRIER || flaw == NO_FENCE) {
    } else if (flaw != FENCE_BY_ONE || first) {
      fence_async();
    }
    if (flaw != NO_BARRIER_BEFORE_STORE) barrier_sync(flaw == BARRIER_OF_BOTH ? 3 : 1 + group, 128);
    if (flaw == FENCE_AFTER_BARRIER) fence_async();
    if (first) bulk_store(out + tile(i) * 8192, stage, 16384);
    if (first && flaw == LOAD_OVER_STORE) {
      mbarrier_init(w + 65600 + 8 * group);
      bulk_load(stage, weights, 1024, w + 65600 + 8 * group);
    }
  }
  if (first && flaw == READ_BEFORE_STORE_END) {
    bulk_store_read();
    if (*reinterpret_cast<const unsigned*>(out + tile(0) * 8192) == 1) return;
  }
  if (first && flaw == LOAD_BEFORE_STORE_END) {
    bulk_store_read();
    mbarrier_expect(full, 64);
    bulk_load(a, out + tile(0) * 8192, 64, full);
  }
  if (first && flaw != NO_STORE_END) bulk_store_end();
}
KERNEL(fault_pipeline)
