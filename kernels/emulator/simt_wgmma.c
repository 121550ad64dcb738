//go:build simt

/* What the four warps of a warpgroup do together: products of matrices in the background. They are computed when the
   warpgroup waits for them, the latest that a device may do it, from what the operands hold then. Until then the registers
   of the sums hold NaNs; the sums are kept here. */
#include <stdio.h>

#include "simt_internal.h"

enum { GROUP = 128, WARPGROUPS = MAX_THREADS / GROUP, MAX_SUMS = 8, MAX_PRODUCTS = 256 };

typedef double Row __attribute__((vector_size(64)));
typedef float Row32 __attribute__((vector_size(32)));
typedef int64_t Bits __attribute__((vector_size(64)));

/* The registers of all threads for one result [64][columns]. */
typedef struct {
  int columns, products; /* products: under way */
  float *d[GROUP];       /* of each thread */
  float sums[64 * 128] __attribute__((aligned(64)));
} Sums;

typedef struct {
  Sums *sums;
  simt_wgmma_kind kind;
  uint64_t a, b;
  uint16_t rows[64][16]; /* a, if it came in registers */
} Product;

static struct {
  Sums sums[MAX_SUMS];
  Product products[MAX_PRODUCTS];
  int count;                      /* products under way */
  int groups, ends[MAX_PRODUCTS]; /* that are committed: how many products up to the end of each */
} all[WARPGROUPS];
static bool fenced[MAX_THREADS]; /* by wgmma_fence, since the last wait */

static Operands *of(int thread) { return &simt_threads[thread].operands; }

/* row_of and column_of return the place in d [64][columns] of element e of a thread. */
static int row_of(int thread, int e) { return thread % GROUP / 32 * 16 + thread % 32 / 4 + e / 2 % 2 * 8; }
static int column_of(int thread, int e) { return e / 4 * 8 + thread % 4 * 2 + e % 2; }

void simt_new_wgmmas(void) {
  for (int i = 0; i * GROUP < simt_count; i++) {
    for (int s = 0; s < MAX_SUMS; s++) all[i].sums[s].products = 0;
    all[i].count = all[i].groups = 0;
  }
  memset(fenced, 0, simt_count);
}

void simt_end_wgmmas(void) {
  if (all[simt_self / GROUP].count) simt_fail("ends without waiting for its wgmma");
}

/* ---- operands in shared memory: the descriptors of the PTX manual, in chunks of 8 halves */
typedef struct { unsigned start, leading, stride; bool swizzled, down; } Layout; /* down: chunks run along x */

static Layout layout(uint64_t d, int down, const char *name) {
  Layout l = {(d & 0x3fff) << 4, (d >> 16 & 0x3fff) << 4, (d >> 32 & 0x3fff) << 4, d >> 62 == 1, down};
  if (d >> 62 > 1) simt_fail("wgmma with a swizzle of %s that is not emulated: %d", name, (int)(d >> 62));
  if (d & ~0xc0003fff3fff3fffull) simt_fail("wgmma with a descriptor %016llx of %s, bits that are 0 are set", (unsigned long long)d, name);
  if (l.swizzled && (l.start >> 7 & 7)) simt_fail("wgmma with %s at %#x, whose pattern does not begin at a multiple of 1024", name, l.start);
  if (l.swizzled && (l.start & 127) > (down ? 0 : 96)) simt_fail("wgmma with %s at %#x, which is in the middle of a row of 128 bytes", name, l.start);
  return l;
}

/* chunk returns the address of the chunk that begins with (x, k). x counts rows of A, columns of B; it is a multiple of 8 if
   chunks run along it, otherwise k is. */
static unsigned chunk(Layout l, int x, int k) {
  unsigned a = l.start;
  if (!l.swizzled) return a + (l.down ? k : x) % 8 * 16 + x / 8 * l.stride + k / 8 * l.leading;
  if (l.down)
    a += x % 64 * 2 + x / 64 * l.leading + k % 8 * 128 + k / 8 * l.stride;
  else
    a += x % 8 * 128 + x / 8 * l.stride + k * 2;
  return a ^ (a >> 7 & 7) << 4;
}

/* load fetches an operand's halves as [n][16]. */
static void load(uint16_t (*to)[16], int n, Layout l) {
  uint16_t some[8];
  for (int x = 0; x < n; x += l.down ? 8 : 1)
    for (int k = 0; k < 16; k += l.down ? 1 : 8) {
      unsigned a = chunk(l, x, k);
      memcpy(some, simt_arena + a, 16);
      for (int i = 0; i < 8; i++) *(l.down ? &to[x + i][k] : &to[x][k + i]) = some[i];
    }
}

typedef void (*Use)(const void *p, size_t bytes, unsigned warps);

/* each calls use with all chunks of an operand in shared memory. */
static void each(uint64_t d, int down, int n, const char *name, int first, Use use) {
  Layout l = layout(d, down, name);
  for (int x = 0; x < n; x += down ? 8 : 1)
    for (int k = 0; k < 16; k += down ? 1 : 8)
      use(simt_shared_range(chunk(l, x, k), 16, "wgmma with an operand"), 16, 15u << (first >> 5));
}

static void each_operand(const Product *p, int first, Use use) {
  if (!p->kind.rows) each(p->a, p->kind.transposed_a, 64, "A", first, use);
  each(p->b, p->kind.transposed_b, p->kind.columns, "B", first, use);
}

/* ---- the products */
/* add adds a[64][16] b[16][8] to eight columns of sums. */
static inline __attribute__((always_inline)) void add(float *sums, int columns, const float (*a)[16], const Row *b) {
  for (int r = 0; r < 64; r++, sums += columns) {
    Row sum = {0};
    for (int k = 0; k < 16; k++) sum += (double)a[r][k] * b[k];
    Row32 c;
    memcpy(&c, sums, sizeof c);
    sum += __builtin_convertvector(c, Row);
    Row cut = (Row)((Bits)sum & ~0x1fffffffll); /* what a float holds, if its exponent does */
    c = __builtin_convertvector(cut, Row32);
    Bits same = __builtin_convertvector(c, Row) == cut;
    int64_t all_same = -1;
    for (int i = 0; i < 8; i++) all_same &= same[i];
    if (!all_same)
      for (int i = 0; i < 8; i++) c[i] = simt_truncated(sum[i]);
    memcpy(sums, &c, sizeof c);
  }
}

#ifdef __x86_64__
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static void multiply(float *sums, int columns, const float (*a)[16], const float (*b)[16]) {
  for (int c = 0; c < columns; c += 8) {
    Row part[16];
    for (int k = 0; k < 16; k++)
      for (int i = 0; i < 8; i++) part[k][i] = b[c + i][k];
    add(sums + c, columns, a, part);
  }
}

static void numbers(float *to, const uint16_t *from, int n) {
  for (int i = 0; i < n; i++) to[i] = simt_half_value(from[i]);
}

static void compute(Product *p) {
  static uint16_t halves[128][16];
  static float a[64][16], b[128][16];
  if (!p->kind.add) memset(p->sums->sums, 0, sizeof p->sums->sums);
  if (!p->kind.rows) load(p->rows, 64, layout(p->a, p->kind.transposed_a, "A"));
  load(halves, p->kind.columns, layout(p->b, p->kind.transposed_b, "B"));
  numbers(a[0], p->rows[0], 64 * 16);
  numbers(b[0], halves[0], p->kind.columns * 16);
  multiply(p->sums->sums, p->kind.columns, a, b);
}

/* ---- issue */
static const uint32_t poison = 0xffffffff; /* a NaN */

/* sums_of returns the place of the sums in registers d, which hold NaNs from now on. */
static Sums *sums_of(int first, int columns) {
  Sums *s = NULL;
  for (int i = 0; i < MAX_SUMS; i++) {
    Sums *t = &all[first / GROUP].sums[i];
    if (t->products && t->d[0] == of(first)->wgmma.d) return t;
    if (!t->products) s = t;
  }
  if (!s) simt_fail("more than %d results of wgmma under way", MAX_SUMS);
  s->columns = columns;
  for (int i = 0; i < GROUP; i++) {
    if (!fenced[first + i]) simt_fail("wgmma without a wgmma_fence of thread %d since its last wait", first + i);
    s->d[i] = of(first + i)->wgmma.d;
    for (int e = 0; e < columns / 2; e++) {
      s->sums[row_of(i, e) * columns + column_of(i, e)] = s->d[i][e];
      memcpy(&s->d[i][e], &poison, 4);
    }
  }
  return s;
}

static void issue(int first) {
  Operands *o = of(first);
  simt_wgmma_kind kind = o->wgmma.kind;
  for (int i = first; i < first + GROUP; i++)
    if (of(i)->wgmma.a != o->wgmma.a || of(i)->wgmma.b != o->wgmma.b || memcmp(&of(i)->wgmma.kind, &kind, sizeof kind))
      simt_fail("wgmma whose operands are others than those of thread %d", i);
  if (all[first / GROUP].count == MAX_PRODUCTS) simt_fail("more than %d wgmma under way", MAX_PRODUCTS);
  Product *p = &all[first / GROUP].products[all[first / GROUP].count++];
  p->kind = kind;
  p->a = o->wgmma.a;
  p->b = o->wgmma.b;
  each_operand(p, first, simt_hold);
  for (int i = first; kind.rows && i < first + GROUP; i++)
    for (int e = 0; e < 8; e++) p->rows[row_of(i, e)][column_of(i, e)] = of(i)->wgmma.rows[e / 2] >> e % 2 * 16;
  p->sums = sums_of(first, kind.columns);
  p->sums->products++;
}

void simt_wgmma(float *d, uint64_t a, uint64_t b, simt_words rows, simt_wgmma_kind kind, simt_place at) {
  simt_need_hopper("wgmma", at);
  Operands *o = of(simt_self);
  o->wgmma.d = d;
  o->wgmma.a = a;
  o->wgmma.b = b;
  o->wgmma.rows = rows;
  o->wgmma.kind = kind;
  simt_meet_group(WGMMA, at, issue);
}

void simt_wgmma_fence(simt_place at) {
  simt_need_hopper("wgmma_fence", at);
  fenced[simt_self] = true;
}

/* ---- groups */
static void commit(int first) {
  int g = first / GROUP;
  if (all[g].groups == MAX_PRODUCTS) simt_fail("more than %d groups of wgmma under way", MAX_PRODUCTS);
  all[g].ends[all[g].groups++] = all[g].count;
}

void simt_wgmma_commit(simt_place at) { simt_meet_group(COMMIT, at, commit); }

/* deliver gives the threads their sums. */
static void deliver(Sums *s, int first) {
  for (int i = 0; i < GROUP; i++)
    for (int e = 0; e < s->columns / 2; e++) {
      if (memcmp(&s->d[i][e], &poison, 4)) simt_fail("thread %d wrote a register of a wgmma's result before a wgmma_wait", first + i);
      s->d[i][e] = s->sums[row_of(i, e) * s->columns + column_of(i, e)];
    }
}

static void wait(int first) {
  int g = first / GROUP, groups = of(first)->groups, done = all[g].groups - groups;
  for (int i = first; i < first + GROUP; i++) {
    if (of(i)->groups != groups) simt_fail("wgmma_wait for %d groups, while thread %d waits for %d", groups, i, of(i)->groups);
    fenced[i] = false;
  }
  if (done <= 0) return;
  int end = all[g].ends[done - 1];
  for (int i = 0; i < end; i++) {
    Product *p = &all[g].products[i];
    compute(p);
    each_operand(p, first, simt_let_go);
    if (!--p->sums->products) deliver(p->sums, first);
  }
  all[g].count -= end;
  all[g].groups -= done;
  memmove(all[g].products, all[g].products + end, all[g].count * sizeof(Product));
  for (int i = 0; i < all[g].groups; i++) all[g].ends[i] = all[g].ends[i + done] - end;
}

void simt_wgmma_wait(int groups, simt_place at) {
  of(simt_self)->groups = groups;
  simt_meet_group(WAIT, at, wait);
}
