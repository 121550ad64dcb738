//go:build simt

/* The running thread, and what went wrong in it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>

#include "simt_internal.h"

Thread simt_threads[MAX_THREADS];
int simt_self = -1;
simt_index simt_block_index;

static char report[1024];
static const void *report_pc;

void simt_forget_failure(void) {
  report[0] = 0;
  report_pc = NULL;
}

const char *simt_failure(void) { return report[0] ? report : NULL; }

uint64_t simt_failed_at(void) {
  Dl_info file;
  if (!report_pc || !dladdr(report_pc, &file)) return 0;
  const ElfW(Ehdr) *header = file.dli_fbase;
  return (uintptr_t)report_pc - (header->e_type == ET_DYN ? (uintptr_t)header : 0);
}

void simt_report(const void *pc, const char *format, ...) {
  size_t n = 0, size = sizeof report;
  Thread *t = &simt_threads[simt_self];
  simt_index block = simt_block_index;
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
