// Quantile levels u, with the same bits as in internal/random: row i of batch b is random.New(seed,
// stream).Float(b, i). A thread draws four levels at a time. Blocks of 256; grid 1 to ceil(rows of
// Row / 1024); no dynamic shared memory.
#include "extents.h"

// cipher returns Philox 4x32-10 (Salmon et al., SC 2011) with key k at counter c.
DEVICE uint4 cipher(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
    k = make_uint2(k.x + 0x9E3779B9u, k.y + 0xBB67AE85u);
  }
  return c;
}

// uniform maps a word to [0, 1): its upper 24 bits, which a float holds exactly.
DEVICE float uniform(unsigned word) { return (word >> 8) * (1.0f / (1 << 24)); }

extern "C" __global__ void __launch_bounds__(256)
levels(const Step* __restrict__ step,  // sizes and batch
       float* __restrict__ u,          // [Row, 1]
       unsigned seed_low,              // the key of the generator
       unsigned seed_high,
       unsigned stream) {              // the generator's stream
  unsigned n = rows(step->extents, space::Row), low = (unsigned)step->batch, high = (unsigned)(step->batch >> 32);
  for (unsigned i = thread(); i < (n + 3) / 4; i += threads()) {
    uint4 word = cipher(make_uint4(i, low, high, stream), make_uint2(seed_low, seed_high));
    unsigned row = 4 * i;
    u[row] = uniform(word.x);
    if (row + 1 < n) u[row + 1] = uniform(word.y);
    if (row + 2 < n) u[row + 2] = uniform(word.z);
    if (row + 3 < n) u[row + 3] = uniform(word.w);
  }
}
KERNEL(levels)
