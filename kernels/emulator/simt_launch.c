//go:build simt

/* Kernels by name, and launches block after block. */
#include <string.h>

#include "simt_internal.h"

enum { MAX_ARGUMENTS = 64 };

static simt_kernel *kernels, *kernel;
static simt_index grid, block_size;
static uint64_t values[MAX_ARGUMENTS];
static void *arguments[MAX_ARGUMENTS];

/* ---- kernels */
void simt_add_kernel(simt_kernel *k) {
  k->next = kernels;
  kernels = k;
}

simt_kernel *simt_find_kernel(const char *name) {
  for (simt_kernel *k = kernels; k; k = k->next)
    if (!strcmp(k->name, name)) return k;
  return NULL;
}

static void run_body(void) {
  kernel->body(arguments);
  simt_end_wgmmas();
  simt_end_copies();
}

void simt_trap(simt_place at) {
  simt_threads[simt_self].at = at;
  simt_fail("__trap");
}

/* ---- where a thread is */
simt_index simt_thread(void) { return simt_threads[simt_self].index; }
simt_index simt_block(void) { return simt_block_index; }
simt_index simt_block_size(void) { return block_size; }
simt_index simt_grid(void) { return grid; }
unsigned simt_lane(void) { return simt_self & 31; }

/* ---- launches */
static void run_block(uint64_t i) {
  simt_block_index = (simt_index){i % grid.x, i / grid.x % grid.y, i / grid.x / grid.y};
  simt_new_block();
  simt_nothing_held();
  simt_new_wgmmas();
  simt_new_copies();
  simt_run_threads(run_body);
}

const char *simt_launch(simt_kernel *k, simt_index g, simt_index b, unsigned shared, int order, int capability, const simt_range *uploads,
                        int under_way, const uint64_t *given) {
  simt_forget_failure();
  if (k->count > MAX_ARGUMENTS) return "too many arguments for the emulation";
  if (!simt_make_stacks()) return "no memory for the stacks of threads";
  kernel = k;
  grid = g;
  block_size = b;
  simt_count = b.x * b.y * b.z;
  simt_order = order;
  simt_uploads = uploads;
  simt_under_way = under_way;
  simt_capability = capability;
  for (int i = 0; i < k->count; i++) {
    values[i] = given[i];
    arguments[i] = &values[i];
  }
  for (int i = 0; i < simt_count; i++) simt_threads[i].index = (simt_index){i % b.x, i / b.x % b.y, i / b.x / b.y};
  simt_new_launch(shared);
  uint64_t blocks = (uint64_t)g.x * g.y * g.z, first = order > 1 ? simt_random() % blocks : 0;
  for (uint64_t i = 0; i < blocks && !simt_failure(); i++) run_block(order == 1 ? blocks - 1 - i : (first + i) % blocks);
  simt_uploads = NULL; /* it belongs to the caller */
  simt_under_way = 0;
  return simt_failure();
}
