//go:build simt

/* Threads as fibers. A thread runs until it has to wait, then another one goes on. When a thread ends, its fiber runs the
   next thread that has not started, so a kernel without meeting points needs one fiber and no switches. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#if !defined(__x86_64__) || defined(SIMT_UCONTEXT)
#include <ucontext.h>
#endif

#include "simt_internal.h"

Warp simt_warps[32];
char *simt_stacks;
int simt_count, simt_order;
const simt_range *simt_uploads;
int simt_under_way;

static unsigned ready_warps;     /* warps with a lane that is ready */
static int alive, at_barrier;    /* threads */
static int first_at_barrier;
typedef struct {
  int threads;               /* that it is for; 0: nobody waits */
  unsigned warps, lanes[32]; /* that have come: whole warps, and lanes */
  unsigned before;           /* the warps that passed it last … */
  uint32_t passed;           /* … and the epoch that began then */
} Named;
static Named named[16];
static int in_group[MAX_THREADS / 128]; /* threads of a warpgroup that wait for its others */
static int made;                 /* fibers with a stack */
static int idle[MAX_THREADS], idles;
static uint64_t switches, seed;
static void (*body)(void);       /* what a thread runs */

uint64_t simt_switches(void) { return switches; }

unsigned simt_random(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 33;
}

/* ---- switching stacks */
static void fiber_main(void);
#if defined(__x86_64__) && !defined(SIMT_UCONTEXT)
typedef void *Context; /* the stack pointer; the registers that a call preserves are on the stack */
static Context contexts[MAX_THREADS], outside;

void simt_swap(Context *save, Context load);
__asm__(
    ".text\n.globl simt_swap\n.hidden simt_swap\n.type simt_swap,@function\nsimt_swap:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
    ".size simt_swap,.-simt_swap\n");

/* Stacks begin at different cache sets. At equal offsets in their pages they would push each other out of the cache. */
static void make_context(int f) {
  char *top = simt_stacks + (size_t)(f + 1) * STACK - (f % 32) * 128;
  void **s = (void **)top;
  *--s = NULL; /* so that the stack is aligned as after a call */
  *--s = (void *)fiber_main;
  for (int i = 0; i < 6; i++) *--s = NULL;
  contexts[f] = s;
}

static void swap(Context *save, Context *load) { simt_swap(save, *load); }
#else
typedef ucontext_t Context;
static Context contexts[MAX_THREADS], outside;

static void make_context(int f) {
  getcontext(&contexts[f]);
  contexts[f].uc_stack.ss_sp = simt_stacks + (size_t)f * STACK;
  contexts[f].uc_stack.ss_size = STACK;
  makecontext(&contexts[f], fiber_main, 0);
}

static void swap(Context *save, Context *load) { swapcontext(save, load); }
#endif

bool simt_make_stacks(void) {
  if (simt_stacks) return true;
  void *p = mmap(NULL, (size_t)MAX_THREADS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p != MAP_FAILED) simt_stacks = p;
  return simt_stacks;
}

static int take_fiber(void) {
  if (idles) return idle[--idles];
  mprotect(simt_stacks + (size_t)made * STACK, PAGE, PROT_NONE);
  make_context(made);
  return made++;
}

/* ---- who is next */
static void set_ready(int warp, unsigned lanes) {
  simt_warps[warp].ready |= lanes;
  ready_warps |= 1u << warp;
}

/* go_on takes the running thread, the last to arrive, out of those that are ready. */
static void go_on(void) {
  Warp *w = &simt_warps[simt_self >> 5];
  w->ready &= ~(1u << (simt_self & 31));
  if (!w->ready) ready_warps &= ~(1u << (simt_self >> 5));
}

static int nth_bit(unsigned set, unsigned n) {
  for (; n; n--) set &= set - 1;
  return __builtin_ctz(set);
}

static int choose(unsigned set) {
  if (simt_order == 0) return __builtin_ctz(set);
  if (simt_order == 1) return 31 - __builtin_clz(set);
  return nth_bit(set, simt_random() % __builtin_popcount(set));
}

/* next takes a ready thread, of the given warp if that has one. It returns -1 if no thread is ready. */
static int next(int warp) {
  if (!ready_warps) return -1;
  if (simt_order > 1 || !(ready_warps >> warp & 1)) warp = choose(ready_warps);
  Warp *w = &simt_warps[warp];
  int lane = choose(w->ready);
  w->ready &= ~(1u << lane);
  if (!w->ready) ready_warps &= ~(1u << warp);
  return 32 * warp + lane;
}

/* go switches from a fiber to thread n, or for n = -1 to the caller of simt_run_threads. */
static void go(int fiber, int n) {
  if (n < 0) {
    swap(&contexts[fiber], &outside);
    return;
  }
  simt_self = n;
  if (simt_threads[n].fiber < 0) simt_threads[n].fiber = take_fiber();
  switches++;
  swap(&contexts[fiber], &contexts[simt_threads[n].fiber]);
}

/* wait_for_others lets others run and returns when the running thread is ready and chosen again. */
static void wait_for_others(void) {
  int self = simt_self, n = next(self >> 5);
  if (n != self) go(simt_threads[self].fiber, n);
}

void simt_stop(void) {
  swap(&contexts[simt_threads[simt_self].fiber], &outside);
  __builtin_unreachable();
}

void simt_wait_for_inputs(void) { simt_threads[simt_self].waited = true; }

static void end_thread(Thread *t) {
  if (!t->waited) simt_fail("ends without wait_for_inputs");
  if (t->copies) simt_fail("ends without waiting for its cp.async");
  t->state = ENDED;
  alive--;
  simt_warps[simt_self >> 5].alive &= ~(1u << (simt_self & 31));
  if (at_barrier) simt_fail("ends while %d threads wait at __syncthreads", at_barrier);
}

static void fiber_main(void) {
  for (;;) {
    Thread *t = &simt_threads[simt_self];
    int fiber = t->fiber;
    body();
    end_thread(t);
    int n = next(simt_self >> 5);
    if (n >= 0 && simt_threads[n].fiber < 0) {
      simt_threads[n].fiber = fiber;
      simt_self = n;
      continue;
    }
    idle[idles++] = fiber;
    go(fiber, n);
  }
}

/* ---- meeting points */
void simt_syncthreads(simt_place at) {
  Thread *t = &simt_threads[simt_self];
  t->at = at;
  if (alive != simt_count) simt_fail("__syncthreads after %d threads have ended", simt_count - alive);
  if (!at_barrier) first_at_barrier = simt_self;
  simt_place first = simt_threads[first_at_barrier].at;
  if (first.line != at.line || first.file != at.file)
    simt_fail("comes to a __syncthreads while thread %d waits at %s:%d", first_at_barrier, first.file, first.line);
  t->state = AT_BARRIER;
  if (++at_barrier < simt_count) {
    wait_for_others();
    return;
  }
  at_barrier = 0;
  simt_barrier_passed();
  for (int w = 0; 32 * w < simt_count; w++) set_ready(w, simt_warps[w].exist);
  for (int i = 0; i < simt_count; i++) simt_threads[i].state = RUNNING;
  go_on();
}

static const char *const names[] = {"__syncwarp", "shuffle", "vote", "mma_f16", "ldmatrix_x4", "ldmatrix_x4_trans", "stmatrix_x4",
                                    "wgmma", "wgmma_commit", "wgmma_wait"};

void simt_meet(Meeting what, unsigned mask, simt_place at, Join join) {
  Thread *t = &simt_threads[simt_self];
  Warp *w = &simt_warps[simt_self >> 5];
  unsigned me = 1u << (simt_self & 31);
  int first = simt_self & ~31;
  t->at = at;
  if (!(mask & me)) simt_fail("%s with a mask %08x that leaves out the thread's own lane", names[what], mask);
  if (mask & ~w->alive) simt_fail("%s with a mask %08x of which lanes %08x have ended or are not there", names[what], mask, mask & ~w->alive);
  t->meeting = what;
  t->mask = mask;
  t->state = AT_WARP;
  w->arrived |= me;
  if ((w->arrived & mask) != mask) {
    wait_for_others();
    return;
  }
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    int i = first + __builtin_ctz(rest);
    Thread *o = &simt_threads[i];
    if (o->meeting != what || o->mask != mask || o->at.line != at.line)
      simt_fail("%s with mask %08x meets thread %d's %s with mask %08x at %s:%d", names[what], mask, i, names[o->meeting], o->mask, o->at.file, o->at.line);
    o->state = RUNNING;
  }
  w->arrived &= ~mask;
  if (join) join(first, mask);
  if (mask != me) set_ready(simt_self >> 5, mask & ~me); /* the last to arrive goes on */
}

void simt_meet_group(Meeting what, simt_place at, void (*join)(int first)) {
  Thread *t = &simt_threads[simt_self];
  int first = simt_self & ~127, *arrived = &in_group[simt_self >> 7];
  t->at = at;
  if (first + 128 > simt_count) simt_fail("%s outside a warpgroup of 128 threads", names[what]);
  t->meeting = what;
  t->state = AT_GROUP;
  if (++*arrived < 128) {
    wait_for_others();
    return;
  }
  *arrived = 0;
  for (int i = first; i < first + 128; i++) {
    Thread *o = &simt_threads[i];
    if (o->meeting != what || o->at.line != at.line)
      simt_fail("%s meets thread %d's %s at %s:%d", names[what], i, names[o->meeting], o->at.file, o->at.line);
    o->state = RUNNING;
  }
  join(first);
  for (int w = first >> 5; w < (first >> 5) + 4; w++) set_ready(w, simt_warps[w].exist);
  go_on();
}

/* check_turn fails if the running thread's warp could have met the warps that passed a barrier last, in another order of
   warps: it was not one of them, and has seen none of them after it. */
static void check_turn(const Named *b, int id) {
  int warp = simt_self >> 5;
  if (!b->before || b->before >> warp & 1) return;
  for (unsigned rest = b->before; rest; rest &= rest - 1)
    if (simt_seen(warp, __builtin_ctz(rest)) > b->passed) return;
  simt_fail("comes to barrier_sync %d, which warp %d has passed without this warp, and nothing puts it after that: they could meet there", id,
            __builtin_ctz(b->before));
}

/* Threads come to a barrier_sync one by one. A warp counts when all its lanes are there. */
void simt_barrier_sync(int id, int threads, simt_place at) {
  Thread *t = &simt_threads[simt_self];
  int warp = simt_self >> 5;
  t->at = at;
  if (id < 1 || id > 15) simt_fail("barrier_sync with id %d, want 1 to 15", id);
  if (threads < 32 || threads > MAX_THREADS || threads % 32) simt_fail("barrier_sync of %d threads, want whole warps", threads);
  Named *b = &named[id];
  if (!b->threads) b->threads = threads;
  if (b->threads != threads) simt_fail("barrier_sync %d of %d threads, while others wait there for %d threads", id, threads, b->threads);
  t->state = AT_NAMED;
  b->lanes[warp] |= 1u << (simt_self & 31);
  if (b->lanes[warp] == simt_warps[warp].exist) {
    check_turn(b, id);
    b->warps |= 1u << warp;
  }
  if (32 * __builtin_popcount(b->warps) < threads) {
    wait_for_others();
    return;
  }
  simt_barrier_of(b->warps, (simt_count + 31) / 32);
  for (int w = 0; w < 32; w++) {
    if (!(b->warps >> w & 1)) continue;
    b->lanes[w] = 0;
    for (int i = 32 * w; i < 32 * w + 32 && i < simt_count; i++) simt_threads[i].state = RUNNING;
    set_ready(w, simt_warps[w].exist);
  }
  b->before = b->warps;
  b->passed = simt_epoch;
  b->warps = b->threads = 0;
  go_on();
}

void simt_wait_for_mbarrier(void) {
  simt_threads[simt_self].state = AT_MBARRIER;
  wait_for_others();
}

void simt_wake(int thread) {
  simt_threads[thread].state = RUNNING;
  set_ready(thread >> 5, 1u << (thread & 31));
}

/* ---- blocks */
static void deadlock(void) {
  int n[STATES] = {0}, last[STATES] = {0};
  for (int i = 0; i < simt_count; i++) {
    n[simt_threads[i].state]++;
    last[simt_threads[i].state] = i;
  }
  int of = n[AT_MBARRIER] ? AT_MBARRIER : n[AT_NAMED] ? AT_NAMED : n[AT_GROUP] ? AT_GROUP : n[AT_WARP] ? AT_WARP : AT_BARRIER;
  simt_self = last[of];
  char more[128] = "";
  if (of > ENDED)
    snprintf(more, sizeof more, ", %d at mbarriers, %d at barrier_sync, %d at a meeting of their warpgroup", n[AT_MBARRIER], n[AT_NAMED], n[AT_GROUP]);
  simt_report(NULL, "waits forever: %d threads at __syncthreads, %d at a meeting of their warp, %d have ended%s", n[AT_BARRIER], n[AT_WARP], n[ENDED], more);
}

void simt_run_threads(void (*run)(void)) {
  body = run;
  alive = simt_count;
  at_barrier = 0;
  ready_warps = 0;
  memset(named, 0, sizeof named);
  memset(in_group, 0, sizeof in_group);
  for (int i = 0; i < simt_count; i++) {
    Thread *t = &simt_threads[i];
    t->fiber = -1;
    t->state = RUNNING;
    t->at = (simt_place){NULL, 0};
    t->copies = t->groups = 0;
    t->fenced = 0;
    t->waited = false;
  }
  for (int w = 0; w < 32; w++) {
    int lanes = simt_count - 32 * w;
    unsigned exist = lanes <= 0 ? 0 : lanes >= 32 ? ~0u : (1u << lanes) - 1;
    simt_warps[w] = (Warp){exist, exist, 0, 0, simt_warps[w].epoch};
    if (exist) set_ready(w, exist);
  }
  simt_self = next(simt_order == 1 ? 31 : 0);
  int fiber = simt_threads[simt_self].fiber = take_fiber();
  swap(&outside, &contexts[fiber]);
  if (alive && !simt_failure()) deadlock();
  if (alive) { /* some fibers stopped in the middle */
    for (idles = 0; idles < made; idles++) {
      make_context(idles);
      idle[idles] = idles;
    }
  }
  simt_self = -1;
}
