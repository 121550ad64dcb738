//go:build simt

/* Kernels by name, launches block after block, and error messages. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "simt_internal.h"

enum { MAX_ARGUMENTS = 64 };

static simt_kernel *kernels, *kernel;
static simt_index grid, block_size, block;
static uint64_t values[MAX_ARGUMENTS];
static void *arguments[MAX_ARGUMENTS];
static char report[1024];
static const void *report_pc;
int simt_capability;

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

void simt_call_kernel(void) { kernel->call(arguments); }

/* ---- failures */
bool simt_failed(void) { return report[0]; }

uint64_t simt_failed_at(void) {
  Dl_info file;
  if (!report_pc || !dladdr(report_pc, &file)) return 0;
  const ElfW(Ehdr) *header = file.dli_fbase;
  return (uintptr_t)report_pc - (header->e_type == ET_DYN ? (uintptr_t)header : 0);
}

void simt_report(const void *pc, const char *format, ...) {
  size_t n = 0, size = sizeof report;
  Thread *t = &simt_threads[simt_self];
  n += snprintf(report, size, "block (%u,%u,%u) thread (%u,%u,%u)", block.x, block.y, block.z, t->index.x, t->index.y, t->index.z);
  if (t->at.line && pc) n += snprintf(report + n, size - n, ", after %s:%d", t->at.file, t->at.line);
  if (t->at.line && !pc) n += snprintf(report + n, size - n, ", %s:%d", t->at.file, t->at.line);
  if (!t->at.line) n += snprintf(report + n, size - n, ", before its first meeting point");
  n += snprintf(report + n, size - n, ": ");
  va_list list;
  va_start(list, format);
  vsnprintf(report + n, size - n, format, list);
  va_end(list);
  report_pc = pc;
}

void simt_trap(simt_place at) {
  simt_threads[simt_self].at = at;
  simt_fail("__trap");
}

/* ---- where a thread is */
simt_index simt_thread(void) { return simt_threads[simt_self].index; }
simt_index simt_block(void) { return block; }
simt_index simt_block_size(void) { return block_size; }
simt_index simt_grid(void) { return grid; }
unsigned simt_lane(void) { return simt_self & 31; }

/* ---- launches */
static bool run_block(uint64_t i) {
  block = (simt_index){i % grid.x, i / grid.x % grid.y, i / grid.x / grid.y};
  simt_new_block();
  return simt_run_threads();
}

const char *simt_launch(simt_kernel *k, simt_index g, simt_index b, unsigned shared, int order, int capability,
                        const uint64_t *given) {
  report[0] = 0;
  report_pc = NULL;
  if (k->count > MAX_ARGUMENTS) return "too many arguments for the emulation";
  if (!simt_make_stacks()) return "no memory for the stacks of threads";
  kernel = k;
  grid = g;
  block_size = b;
  simt_count = b.x * b.y * b.z;
  simt_order = order;
  simt_capability = capability;
  for (int i = 0; i < k->count; i++) {
    values[i] = given[i];
    arguments[i] = &values[i];
  }
  for (int i = 0; i < simt_count; i++) simt_threads[i].index = (simt_index){i % b.x, i / b.x % b.y, i / b.x / b.y};
  simt_new_launch(shared);
  uint64_t blocks = (uint64_t)g.x * g.y * g.z, first = order > 1 ? simt_random() % blocks : 0;
  for (uint64_t i = 0; i < blocks; i++)
    if (!run_block(order == 1 ? blocks - 1 - i : (first + i) % blocks)) return report;
  return NULL;
}
