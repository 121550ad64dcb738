//go:build simt

/* Which accesses of a block come before which others. All its threads share one time, which goes on at every barrier, fence
   of the proxies and end of a bulk copy; accesses are stamped with it. A barrier shows each of its warps what the others did
   or had seen before. A wait for an mbarrier shows what the arriving warp did or had seen, and the copies, which have a
   column of their own. */
#include <string.h>

#include "simt_internal.h"

enum { FENCES = 8 };

uint32_t simt_epoch = 1, simt_launch_began, simt_block_began;
uint32_t simt_floor[WARPS];
uint32_t simt_seen_of[WARPS][COLUMNS];

static uint32_t fences[MAX_THREADS][FENCES]; /* times of each thread's last fence_asyncs */
static uint8_t last[MAX_THREADS];            /* of these */
static bool any_fences;

static void all_seen(void) {
  simt_epoch++;
  for (int w = 0; w < WARPS; w++) simt_floor[w] = simt_epoch;
}

void simt_clocks_of_block(void) {
  all_seen();
  simt_block_began = simt_epoch;
  if (any_fences) memset(fences, 0, sizeof fences);
  any_fences = false;
}

void simt_forget_clocks(void) {
  simt_epoch = 1;
  memset(simt_seen_of, 0, sizeof simt_seen_of);
}

void simt_barrier_passed(void) { all_seen(); }

void simt_barrier_of(unsigned warps, int count) {
  uint32_t most[COLUMNS] = {0};
  simt_epoch++;
  for (unsigned rest = warps; rest; rest &= rest - 1)
    for (int c = 0, w = __builtin_ctz(rest); c < COLUMNS; c++)
      if (simt_seen(w, c) > most[c]) most[c] = simt_seen(w, c);
  for (int c = 0; c < WARPS; c++)
    if (warps >> c & 1) most[c] = simt_epoch;
  uint32_t floor = simt_epoch;
  for (int c = 0; c < count; c++)
    if (most[c] < floor) floor = most[c];
  for (unsigned rest = warps; rest; rest &= rest - 1) {
    int w = __builtin_ctz(rest);
    memcpy(simt_seen_of[w], most, sizeof most);
    simt_floor[w] = floor;
  }
}

uint32_t simt_copy_ended(void) { return ++simt_epoch; }

void simt_look(int warp, uint32_t seen[COLUMNS]) {
  for (int c = 0; c < COLUMNS; c++) seen[c] = simt_seen(warp, c);
  seen[warp] = ++simt_epoch;
}

void simt_show(int warp, const uint32_t seen[COLUMNS]) {
  bool more = false;
  for (int c = 0; c < COLUMNS; c++) {
    if (seen[c] <= simt_seen(warp, c)) continue;
    simt_seen_of[warp][c] = seen[c];
    more = true;
  }
  simt_epoch += more;
}

void simt_fence_proxies(void) {
  any_fences = true;
  last[simt_self] = (last[simt_self] + 1) % FENCES;
  fences[simt_self][last[simt_self]] = ++simt_epoch;
}

bool simt_fenced(int thread, uint32_t time, uint32_t seen) {
  for (int i = 0; i < FENCES; i++)
    if (fences[thread][i] > time && fences[thread][i] < seen) return true;
  return false;
}
