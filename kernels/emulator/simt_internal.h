/* What the parts of the emulator share. Each uses only those above it:
   simt_report.c: the running thread, and what went wrong in it.
   simt_clocks.c: the order of accesses.
   simt_memory.c: memory.
   simt_fibers.c: threads and barriers.
   simt_check.c: bounds and races.
   simt_background.c: races with what runs in the background.
   simt_warp.c: what a warp does together.
   simt_wgmma.c: what a warpgroup does together.
   simt_bulk.c: mbarriers and bulk copies.
   simt_launch.c: kernels, launches.

   A meeting point is where threads wait for each other: a barrier, or what a warp or a warpgroup does together. An epoch is a
   time between two barriers, or other events that order accesses; epochs are numbered. A piece is an allocation, or a
   block's shared memory. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simt_runtime.h"

enum { MAX_THREADS = 1024, STACK = 128 << 10 };

/* What a lane brings to a meeting of its warp, and then what it gets. */
typedef union {
  struct { uint64_t bits; unsigned source; } shuffle;
  unsigned vote;
  struct { simt_floats c; simt_words a; uint64_t b; } mma;
  struct { uint16_t *row; simt_words words; } matrix;
  struct { float *d; uint64_t a, b; simt_words rows; simt_wgmma_kind kind; } wgmma;
  int groups;
} Operands;

/* The kinds of meetings of a warp, and from WGMMA on of a warpgroup. */
typedef enum { SYNCWARP, SHUFFLE, VOTE, MMA_F16, LDMATRIX, LDMATRIX_TRANS, STMATRIX, WGMMA, COMMIT, WAIT } Meeting;

typedef struct {
  simt_index index;
  int fiber; /* -1: not started */
  enum { RUNNING, AT_WARP, AT_BARRIER, ENDED, AT_GROUP, AT_NAMED, AT_MBARRIER, STATES } state;
  simt_place at; /* the last meeting point; line 0: none yet */
  Meeting meeting;
  unsigned mask;
  Operands operands;
  int copies, groups; /* of cp.async under way */
  uint32_t fenced;    /* its last __threadfence, if it has used no global memory since: the epoch before which it had seen all */
  bool waited;        /* for its inputs */
} Thread;

typedef struct {
  unsigned exist, alive, arrived, ready; /* sets of lanes; ready: neither running nor waiting nor ended */
  uint16_t epoch;                        /* number of its __syncwarps so far */
} Warp;

/* simt_report.c */
extern Thread simt_threads[MAX_THREADS];
extern int simt_self;               /* the running thread, -1 for none */
extern simt_index simt_block_index; /* of the running block */
/* Records a failure of the running thread. pc: where the access was. */
void simt_report(const void *pc, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *simt_failure(void); /* what simt_report has recorded; NULL: nothing */
void simt_forget_failure(void);

/* simt_clocks.c */
enum { WARPS = 32, MAX_MBARRIERS = 32, COLUMNS = WARPS + MAX_MBARRIERS }; /* a column: the accesses of a warp, or the copies of an mbarrier */
extern uint32_t simt_epoch, simt_launch_began, simt_block_began;
extern uint32_t simt_floor[WARPS];            /* the epoch before which a warp has seen all accesses of its block … */
extern uint32_t simt_seen_of[WARPS][COLUMNS]; /* … and, if it is later, those of a column */
static inline uint32_t simt_seen(int warp, int column) {
  uint32_t seen = simt_seen_of[warp][column];
  return seen > simt_floor[warp] ? seen : simt_floor[warp];
}
void simt_clocks_of_block(void);                            /* begins a block */
void simt_forget_clocks(void);                              /* starts again with epoch 1 */
void simt_barrier_passed(void);                             /* by all threads */
void simt_barrier_of(unsigned warps, int count);            /* by these warps, of count in the block */
uint32_t simt_copy_ended(void);                             /* returns the epoch that begins with it */
void simt_look(int warp, uint32_t seen[COLUMNS]);           /* what a warp did or has seen up to now … */
void simt_show(int warp, const uint32_t seen[COLUMNS]);     /* … is seen by another from now on */
void simt_fence_proxies(void);                              /* by the running thread */
bool simt_fenced(int thread, uint32_t time, uint32_t seen); /* reports whether a thread did so after a time and before another */

/* simt_memory.c */
typedef struct {
  uint32_t write, read;           /* epochs of the last ones */
  uint16_t writer, reader;        /* thread or copy, and the marks below */
  uint16_t write_warp, read_warp; /* epochs of that warp. read_warp, if several warps read: a set of them, modulo 16 */
} Cell;
enum {
  THREAD = 1023,
  WHO = 2047,          /* writer: a thread, or 32 * column of an mbarrier */
  UNDER_WAY = 1 << 11, /* writer: a copy that is not complete */
  ATOMICALLY = 1 << 12,
  LANES = 1 << 10,   /* reader: other lanes of its warp too, in the same epoch of the warp */
  SEVERAL = 1 << 11, /* reader: several warps, none of which had seen the others' reads */
  BLOCKS = 1 << 12,  /* reader: earlier blocks of the launch too */
  MIXED = 1 << 13    /* reader: several warps in several epochs, which are in the piece's reads */
};

typedef struct {
  char *begin, *end;
  Cell *cells;
  int shift; /* a cell is for 1 << shift bytes: 4, until a narrower access comes */
  bool shared;
  uint32_t (*reads)[16]; /* of shared memory: epochs of the last read of each MIXED cell by each warp */
} Piece;

#define PAGE ((size_t)4096)
#define PAGES ((size_t)1 << 23)
#define SIMT_LARGE ((size_t)1 << 30) /* a larger allocation takes memory of the host only where kernels use it, and is not filled */
extern char *simt_arena;
extern Piece *simt_owner[PAGES]; /* of each page of the arena */
extern Piece simt_static_shared;
static inline Piece *simt_piece(const void *p) {
  size_t page = ((uintptr_t)p - (uintptr_t)simt_arena) / PAGE;
  return simt_arena && page < PAGES ? simt_owner[page] : NULL;
}
bool simt_is_shared(const void *p, size_t bytes);
void simt_narrow(Piece *p, int shift);
void simt_new_launch(unsigned shared); /* makes the dynamic shared memory */
void simt_new_block(void);

/* simt_fibers.c */
extern Warp simt_warps[32];
extern int simt_count;    /* threads of a block */
extern int simt_order;
extern const simt_range *simt_uploads; /* those under way beside this launch */
extern int simt_under_way;             /* their number */
unsigned simt_random(void);
bool simt_make_stacks(void);
extern char *simt_stacks; /* MAX_THREADS of STACK bytes, a page without access below each */
static inline bool simt_on_stack(const void *p) { return (uintptr_t)p - (uintptr_t)simt_stacks < (size_t)MAX_THREADS * STACK; }
void simt_run_threads(void (*run)(void));       /* runs a block of threads that call run */
void simt_stop(void) __attribute__((noreturn)); /* stops the block after a failure */
#define simt_fail(...) (simt_report(NULL, __VA_ARGS__), simt_stop())
typedef void (*Join)(int first, unsigned mask); /* does the work of a meeting of the lanes in mask, which are threads first, first + 1 … */
void simt_meet(Meeting what, unsigned mask, simt_place at, Join join);
void simt_meet_group(Meeting what, simt_place at, void (*join)(int first)); /* of the warpgroup of threads first … first + 127 */
void simt_wait_for_mbarrier(void);  /* lets others run until simt_wake is called for this thread */
void simt_wake(int thread);

/* simt_check.c: accesses of the running thread */
typedef enum { READ, WRITE, ATOMIC } Access;
void simt_access(const void *p, size_t bytes, Access kind, const void *pc);
void simt_copy_starts(const void *p, size_t bytes); /* these bytes of shared memory belong to a cp.async now */
void simt_copy_lands(const void *p, size_t bytes);
void simt_mark(const char *p, size_t bytes, uint16_t writer);        /* records a write, unchecked */
unsigned simt_unseen(const Piece *p, const Cell *c, unsigned warps); /* the readers whose reads not all of these warps have seen */
void simt_add_readers(Piece *p, Cell *c, unsigned warps);
/* Fails with a data race: what was done at an address, what another did before, who, and what should be between. */
void simt_race(const Piece *p, const void *at, const char *what, const char *other, const char *who, const char *missing, const void *pc)
    __attribute__((noreturn));
void simt_still_written(const Piece *p, const void *at, const char *what, unsigned writer, const void *pc) __attribute__((noreturn));
const char *simt_writer(unsigned writer); /* names it */
enum { CHUNKS = 1 << 14 };                /* of 16 bytes: the dynamic shared memory */
extern uint16_t simt_busy[CHUNKS];        /* how many in the background read a chunk */
extern unsigned simt_all_busy;            /* the sum of these */

/* simt_background.c: dynamic shared memory, as what runs in the background uses it */
void simt_nothing_held(void);                                   /* begins a block */
void simt_hold(const void *p, size_t bytes, unsigned warps);    /* what these warps issued reads here from now on, until … */
void simt_let_go(const void *p, size_t bytes, unsigned warps);  /* … they have waited for it */
void simt_bulk_starts(const void *p, size_t bytes, int column); /* a copy of the running thread writes here from now on */
void simt_bulk_lands(const void *p, size_t bytes, int column);

/* simt_warp.c */
extern int simt_capability; /* of the device */
void simt_need_hopper(const char *word, simt_place at);                    /* fails below compute capability 9.0 */
void *simt_shared_range(unsigned address, size_t bytes, const char *word); /* fails unless these bytes are dynamic shared memory */

/* simt_wgmma.c, simt_bulk.c */
void simt_new_wgmmas(void); /* begins a block */
void simt_end_wgmmas(void); /* ends a thread */
void simt_new_copies(void);
void simt_end_copies(void);

/* ---- numbers */
static inline float simt_half_value(uint16_t h) {
  uint32_t u = (uint32_t)(h & 0x7fff) << 13; /* the exponent is 112 too small */
  float f;
  memcpy(&f, &u, 4);
  f *= 0x1p112f;
  memcpy(&u, &f, 4);
  if ((h & 0x7c00) == 0x7c00) u |= 0x7f800000;
  u |= (uint32_t)(h & 0x8000) << 16;
  memcpy(&f, &u, 4);
  return f;
}

/* The matrix unit adds exact products and cuts off what a float does not hold: a model of what GPUs do, whose sums have a
   few more bits. */
static inline float simt_truncated(double x) {
  float f = (float)x;
  return fabs((double)f) > fabs(x) ? nextafterf(f, 0) : f;
}
