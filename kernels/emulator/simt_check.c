//go:build simt

/* Checks every access of a kernel's thread: that it stays within the memory it is for, and that a barrier orders it with
   earlier accesses, or a counter of blocks. A cell for every few bytes records the last write and the reads since then, by
   thread and epoch. Two accesses conflict if no barrier lies between them, in whatever order they happened. In a checked
   build g++ calls these functions for every access (-fsanitize=thread, without libtsan) and for a wrong alignment. It does
   not find pairs of accesses separated by a __syncwarp that left out one of the two threads, and overruns from one static
   __shared__ array into the next, unless nothing was written there. */
#include <stdio.h>
#include <string.h>

#include "simt_internal.h"

extern char __executable_start[] __attribute__((weak)), end[] __attribute__((weak)); /* the program; from the linker */

static const char *const words[] = {"read", "write", "atomic operation"};

/* ---- failures */
static const char *name(const Piece *p) {
  return p == &simt_static_shared ? "static shared memory" : p->shared ? "dynamic shared memory" : "a global buffer";
}

const char *simt_writer(unsigned writer) {
  static char name[32];
  if ((writer & WHO) > THREAD) return "a bulk_load"; /* its column says which mbarrier */
  snprintf(name, sizeof name, "thread %u", writer & THREAD);
  return name;
}

__attribute__((cold, noinline, noreturn)) void simt_race(const Piece *p, const void *at, const char *what, const char *other,
                                                         const char *who, const char *missing, const void *pc) {
  size_t byte = (const char *)at - p->begin;
  simt_report(pc, "data race: %s of byte %zu of %s, %s by %s, and no %s between", what, byte, name(p), other, who, missing);
  simt_stop();
}

static __attribute__((cold, noinline, noreturn)) void conflict(const Piece *p, const void *at, Access kind, const char *other, unsigned who, const void *pc) {
  simt_race(p, at, words[kind], other, simt_writer(who), (who & WHO) > THREAD ? "mbarrier_wait" : "barrier", pc);
}

__attribute__((cold, noinline, noreturn)) void simt_still_written(const Piece *p, const void *at, const char *what, unsigned writer, const void *pc) {
  if ((writer & WHO) > THREAD) simt_race(p, at, what, "which is still written", simt_writer(writer), "mbarrier_wait", pc);
  if (p->shared) simt_race(p, at, what, "which a cp_async16 is still writing, begun", simt_writer(writer), "cp_async_wait", pc);
  simt_race(p, at, what, "which a bulk_store is still writing, begun", simt_writer(writer), "bulk_store_end", pc);
}

static __attribute__((cold, noinline, noreturn)) void outside(const char *p, size_t bytes, Access kind, const void *pc) {
  size_t page = ((uintptr_t)p - (uintptr_t)simt_arena) / PAGE;
  const Piece *nearest = NULL;
  ptrdiff_t distance = PAGE;
  for (size_t i = page ? page - 1 : 0; page < PAGES && i <= page + 1 && i < PAGES; i++) {
    const Piece *f = simt_owner[i];
    if (!f) continue;
    ptrdiff_t d = p < f->begin ? f->begin - p : p - f->end;
    if (d < distance) {
      distance = d;
      nearest = f;
    }
  }
  char where[128] = "an address outside all memory";
  if (nearest)
    snprintf(where, sizeof where, "byte %td of %s of %td bytes", p - nearest->begin,
             name(nearest), nearest->end - nearest->begin);
  simt_report(pc, "out of bounds: %s of %zu bytes at %s", words[kind], bytes, where);
  simt_stop();
}

/* ---- blocks in order: every block counts itself when it is done, and the last goes on where the others stopped. A block
   is done if none of its threads uses global memory after one of them made an atomic operation on the counter, and if that
   thread called __threadfence before, after its own uses and, with a barrier between, after those of the others. The last
   block is in order with the others from a __threadfence after its atomic operation on. Blocks run one after another here. */
static struct {
  uint32_t launch, block; /* when they began */
  const void *counter;    /* the first address of an atomic operation after a __threadfence */
  bool done, all;         /* this block; all earlier ones of the launch that used global memory */
  uint32_t used;          /* epoch of the last use of global memory in this block */
  int user, counted;      /* the threads of that use and of the last operation on the counter */
  bool users;             /* that thread had not seen all uses of others */
  uint32_t ordered;       /* epoch of the __threadfence that puts this block after the others; 0: none */
  int orderer;            /* its thread; the others follow after a barrier */
} turn;

static void begin_turn(void) {
  if (turn.block == simt_block_began) return;
  bool first = turn.launch != simt_launch_began;
  turn.all = first || (turn.all && turn.done);
  if (first) turn.counter = NULL;
  turn.launch = simt_launch_began;
  turn.block = simt_block_began;
  turn.done = false;
  turn.used = turn.ordered = 0;
  turn.counted = -1;
}

static void use_global(void) {
  begin_turn();
  turn.users = turn.used >= simt_floor[simt_self >> 5] && (turn.users || turn.user != simt_self);
  turn.used = simt_epoch;
  turn.user = simt_self;
  turn.done = false;
  simt_threads[simt_self].fenced = 0;
}

static void count_block(const void *p) {
  begin_turn();
  uint32_t fenced = simt_threads[simt_self].fenced;
  if (fenced && (turn.used < fenced || (!turn.users && turn.user == simt_self))) {
    if (!turn.counter) turn.counter = p;
    turn.done = turn.counter == p;
  }
  if (turn.counter == p)
    turn.counted = simt_self;
  else
    use_global();
}

void simt_threadfence(void) {
  begin_turn();
  simt_threads[simt_self].fenced = simt_floor[simt_self >> 5];
  if (turn.all && turn.counted == simt_self) {
    turn.ordered = simt_epoch;
    turn.orderer = simt_self;
  }
}

/* after_others reports whether the running thread is in order with all earlier blocks. */
static bool after_others(void) {
  return turn.block == simt_block_began && turn.ordered && (turn.orderer == simt_self || turn.ordered < simt_seen(simt_self >> 5, turn.orderer >> 5));
}

/* ---- cells */
/* bit_of is a warp in the set of a cell's readers. */
static inline unsigned bit_of(unsigned warp) { return 1u << (warp & 15); }

/* seen_by_all returns the epochs before which each of these warps has seen the reads of warps 0 to 15. */
static const uint32_t *seen_by_all(unsigned warps) {
  static uint32_t epoch, least[16];
  static unsigned of;
  if (of == warps && epoch == simt_epoch) return least;
  of = warps;
  epoch = simt_epoch;
  for (int v = 0; v < 16; v++) {
    least[v] = simt_epoch;
    for (unsigned rest = warps; rest; rest &= rest - 1) {
      uint32_t seen = simt_seen(__builtin_ctz(rest), v);
      if (seen < least[v]) least[v] = seen;
    }
  }
  return least;
}

unsigned simt_unseen(const Piece *p, const Cell *c, unsigned warps) {
  unsigned readers = (c->reader & SEVERAL ? c->read_warp : bit_of((c->reader & THREAD) >> 5)) & ~warps, unseen = 0;
  if (c->read < simt_block_began || !readers) return 0;
  const uint32_t *seen = seen_by_all(warps), *reads = c->reader & MIXED ? p->reads[c - p->cells] : NULL;
  for (unsigned rest = readers; rest; rest &= rest - 1) {
    int v = __builtin_ctz(rest);
    if ((reads ? reads[v] : c->read) >= seen[v]) unseen |= 1u << v;
  }
  return unseen;
}

void simt_add_readers(Piece *p, Cell *c, unsigned warps) {
  unsigned others = simt_unseen(p, c, warps);
  if (!others) c->reader &= ~MIXED;
  if (others && p->reads && (c->read != simt_epoch || c->reader & MIXED)) {
    uint32_t *reads = p->reads[c - p->cells];
    for (int v = 0; v < 16; v++) {
      if (warps >> v & 1)
        reads[v] = simt_epoch;
      else if (!(c->reader & MIXED))
        reads[v] = c->read;
    }
    c->reader |= MIXED;
  }
  c->reader = (c->reader & ~LANES) | SEVERAL;
  c->read_warp = others | warps;
  c->read = simt_epoch;
}

/* The rare paths are functions of their own, so that g++ inlines the others. */
#define RARE static __attribute__((noinline))

/* check_write fails unless a cell's last write is in order with the running thread's access. */
RARE void check_write(Piece *p, Cell *c, const void *at, Access kind, const void *pc) {
  unsigned self = simt_self, warp = self >> 5, other = c->writer & WHO;
  bool atomics = kind == ATOMIC && c->writer & ATOMICALLY;
  if (c->write < (p->shared ? simt_block_began : simt_launch_began)) {
    if (kind != READ || !p->shared) return;
    simt_report(pc, "read of byte %zu of %s, which nothing has written", (size_t)((const char *)at - p->begin), name(p));
    simt_stop();
  }
  if (c->write < simt_block_began) {
    if (!atomics && !after_others()) conflict(p, at, kind, "written in another block", c->writer, pc);
    return;
  }
  if (c->writer & UNDER_WAY) simt_still_written(p, at, words[kind], c->writer, pc);
  if (atomics || (other == self && (kind != READ || !(c->writer & ATOMICALLY)))) return;
  if ((other >> 5 != warp || c->write_warp == simt_warps[warp].epoch) && c->write >= simt_seen(warp, other >> 5))
    conflict(p, at, kind, "written", c->writer, pc);
}

/* check_reads fails unless a cell's last reads are in order with the running thread's write. */
RARE void check_reads(Piece *p, Cell *c, const void *at, Access kind, const void *pc) {
  unsigned self = simt_self, warp = self >> 5, other = c->reader & THREAD;
  if (c->read < (p->shared ? simt_block_began : simt_launch_began)) return;
  if ((c->read < simt_block_began || c->reader & BLOCKS) && !after_others()) conflict(p, at, kind, "read in another block", other, pc);
  if (c->read < simt_floor[warp]) return;
  bool lanes = c->read_warp == simt_warps[warp].epoch && (c->reader & LANES || other != self) && c->read >= simt_seen(warp, warp);
  bool own = !(c->reader & SEVERAL) && other >> 5 == warp;
  if (own ? lanes : simt_count > 512 || simt_unseen(p, c, 1u << warp)) /* a set of warps does not tell 0 from 16 */
    conflict(p, at, kind, c->reader & (LANES | SEVERAL) ? "read by others and" : "read", other, pc);
}

/* in_order reports whether a cell's last write is in order with all that the running thread does, without looking closer. */
static inline bool in_order(const Piece *p, const Cell *c) {
  if (c->write < simt_launch_began) return !p->shared;
  return c->write >= simt_block_began && !(c->writer & UNDER_WAY) && (c->write < simt_floor[simt_self >> 5] || c->writer == simt_self);
}

static inline void write_cell(Piece *p, Cell *c, const void *at, Access kind, const void *pc) {
  if (!in_order(p, c)) check_write(p, c, at, kind, pc);
  if (c->read >= (p->shared ? simt_block_began : simt_launch_began)) check_reads(p, c, at, kind, pc);
  if (kind == ATOMIC && !(c->write == simt_epoch && c->writer == simt_self)) /* a plain write of this thread stays a plain write */
    c->writer = simt_self | ATOMICALLY;
  else
    c->writer = simt_self;
  c->write = simt_epoch;
  c->write_warp = simt_warps[simt_self >> 5].epoch;
}

/* add_reader records a read of a cell that others read, perhaps not in order with this read. */
RARE void add_reader(Piece *p, Cell *c) {
  unsigned self = simt_self, warp = self >> 5, other = c->reader & THREAD;
  if (c->reader & SEVERAL || other >> 5 != warp) {
    if (c->read == simt_epoch && !(c->reader & MIXED)) {
      c->read_warp = (c->reader & SEVERAL ? c->read_warp : bit_of(other >> 5)) | bit_of(warp);
      c->reader |= SEVERAL;
      return;
    }
    if (simt_unseen(p, c, 1u << warp)) {
      simt_add_readers(p, c, 1u << warp);
      return;
    }
  } else if (c->read_warp == simt_warps[warp].epoch && c->read >= simt_seen(warp, warp)) {
    if (other != self) c->reader |= LANES;
    c->read = simt_epoch;
    return;
  }
  c->reader = self | (c->reader & BLOCKS);
  c->read = simt_epoch;
  c->read_warp = simt_warps[warp].epoch;
}

static inline __attribute__((always_inline)) void read_cell(Piece *p, Cell *c, const void *at, const void *pc) {
  unsigned self = simt_self, warp = self >> 5;
  uint16_t warp_epoch = simt_warps[warp].epoch;
  if (!in_order(p, c)) check_write(p, c, at, READ, pc);
  if (c->read == simt_epoch && !(c->reader & SEVERAL) && (c->reader & THREAD) >> 5 == warp && c->read_warp == warp_epoch) {
    if ((c->reader & THREAD) != self) c->reader |= LANES;
    return;
  }
  if (c->read == simt_epoch && (c->reader & (SEVERAL | MIXED)) == SEVERAL && c->read_warp & bit_of(warp)) return;
  if (c->read >= simt_floor[warp]) {
    add_reader(p, c);
    return;
  }
  bool blocks = c->read >= (p->shared ? simt_block_began : simt_launch_began) && (c->read < simt_block_began || c->reader & BLOCKS);
  c->reader = self | (blocks ? BLOCKS : 0);
  c->read = simt_epoch;
  c->read_warp = warp_epoch;
}

unsigned simt_all_busy;
uint16_t simt_busy[CHUNKS];

static inline void check_busy(const Piece *p, const char *at, size_t bytes, const char *what, const void *pc) {
  for (size_t i = (at - simt_arena) >> 4, last = (at + bytes - 1 - simt_arena) >> 4; i <= last && last < CHUNKS; i++)
    if (simt_busy[i]) simt_race(p, at, what, "which is still read", "a wgmma or bulk_store", "wait", pc);
}

static inline void check_global(const char *p, size_t bytes, Access kind, const void *pc) {
  if (!simt_threads[simt_self].waited) {
    simt_report(pc, "%s of a global buffer before wait_for_inputs", words[kind]);
    simt_stop();
  }
  for (int i = 0; i < simt_under_way; i++) {
    simt_range r = simt_uploads[i];
    if ((uintptr_t)p >= r.end || (uintptr_t)p + bytes <= r.begin) continue;
    simt_report(pc, "%s of a global buffer to which an upload is still under way", words[kind]);
    simt_stop();
  }
  if (kind != ATOMIC) use_global();
}

static inline __attribute__((always_inline)) void access(const char *p, size_t bytes, Access kind, const void *pc) {
  if (simt_self < 0) return; /* not in a kernel */
  size_t page = ((uintptr_t)p - (uintptr_t)simt_arena) / PAGE;
  Piece *f;
  if (page < PAGES) {
    f = simt_owner[page];
    if (!f || p < f->begin || p + bytes > f->end) outside(p, bytes, kind, pc);
  } else {
    if (simt_on_stack(p)) return;
    f = &simt_static_shared;
    if (p < f->begin || p + bytes > f->end) {
      if (p < __executable_start || p + bytes > end) outside(p, bytes, kind, pc);
      if (kind == READ) return;
      simt_report(pc, "%s of a variable of the program (is a __shared__ one in a template?)", words[kind]);
      simt_stop();
    }
  }
  if (!f->shared) check_global(p, bytes, kind, pc);
  if (bytes < 1u << f->shift && (size_t)(f->end - f->begin) > SIMT_LARGE)
    simt_fail("access of %zu bytes in an allocation of more than %zu MB, where the emulator knows only those of 4 or more", bytes, SIMT_LARGE >> 20);
  if (bytes < 1u << f->shift) simt_narrow(f, bytes == 1 ? 0 : 1);
  if (kind != READ && simt_all_busy) check_busy(f, p, bytes, words[kind], pc);
  Cell *c = f->cells + ((size_t)(p - f->begin) >> f->shift), *last = f->cells + ((size_t)(p + bytes - 1 - f->begin) >> f->shift);
  for (; c <= last; c++)
    if (kind == READ)
      read_cell(f, c, p, pc);
    else
      write_cell(f, c, p, kind, pc);
}

void simt_access(const void *p, size_t bytes, Access kind, const void *pc) {
  if (simt_checked()) access(p, bytes, kind, pc);
}

void simt_atomic(const void *p, unsigned bytes, simt_place at) {
  simt_threads[simt_self].at = at;
  if ((uintptr_t)p & (bytes - 1)) simt_fail("atomic operation that is not aligned");
  simt_access(p, bytes, ATOMIC, NULL);
  if (!simt_is_shared(p, bytes)) count_block(p);
}

/* ---- cp.async */
void simt_mark(const char *p, size_t bytes, uint16_t writer) {
  Piece *f = simt_piece(p) ? simt_piece(p) : &simt_static_shared;
  Cell *c = f->cells + ((size_t)(p - f->begin) >> f->shift), *last = f->cells + ((size_t)(p + bytes - 1 - f->begin) >> f->shift);
  for (; c <= last; c++) {
    c->write = simt_epoch;
    c->writer = writer;
    c->write_warp = simt_warps[simt_self >> 5].epoch;
  }
}

void simt_copy_starts(const void *p, size_t bytes) { simt_mark(p, bytes, simt_self | UNDER_WAY); }
void simt_copy_lands(const void *p, size_t bytes) { simt_mark(p, bytes, simt_self); }

/* ---- the compiler's calls */
#ifdef SIMT_CHECKED
int simt_checked(void) { return 1; }

#define PC __builtin_return_address(0)

static __attribute__((noinline)) void range(const void *p, size_t bytes, Access kind, const void *pc) { access(p, bytes, kind, pc); }

#define CALLS(n)                                                    \
  void __tsan_read##n(void *p) { access(p, n, READ, PC); }          \
  void __tsan_write##n(void *p) { access(p, n, WRITE, PC); }        \
  void __tsan_unaligned_read##n(void *p) { range(p, n, READ, PC); } \
  void __tsan_unaligned_write##n(void *p) { range(p, n, WRITE, PC); }
CALLS(1)
CALLS(2)
CALLS(4)
CALLS(8)
CALLS(16)
void __tsan_read_range(void *p, size_t n) { range(p, n, READ, PC); }
void __tsan_write_range(void *p, size_t n) { range(p, n, WRITE, PC); }
void __tsan_init(void) {}
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void) {}

/* Called for an address that is not aligned for its type (-fsanitize=alignment). */
void __ubsan_handle_type_mismatch_v1(const simt_place *at, const void *p) {
  if (simt_self < 0) return;
  simt_threads[simt_self].at = *at;
  simt_fail("access at %p, which is not aligned for its type", p);
}
#else
int simt_checked(void) { return 0; }
#endif
