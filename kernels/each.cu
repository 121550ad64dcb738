// Elementwise operations, many in a launch. Blocks of 256; grid (1 to ceil(pieces / 256), lanes); no
// dynamic shared memory. The pieces of a lane are rows or elements of its results; for LEVELS, four
// rows. A thread takes its piece through all tasks of the lane, so an element is read by the next
// task only in the thread that wrote it.
#include "elements.h"

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

// draw_levels draws the levels out [Row, 1] with the same bits as internal/random: row i of batch b
// is random.New(seed, stream).Float(b, i). The
// task has seed and stream.
DEVICE void draw_levels(const Task& t, const Step* step) {
  unsigned n = rows(step->extents, space::Row), low = (unsigned)step->batch, high = (unsigned)(step->batch >> 32);
  for (unsigned i = thread(); i < (n + 3) / 4; i += threads()) {
    uint4 word = cipher(make_uint4(i, low, high, t.stream), make_uint2(t.seed_low, t.seed_high));
    unsigned row = 4 * i;
    t.out[row] = uniform(word.x);
    if (row + 1 < n) t.out[row + 1] = uniform(word.y);
    if (row + 2 < n) t.out[row + 2] = uniform(word.z);
    if (row + 3 < n) t.out[row + 3] = uniform(word.w);
  }
}

// Three blocks of a multiprocessor leave 80 registers. nvcc 13 would make room for four, and spill.
extern "C" __global__ void __launch_bounds__(256, 3)
each(const Step* __restrict__ step,  // sizes and batch
     const Task* tasks,              // [lanes, most]
     int most,                       // tasks of the longest lane
     int by_row) {                   // bit y: the pieces of lane y are rows
  wait_for_inputs();
  const Task* lane = tasks + blockIdx.y * most;
  Task first = lane[0];
  if (first.operation == LEVELS) {
    draw_levels(first, step);
    return;
  }
  Extents e = step->extents;
  bool row_wise = by_row >> blockIdx.y & 1;
  unsigned columns = row_wise ? 1 : first.d, n = (unsigned)rows(e, first.s) * columns;
  for (unsigned i = thread(); i < n; i += threads()) {
    for (int j = 0; j < most; j++) {
      Task t = lane[j];
      if (t.operation == END) break;
      if (!row_wise)
        compute_element(t, e, i / columns, i % columns);
      else
        for (int c = 0; c < t.d; c++) compute_element(t, e, i, c);
    }
  }
}
KERNEL(each)
