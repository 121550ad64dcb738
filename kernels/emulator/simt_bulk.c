//go:build simt

/* Copies in the background, and the mbarriers that count the bytes of those to shared memory. A copy to shared memory is
   made when the first thread waits for its mbarrier, one from shared memory when its thread waits: the latest that a device
   may do it. */
#include <stdio.h>

#include "simt_internal.h"

enum { MAX_COPIES = 64, MAX_STORES = 4096 };

typedef struct { char *to; const char *from; unsigned bytes; } Bulk;

typedef struct {
  unsigned address;
  unsigned phase;                           /* how many have ended; of the next: */
  bool arrived;                             /* expected is known */
  unsigned expected, bytes;                 /* bytes: of the copies below */
  uint32_t arrival[COLUMNS], seen[COLUMNS]; /* what the arriving warp had seen; what the last phase's end shows */
  int count;
  Bulk copies[MAX_COPIES];
} Mbarrier;

static Mbarrier mbarriers[MAX_MBARRIERS];
static int count, ends; /* mbarriers; threads that have ended */
static uint8_t waits_for[MAX_THREADS]; /* number of an mbarrier, from 1 on */
static struct { Bulk copy; int thread; bool read; } stores[MAX_STORES]; /* that have not ended */
static int store_count;

void simt_new_copies(void) {
  count = ends = store_count = 0;
  memset(waits_for, 0, simt_count);
}

void simt_end_copies(void) {
  for (int i = 0; i < store_count; i++)
    if (stores[i].thread == simt_self && !stores[i].read) simt_fail("ends without waiting for its bulk_store");
  if (++ends < simt_count) return;
  for (int i = 0; i < count; i++)
    if (mbarriers[i].count || mbarriers[i].arrived)
      simt_fail("ends, and nobody has waited for the last phase of the mbarrier at %#x", mbarriers[i].address);
}

/* ---- mbarriers */
static Mbarrier *find(unsigned m, const char *word) {
  for (int i = 0; i < count; i++)
    if (mbarriers[i].address == m) {
      simt_access(simt_shared_pointer(m), 8, READ, NULL);
      return &mbarriers[i];
    }
  simt_fail("%s with %#x, where no mbarrier_init was", word, m);
}

void simt_mbarrier_init(unsigned m, simt_place at) {
  simt_need_hopper("mbarrier_init", at);
  if (m & 7) simt_fail("mbarrier_init at %#x, which is not aligned to 8 bytes", m);
  char *p = simt_shared_range(m, 8, "mbarrier_init");
  simt_access(p, 8, WRITE, NULL);
  for (int i = 0; i < count; i++)
    if (mbarriers[i].address == m) simt_fail("mbarrier_init of an mbarrier that is one already");
  if (count == MAX_MBARRIERS) simt_fail("more than %d mbarriers", MAX_MBARRIERS);
  memset(&mbarriers[count], 0, sizeof *mbarriers);
  mbarriers[count++].address = m;
}

static bool complete(const Mbarrier *b) { return b->arrived && b->bytes == b->expected; }

static void wake_waiters(Mbarrier *b) {
  int number = b - mbarriers + 1;
  if (!complete(b)) return;
  for (int i = 0; i < simt_count; i++)
    if (waits_for[i] == number) {
      waits_for[i] = 0;
      simt_wake(i);
    }
}

void simt_mbarrier_expect(unsigned m, unsigned bytes, simt_place at) {
  simt_need_hopper("mbarrier_expect", at);
  Mbarrier *b = find(m, "mbarrier_expect");
  if (b->arrived) simt_fail("mbarrier_expect again, before a thread has waited for the phase");
  b->arrived = true;
  b->expected = bytes;
  simt_look(simt_self >> 5, b->arrival);
  wake_waiters(b);
}

static int column(const Mbarrier *b) { return WARPS + (b - mbarriers); }

/* end_phase makes the copies of a phase. */
static void end_phase(Mbarrier *b) {
  for (int i = 0; i < b->count; i++) {
    memcpy(b->copies[i].to, b->copies[i].from, b->copies[i].bytes);
    simt_bulk_lands(b->copies[i].to, b->copies[i].bytes, column(b));
  }
  memcpy(b->seen, b->arrival, sizeof b->seen);
  b->seen[column(b)] = simt_copy_ended();
  b->count = b->bytes = 0;
  b->arrived = false;
  b->phase++;
}

void simt_mbarrier_wait(unsigned m, unsigned parity, simt_place at) {
  simt_need_hopper("mbarrier_wait", at);
  Mbarrier *b = find(m, "mbarrier_wait");
  if (parity > 1) simt_fail("mbarrier_wait for parity %u", parity);
  while ((b->phase & 1) == parity) {
    if (complete(b)) {
      end_phase(b);
      break;
    }
    waits_for[simt_self] = b - mbarriers + 1;
    simt_wait_for_mbarrier();
  }
  simt_show(simt_self >> 5, b->seen);
}

/* ---- copies */
static void check(unsigned shared, const void *global, unsigned bytes, const char *word) {
  if (!bytes || bytes & 15) simt_fail("%s of %u bytes, want a multiple of 16", word, bytes);
  if (shared & 15) simt_fail("%s with an address %#x of shared memory, which is not aligned to 16 bytes", word, shared);
  if ((uintptr_t)global & 15) simt_fail("%s with an address of global memory that is not aligned to 16 bytes", word);
  if (!simt_holds((uintptr_t)global, bytes)) simt_fail("%s of %u bytes of global memory that are not in one allocation", word, bytes);
  simt_shared_range(shared, bytes, word);
}

void simt_bulk_load(unsigned to, const void *from, unsigned bytes, unsigned m, simt_place at) {
  simt_need_hopper("bulk_load", at);
  check(to, from, bytes, "bulk_load");
  Mbarrier *b = find(m, "bulk_load");
  if (b->count == MAX_COPIES) simt_fail("more than %d bulk_load of an mbarrier under way", MAX_COPIES);
  char *p = simt_shared_pointer(to);
  simt_access(from, bytes, READ, NULL);
  simt_bulk_starts(p, bytes, column(b));
  memset(p, 0xff, bytes);
  b->copies[b->count++] = (Bulk){p, from, bytes};
  b->bytes += bytes;
  if (b->arrived && b->bytes > b->expected) simt_fail("bulk_load of more bytes than the %u that the mbarrier expects", b->expected);
  wake_waiters(b);
}

void simt_bulk_store(void *to, unsigned from, unsigned bytes, simt_place at) {
  simt_need_hopper("bulk_store", at);
  check(from, to, bytes, "bulk_store");
  if (store_count == MAX_STORES) simt_fail("more than %d bulk_store under way", MAX_STORES);
  char *p = simt_shared_pointer(from);
  simt_hold(p, bytes, 1u << (simt_self >> 5));
  simt_access(to, bytes, WRITE, NULL);
  if (simt_checked()) simt_mark(to, bytes, simt_self | UNDER_WAY);
  stores[store_count].copy = (Bulk){to, p, bytes};
  stores[store_count].thread = simt_self;
  stores[store_count++].read = false;
}

void simt_bulk_store_read(simt_place at) {
  simt_need_hopper("bulk_store_read", at);
  for (int i = 0; i < store_count; i++) {
    Bulk c = stores[i].copy;
    if (stores[i].thread != simt_self || stores[i].read) continue;
    memcpy(c.to, c.from, c.bytes);
    simt_let_go(c.from, c.bytes, 1u << (simt_self >> 5));
    stores[i].read = true;
  }
}

void simt_bulk_store_end(simt_place at) {
  simt_bulk_store_read(at);
  int left = 0;
  for (int i = 0; i < store_count; i++) {
    if (stores[i].thread != simt_self)
      stores[left++] = stores[i];
    else if (simt_checked())
      simt_mark(stores[i].copy.to, stores[i].copy.bytes, simt_self);
  }
  store_count = left;
}

void simt_fence_async(simt_place at) {
  simt_need_hopper("fence_async", at);
  simt_fence_proxies();
}
