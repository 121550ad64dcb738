//go:build simt

/* Device memory and a launch's dynamic shared memory are in one range of addresses, the arena, so that the piece of an address
   is found at once. Static __shared__ variables are a section of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "simt_internal.h"

#define ARENA (PAGES * PAGE)
enum { SHARED_PAGES = 64 };

char *simt_arena;
Piece *simt_owner[PAGES];
Piece simt_static_shared = {.shared = true};

static Piece dynamic_shared = {.shared = true};
static size_t search; /* the page where the search for free pages begins */

/* The linker defines these. */
extern char __start_simt_shared[] __attribute__((weak)), __stop_simt_shared[] __attribute__((weak));

/* ---- device memory */
static bool make_arena(void) {
  if (simt_arena) return true;
  void *p = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  simt_arena = p;
  mprotect(simt_arena, SHARED_PAGES * PAGE, PROT_READ | PROT_WRITE);
  for (int i = 0; i < SHARED_PAGES; i++) simt_owner[i] = &dynamic_shared;
  search = SHARED_PAGES + 1;
  return true;
}

/* find_pages finds n free pages between two pages without access. */
static size_t find_pages(size_t n) {
  for (int turn = 0; turn < 2; turn++) {
    size_t run = 0;
    for (size_t i = turn ? SHARED_PAGES + 1 : search; i + 1 < PAGES; i++) {
      run = simt_owner[i] || simt_owner[i - 1] || simt_owner[i + 1] ? 0 : run + 1;
      if (run == n) return i + 1 - n;
    }
  }
  return 0;
}

/* make_cells returns zeroed cells for a piece of a size. */
static Cell *make_cells(size_t size) {
  size_t n = ((size >> 2) + 1) * sizeof(Cell);
  if (size <= SIMT_LARGE) return calloc(1, n);
  void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static void free_cells(Piece *p) {
  size_t size = (p->end - p->begin + 15) & ~(size_t)15;
  if (size <= SIMT_LARGE) free(p->cells);
  else munmap(p->cells, ((size >> 2) + 1) * sizeof(Cell));
}

uint64_t simt_allocate(uint64_t bytes) {
  size_t n = (bytes + PAGE - 1) / PAGE;
  if (!bytes || bytes > ARENA || !make_arena()) return 0;
  size_t at = find_pages(n);
  size_t size = (bytes + 15) & ~(size_t)15;
  Piece *p = calloc(1, sizeof *p);
  if (p) p->cells = make_cells(size);
  if (!at || !p || !p->cells || mprotect(simt_arena + at * PAGE, n * PAGE, PROT_READ | PROT_WRITE)) {
    free(p);
    return 0;
  }
  search = at + n + 1;
  if (size <= SIMT_LARGE) memset(simt_arena + at * PAGE, 0xff, n * PAGE);
  p->begin = simt_arena + (at + n) * PAGE - size;
  p->end = p->begin + bytes;
  p->shift = 2;
  for (size_t i = 0; i < n; i++) simt_owner[at + i] = p;
  return (uintptr_t)p->begin;
}

void simt_free(uint64_t at) {
  Piece *p = simt_piece((void *)at);
  size_t from = (p->begin - simt_arena) / PAGE, to = (p->end - 1 - simt_arena) / PAGE;
  for (size_t i = from; i <= to; i++) simt_owner[i] = NULL;
  mmap(simt_arena + from * PAGE, (to + 1 - from) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  free_cells(p);
  free(p);
}

int simt_holds(uint64_t at, uint64_t bytes) {
  const char *c = (const char *)at;
  Piece *p = simt_piece(c);
  return p && !p->shared && c >= p->begin && c < p->end && bytes <= (uint64_t)(p->end - c);
}

void simt_upload(uint64_t dst, const void *src, uint64_t bytes) { memcpy((void *)dst, src, bytes); }
void simt_download(void *dst, uint64_t src, uint64_t bytes) { memcpy(dst, (const void *)src, bytes); }

/* ---- shared memory */
static bool within(const Piece *s, const char *p, size_t bytes) { return p >= s->begin && p + bytes <= s->end; }

bool simt_is_shared(const void *p, size_t bytes) { return within(&dynamic_shared, p, bytes) || within(&simt_static_shared, p, bytes); }

unsigned char *simt_dynamic_shared(void) { return (unsigned char *)dynamic_shared.begin; }

static size_t cells_of(const Piece *p) { return ((size_t)(p->end - p->begin) >> p->shift) + 1; }

/* forget restarts the count of epochs, before it overflows. */
static void forget(void) {
  for (size_t i = 0; i < PAGES; i++)
    if (simt_owner[i]) memset(simt_owner[i]->cells, 0, cells_of(simt_owner[i]) * sizeof(Cell));
  memset(simt_static_shared.cells, 0, cells_of(&simt_static_shared) * sizeof(Cell));
  simt_forget_clocks();
}

void simt_new_launch(unsigned shared) {
  make_arena();
  if (simt_epoch > 1u << 31) forget();
  simt_launch_began = ++simt_epoch;
  dynamic_shared.begin = simt_arena + SHARED_PAGES * PAGE - ((shared + 15) & ~15u);
  dynamic_shared.end = dynamic_shared.begin + shared;
  if (!dynamic_shared.cells) {
    dynamic_shared.cells = calloc(SHARED_PAGES * PAGE + 1, sizeof(Cell));
    dynamic_shared.reads = calloc(SHARED_PAGES * PAGE + 1, sizeof *dynamic_shared.reads);
  }
  if (!simt_static_shared.cells) {
    simt_static_shared.begin = __start_simt_shared;
    simt_static_shared.end = __stop_simt_shared;
    simt_static_shared.cells = calloc(__stop_simt_shared - __start_simt_shared + 1, sizeof(Cell));
    simt_static_shared.reads = calloc(__stop_simt_shared - __start_simt_shared + 1, sizeof *simt_static_shared.reads);
  }
  dynamic_shared.shift = simt_static_shared.shift = 2;
}

void simt_new_block(void) {
  simt_clocks_of_block();
  memset(dynamic_shared.begin, 0xff, dynamic_shared.end - dynamic_shared.begin);
  if (__start_simt_shared) memset(__start_simt_shared, 0xff, __stop_simt_shared - __start_simt_shared);
}

/* simt_narrow divides the cells of a piece that has numbers smaller than floats. The new cells keep what the old ones recorded. */
void simt_narrow(Piece *p, int shift) {
  size_t before = cells_of(p);
  int by = p->shift - shift;
  if (!p->shared) p->cells = realloc(p->cells, (before << by) * sizeof(Cell));
  for (size_t i = before << by; i--;) {
    p->cells[i] = p->cells[i >> by];
    if (p->cells[i].reader & MIXED) memcpy(p->reads[i], p->reads[i >> by], sizeof *p->reads);
  }
  p->shift = shift;
}
