//go:build simt

/* Races with what runs in the background. wgmma and bulk copies use another way to shared memory than threads do, the
   asynchronous proxy: after a thread wrote it must call fence_async, before the barrier that puts the write in order. They
   read from their issue until a wait; until then nobody may write there. */
#include "simt_internal.h"

static Cell *cells(const Piece *f, const char *p) { return f->cells + ((size_t)(p - f->begin) >> f->shift); }

/* check_fence fails unless a cell's write comes before what some warps do in the background. */
static void check_fence(const Piece *f, const Cell *c, const char *p, unsigned warps, const char *what) {
  unsigned who = c->writer & WHO, warp = who >> 5;
  bool own = who <= THREAD && warps == 1u << warp && (who == (unsigned)simt_self || c->write_warp != simt_warps[warp].epoch);
  if (c->writer & UNDER_WAY) simt_still_written(f, p, what, c->writer, NULL);
  for (; warps; warps &= warps - 1) {
    uint32_t seen = own ? UINT32_MAX : simt_seen(__builtin_ctz(warps), warp);
    if (c->write >= seen) simt_race(f, p, what, "written", simt_writer(who), who > THREAD ? "mbarrier_wait" : "barrier", NULL);
    if (who <= THREAD && !simt_fenced(who, c->write, seen))
      simt_race(f, p, what, "written", simt_writer(who), "fence_async of that thread and barrier after it", NULL);
  }
}

void simt_nothing_held(void) {
  if (simt_all_busy) memset(simt_busy, 0, sizeof simt_busy);
  simt_all_busy = 0;
}

void simt_hold(const void *at, size_t bytes, unsigned warps) {
  if (!simt_checked()) return;
  const char *p = at;
  Piece *f = simt_piece(p);
  uint32_t write = 0;
  uint16_t writer = 0;
  for (Cell *c = cells(f, p), *last = cells(f, p + bytes - 1); c <= last; c++) {
    if (c->write == write && c->writer == writer) continue; /* the same as the one before */
    write = c->write;
    writer = c->writer;
    if (write < simt_block_began)
      simt_fail("read in the background of byte %zu of dynamic shared memory, which nothing has written", (size_t)(p - f->begin));
    check_fence(f, c, p, warps, "read in the background");
  }
  for (size_t i = (p - simt_arena) >> 4; i <= (size_t)(p + bytes - 1 - simt_arena) >> 4; i++, simt_all_busy++) simt_busy[i]++;
}

void simt_let_go(const void *at, size_t bytes, unsigned warps) {
  if (!simt_checked()) return;
  const char *p = at;
  Piece *f = simt_piece(p);
  for (size_t i = (p - simt_arena) >> 4; i <= (size_t)(p + bytes - 1 - simt_arena) >> 4; i++, simt_all_busy--) simt_busy[i]--;
  for (Cell *c = cells(f, p), *last = cells(f, p + bytes - 1); c <= last; c++) simt_add_readers(f, c, warps);
}

void simt_bulk_starts(const void *at, size_t bytes, int column) {
  if (!simt_checked()) return;
  const char *p = at;
  Piece *f = simt_piece(p);
  for (Cell *c = cells(f, p), *last = cells(f, p + bytes - 1); c <= last; c++)
    if (c->write >= simt_block_began) check_fence(f, c, p, 1u << (simt_self >> 5), "bulk_load");
  simt_access(p, bytes, WRITE, NULL);
  simt_mark(p, bytes, (32 * column) | UNDER_WAY);
}

void simt_bulk_lands(const void *at, size_t bytes, int column) {
  if (simt_checked()) simt_mark(at, bytes, 32 * column);
}
