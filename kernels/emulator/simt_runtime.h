/* The functions of the emulator that kernels and Go call, in plain C. A function marked SIMT_CONST always returns the same
   to one thread of one block. */
#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define SIMT_CONST __attribute__((const))

typedef struct { unsigned x, y, z; } simt_index;
typedef float simt_floats __attribute__((vector_size(16)));
typedef unsigned simt_words __attribute__((vector_size(16)));
typedef struct { const char *file; int line; } simt_place; /* in a kernel's source */

/* ---- for kernels: simt.h gives these their CUDA names */
simt_index simt_thread(void) SIMT_CONST;
simt_index simt_block(void) SIMT_CONST;
simt_index simt_block_size(void) SIMT_CONST;
simt_index simt_grid(void) SIMT_CONST;
unsigned simt_lane(void) SIMT_CONST;
unsigned char *simt_dynamic_shared(void) SIMT_CONST;

void simt_wait_for_inputs(void);
void simt_syncthreads(simt_place at);
void simt_syncwarp(unsigned mask, simt_place at);
uint64_t simt_shuffle(unsigned mask, uint64_t bits, unsigned source, simt_place at);
unsigned simt_ballot(unsigned mask, int vote, simt_place at);
simt_floats simt_mma_f16(simt_floats c, simt_words a, uint64_t b, simt_place at);
simt_words simt_ldmatrix(const void *row, int transposed, simt_place at);
void simt_cp_async(void *dst, const void *src, int bytes, simt_place at);
void simt_cp_async_commit(simt_place at);
void simt_cp_async_wait(int groups, simt_place at);
void simt_threadfence(void);
void simt_atomic(const void *p, unsigned bytes, simt_place at); /* checks an atomic operation, before it */
void simt_trap(simt_place at) __attribute__((noreturn));
uint16_t simt_to_half(float x);
float simt_from_half(uint16_t h);

/* The words of hopper.h. Dynamic shared memory has the addresses below 2^18. */
typedef struct { int columns, transposed_a, transposed_b, rows, add; } simt_wgmma_kind; /* rows: a is in registers */
unsigned simt_shared_address(const void *p, simt_place at);
void *simt_shared_pointer(unsigned address);
void simt_wgmma(float *d, uint64_t a, uint64_t b, simt_words rows, simt_wgmma_kind kind, simt_place at);
void simt_wgmma_fence(simt_place at);
void simt_wgmma_commit(simt_place at);
void simt_wgmma_wait(int groups, simt_place at);
void simt_barrier_sync(int id, int threads, simt_place at);
void simt_fence_async(simt_place at);
void simt_mbarrier_init(unsigned m, simt_place at);
void simt_mbarrier_expect(unsigned m, unsigned bytes, simt_place at);
void simt_mbarrier_wait(unsigned m, unsigned parity, simt_place at);
void simt_bulk_load(unsigned to, const void *from, unsigned bytes, unsigned m, simt_place at);
void simt_bulk_store(void *to, unsigned from, unsigned bytes, simt_place at);
void simt_bulk_store_read(simt_place at);
void simt_bulk_store_end(simt_place at);
void simt_stmatrix(unsigned row, simt_words words, simt_place at);

/* ---- the table of kernels */
typedef struct simt_kernel {
  const char *name;
  void (*body)(void **arguments); /* of a thread */
  int count;
  const int *sizes;
  struct simt_kernel *next;
} simt_kernel;
void simt_add_kernel(simt_kernel *k);

simt_kernel *simt_find_kernel(const char *name);

/* ---- for Go. One call at a time. */
int simt_checked(void); /* reports whether the accesses of kernels are checked */
/* Returns memory filled with NaNs, aligned to 16 bytes, that ends as close as possible to a page without access. 0: none
   is left. */
uint64_t simt_allocate(uint64_t bytes);
void simt_free(uint64_t p);
int simt_holds(uint64_t p, uint64_t bytes); /* reports whether these bytes are within one allocation */
void simt_upload(uint64_t dst, const void *src, uint64_t bytes);
void simt_download(void *dst, uint64_t src, uint64_t bytes);
typedef struct { uint64_t begin, end; } simt_range;
/* uploads: to these `under_way` ranges of addresses uploads are under way. order: 0 for threads and blocks upwards, 1 for downwards, any other number is the seed of a random order. capability: 75
   for 7.5. Returns NULL, or an error message that lasts until the next launch. */
const char *simt_launch(simt_kernel *k, simt_index grid, simt_index block, unsigned shared, int order, int capability, const simt_range *uploads,
                        int under_way, const uint64_t *arguments);
uint64_t simt_failed_at(void); /* address in the program's file of the instruction after the failed access; 0: unknown */
uint64_t simt_switches(void);
#ifdef __cplusplus
}
#endif
