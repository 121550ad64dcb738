//go:build simt

/* What the lanes of a warp do together. Each lane brings its operands to a meeting, and the last to arrive does the work for all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "simt_internal.h"

int simt_capability;

static Operands *mine(void) { return &simt_threads[simt_self].operands; }
static Operands *of(int first, int lane) { return &simt_threads[first + lane].operands; }

/* ---- barrier, shuffles, votes */
static void pass(int first, unsigned mask) {
  (void)mask;
  simt_warps[first >> 5].epoch++;
}

void simt_syncwarp(unsigned mask, simt_place at) { simt_meet(SYNCWARP, mask, at, pass); }

static void shuffle(int first, unsigned mask) {
  uint64_t bits[32];
  for (int l = 0; l < 32; l++) bits[l] = mask >> l & 1 ? of(first, l)->shuffle.bits : ~0ull; /* undefined on a device; a NaN here */
  for (int l = 0; l < 32; l++)
    if (mask >> l & 1) of(first, l)->shuffle.bits = bits[of(first, l)->shuffle.source & 31];
}

uint64_t simt_shuffle(unsigned mask, uint64_t bits, unsigned source, simt_place at) {
  Operands *o = mine();
  o->shuffle.bits = bits;
  o->shuffle.source = source;
  simt_meet(SHUFFLE, mask, at, shuffle);
  return o->shuffle.bits;
}

static void vote(int first, unsigned mask) {
  unsigned ballot = 0;
  for (int l = 0; l < 32; l++)
    if ((mask >> l & 1) && of(first, l)->vote) ballot |= 1u << l;
  for (int l = 0; l < 32; l++)
    if (mask >> l & 1) of(first, l)->vote = ballot;
}

unsigned simt_ballot(unsigned mask, int v, simt_place at) {
  Operands *o = mine();
  o->vote = v != 0;
  simt_meet(VOTE, mask, at, vote);
  return o->vote;
}

/* ---- halves */
float simt_from_half(uint16_t h) { return simt_half_value(h); }

/* Rounds to nearest, ties to even, as __float2half_rn does. */
uint16_t simt_to_half(float x) {
  uint32_t u, sign;
  memcpy(&u, &x, 4);
  sign = u >> 16 & 0x8000;
  u &= 0x7fffffff;
  if (u > 0x7f800000) return 0x7fff;
  if (u >= 0x477ff000) return sign | 0x7c00;
  if (u < 0x38800000) { /* subnormal: adding 0.5 rounds it to its last place, 2^-24 */
    float f = fabsf(x) + 0.5f;
    memcpy(&u, &f, 4);
    return sign | (u - 0x3f000000);
  }
  u += 0xfff + (u >> 13 & 1);
  return sign | (u - 0x38000000) >> 13;
}

/* ---- the matrix unit: fragments as in the PTX manual */
typedef double Row __attribute__((vector_size(64)));

/* multiply adds a[16][k] b[k][8] to the lanes' c. */
static void multiply(int first, int k, const float *a, const Row *b) {
  for (int r = 0; r < 16; r++) {
    Row sum = {0};
    for (int i = 0; i < k; i++) sum += (double)a[r * k + i] * b[i];
    for (int l = (r & 7) * 4, j = 0; j < 4; j++) {
      simt_floats *c = &of(first, l + j)->mma.c;
      for (int i = 0, at = (r >> 3) * 2; i < 2; i++, at++) (*c)[at] = simt_truncated((*c)[at] + sum[2 * j + i]);
    }
  }
}

static void multiply_f16(int first, unsigned mask) {
  (void)mask;
  float a[16 * 16];
  Row b[16];
  for (int l = 0; l < 32; l++) {
    Operands *o = of(first, l);
    int g = l >> 2, t = (l & 3) * 2;
    for (int i = 0; i < 4; i++) {
      float *p = a + (g + (i & 1) * 8) * 16 + t + (i >> 1) * 8;
      p[0] = simt_half_value(o->mma.a[i]);
      p[1] = simt_half_value(o->mma.a[i] >> 16);
    }
    for (int i = 0; i < 4; i++) b[t + (i >> 1) * 8 + (i & 1)][g] = simt_half_value(o->mma.b >> 16 * i);
  }
  multiply(first, 16, a, b);
}

static simt_floats product(Meeting what, simt_floats c, simt_words a, uint64_t b, simt_place at, Join join) {
  Operands *o = mine();
  o->mma.c = c;
  o->mma.a = a;
  o->mma.b = b;
  simt_meet(what, ~0u, at, join);
  return o->mma.c;
}

simt_floats simt_mma_f16(simt_floats c, simt_words a, uint64_t b, simt_place at) { return product(MMA_F16, c, a, b, at, multiply_f16); }

/* ---- ldmatrix: lane l names row l%8 of matrix l/8, and gets two halves of each matrix */
static void load_rows(int first, unsigned mask) {
  (void)mask;
  for (int l = 0; l < 32; l++)
    for (int m = 0; m < 4; m++) memcpy((unsigned *)&of(first, l)->matrix.words + m, of(first, 8 * m + (l >> 2))->matrix.row + 2 * (l & 3), 4);
}

static void load_columns(int first, unsigned mask) {
  (void)mask;
  for (int l = 0; l < 32; l++)
    for (int m = 0; m < 4; m++) {
      int row = 8 * m + 2 * (l & 3), column = l >> 2;
      of(first, l)->matrix.words[m] = of(first, row)->matrix.row[column] | (unsigned)of(first, row + 1)->matrix.row[column] << 16;
    }
}

simt_words simt_ldmatrix(const void *row, int transposed, simt_place at) {
  simt_threads[simt_self].at = at;
  if (!simt_is_shared(row, 16)) simt_fail("ldmatrix of a row that is not in shared memory");
  if ((uintptr_t)row & 15) simt_fail("ldmatrix of a row that is not aligned to 16 bytes");
  simt_access(row, 16, READ, NULL);
  Operands *o = mine();
  o->matrix.row = (uint16_t *)row;
  simt_meet(transposed ? LDMATRIX_TRANS : LDMATRIX, ~0u, at, transposed ? load_columns : load_rows);
  return o->matrix.words;
}

void simt_need_hopper(const char *word, simt_place at) {
  simt_threads[simt_self].at = at;
  if (simt_capability < 90) simt_fail("%s below compute capability 9.0", word);
  if (simt_count > 512) simt_fail("%s in a block of more than 512 threads is not emulated", word); /* a Cell's read_warp */
}

unsigned simt_shared_address(const void *p, simt_place at) {
  simt_need_hopper("shared_address", at);
  size_t a = (const char *)p - simt_arena;
  if (a > 1 << 18) simt_fail("shared_address of what is not dynamic shared memory");
  return a;
}

void *simt_shared_pointer(unsigned address) { return simt_arena + address; }

void *simt_shared_range(unsigned address, size_t bytes, const char *word) {
  void *p = simt_shared_pointer(address);
  if (address + bytes > 1 << 18 || !simt_is_shared(p, bytes)) simt_fail("%s that is not in dynamic shared memory", word);
  return p;
}

static void store_rows(int first, unsigned mask) {
  (void)mask;
  for (int l = 0; l < 32; l++)
    for (int m = 0; m < 4; m++) memcpy(of(first, 8 * m + (l >> 2))->matrix.row + 2 * (l & 3), (unsigned *)&of(first, l)->matrix.words + m, 4);
}

void simt_stmatrix(unsigned row, simt_words words, simt_place at) {
  simt_need_hopper("stmatrix_x4", at);
  if (row & 15) simt_fail("stmatrix_x4 to a row that is not aligned to 16 bytes");
  Operands *o = mine();
  o->matrix.row = simt_shared_range(row, 16, "stmatrix_x4 to a row");
  simt_access(o->matrix.row, 16, WRITE, NULL);
  o->matrix.words = words;
  simt_meet(STMATRIX, ~0u, at, store_rows);
}

/* ---- cp.async: the bytes arrive when the thread waits, the latest that a device may do it */
enum { MAX_COPIES = 256, MAX_GROUPS = 64 };
typedef struct { void *dst; const void *src; int bytes; } Copy;
static Copy copies[MAX_THREADS][MAX_COPIES];
static int groups[MAX_THREADS][MAX_GROUPS]; /* copies of the groups so far */

void simt_cp_async(void *dst, const void *src, int bytes, simt_place at) {
  Thread *t = &simt_threads[simt_self];
  t->at = at;
  if (((uintptr_t)dst | (uintptr_t)src) & 15) simt_fail("cp_async16 that is not aligned to 16 bytes");
  if (!simt_is_shared(dst, 16)) simt_fail("cp_async16 to what is not shared memory");
  if (simt_is_shared(src, 16)) simt_fail("cp_async16 from shared memory");
  if (t->copies == MAX_COPIES) simt_fail("more than %d cp_async16 of a thread under way", MAX_COPIES);
  simt_access(dst, 16, WRITE, NULL);
  if (bytes) simt_access(src, bytes, READ, NULL);
  memset(dst, 0xff, 16);
  simt_copy_starts(dst, 16);
  copies[simt_self][t->copies++] = (Copy){dst, src, bytes};
}

void simt_cp_async_commit(simt_place at) {
  Thread *t = &simt_threads[simt_self];
  t->at = at;
  if (t->groups == MAX_GROUPS) simt_fail("more than %d groups of cp_async16 under way", MAX_GROUPS);
  groups[simt_self][t->groups++] = t->copies;
}

void simt_cp_async_wait(int n, simt_place at) {
  Thread *t = &simt_threads[simt_self];
  Copy *copy = copies[simt_self];
  int *group = groups[simt_self], landed = t->groups - n;
  t->at = at;
  if (landed <= 0) return;
  int end = group[landed - 1];
  for (int i = 0; i < end; i++) {
    memset(copy[i].dst, 0, 16);
    memcpy(copy[i].dst, copy[i].src, copy[i].bytes);
    simt_copy_lands(copy[i].dst, 16);
  }
  t->copies -= end;
  t->groups -= landed;
  memmove(copy, copy + end, t->copies * sizeof *copy);
  for (int i = 0; i < t->groups; i++) group[i] = group[i + landed] - end;
}
