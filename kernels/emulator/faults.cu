// Kernels with one fault each, which the emulator must find. All take 64 threads, 2 blocks, 1024
// bytes of dynamic shared memory, out [128] and x [1024]. A comment says what is missing.
#include "../device.h"

#define FAULT(name) extern "C" __global__ void __launch_bounds__(64) name(float* out, const float* x)
#define SETUP                                    \
  wait_for_inputs();                             \
  OPERANDS
#define OPERANDS                                 \
  DYNAMIC_SHARED(shared_bytes);                  \
  float* s = reinterpret_cast<float*>(shared_bytes); \
  float* o = out + 64 * blockIdx.x;              \
  int i = threadIdx.x;                           \
  (void)s, (void)o, (void)x, (void)i

// A barrier between writing and reading, across warps.
FAULT(fault_no_barrier_before_read) {
  SETUP;
  s[i] = x[i];
  o[i] = s[i ^ 32];
}
KERNEL(fault_no_barrier_before_read)

// The same within a warp: __syncwarp.
FAULT(fault_no_syncwarp_before_read) {
  SETUP;
  s[i] = x[i];
  o[i] = s[i ^ 1];
}
KERNEL(fault_no_syncwarp_before_read)

// A barrier before the second round writes what the first still reads.
FAULT(fault_no_barrier_before_overwrite) {
  SETUP;
  float sum = 0;
  for (int k = 0; k < 2; k++) {
    s[i] = x[64 * k + i];
    __syncthreads();
    sum += s[63 - i];
  }
  o[i] = sum;
}
KERNEL(fault_no_barrier_before_overwrite)

// A barrier before a matrix is loaded.
FAULT(fault_no_barrier_before_ldmatrix) {
  SETUP;
  for (int k = i; k < 256; k += 64) s[k] = x[k];
  unsigned r[4];
  ldmatrix_x4(r, s + 4 * (i & 31));
  o[i] = __uint_as_float(r[0]);
}
KERNEL(fault_no_barrier_before_ldmatrix)

// One owner of out[0].
FAULT(fault_all_write_one) {
  SETUP;
  o[0] = x[0];
}
KERNEL(fault_all_write_one)

// Halves side by side: each thread also writes its neighbour's.
FAULT(fault_overlapping_halves) {
  SETUP;
  half* h = reinterpret_cast<half*>(s);
  for (int k = 0; k < 2; k++) h[i + k] = __float2half_rn(x[i]);
  __syncthreads();
  o[i] = __half2float(h[i]);
}
KERNEL(fault_overlapping_halves)

FAULT(fault_read_beyond_global) {
  SETUP;
  o[i] = x[i + 961];
}
KERNEL(fault_read_beyond_global)

FAULT(fault_write_beyond_global) {
  SETUP;
  o[i + 1] = x[i];
}
KERNEL(fault_write_beyond_global)

FAULT(fault_write_before_global) {
  SETUP;
  out[i - 1] = x[i];
}
KERNEL(fault_write_before_global)

FAULT(fault_vector_across_end) {
  SETUP;
  const float4 v = *reinterpret_cast<const float4*>(x + (i == 5 ? 1024 : 4 * i));
  o[i] = v.x;
}
KERNEL(fault_vector_across_end)

FAULT(fault_misaligned_vector) {
  SETUP;
  const float4 v = *reinterpret_cast<const float4*>(x + i);
  o[i] = v.x + v.w;
}
KERNEL(fault_misaligned_vector)

FAULT(fault_read_beyond_shared) {
  SETUP;
  for (int k = i; k < 256; k += 64) s[k] = 0;
  __syncthreads();
  o[i] = s[i + 193];
}
KERNEL(fault_read_beyond_shared)

FAULT(fault_write_beyond_shared) {
  SETUP;
  s[i + 193] = x[i];
}
KERNEL(fault_write_beyond_shared)

FAULT(fault_unwritten_shared) {
  SETUP;
  s[i] = x[i];
  __syncthreads();
  o[i] = s[i + 1];
}
KERNEL(fault_unwritten_shared)

FAULT(fault_unwritten_static_shared) {
  SETUP;
  __shared__ float a[64];
  if (i != 7) a[i] = x[i];
  __syncthreads();
  o[i] = a[i];
}
KERNEL(fault_unwritten_static_shared)

// cp_async_wait.
FAULT(fault_no_wait) {
  SETUP;
  if (i < 16) cp_async16(s + 4 * i, x + 4 * i, true);
  cp_async_commit();
  __syncthreads();
  o[i] = s[i];
  cp_async_wait<0>();
}
KERNEL(fault_no_wait)

// The wait leaves the group that is needed.
FAULT(fault_wait_for_too_few) {
  SETUP;
  if (i < 16) cp_async16(s + 4 * i, x + 4 * i, true);
  cp_async_commit();
  cp_async_wait<1>();
  __syncthreads();
  o[i] = s[i];
  cp_async_wait<0>();
}
KERNEL(fault_wait_for_too_few)

// The barrier after the wait: a thread waits for its own copies alone.
FAULT(fault_no_barrier_after_wait) {
  SETUP;
  if (i < 16) cp_async16(s + 4 * i, x + 4 * i, true);
  cp_async_commit();
  cp_async_wait<0>();
  o[i] = i < 16 ? s[i] : 0;
}
KERNEL(fault_no_barrier_after_wait)

FAULT(fault_end_without_wait) {
  SETUP;
  if (i < 16) cp_async16(s + 4 * i, x + 4 * i, true);
  cp_async_commit();
}
KERNEL(fault_end_without_wait)

// A block reads what another writes.
FAULT(fault_read_other_block) {
  SETUP;
  if (blockIdx.x == 0)
    o[i] = x[i];
  else
    o[i] = out[i];
}
KERNEL(fault_read_other_block)

// The last block writes what all have read before.
FAULT(fault_overwrite_other_block) {
  SETUP;
  float v = out[0];
  __syncthreads();
  if (blockIdx.x == 1 && i == 0) out[0] = v + x[0];
}
KERNEL(fault_overwrite_other_block)

FAULT(fault_write_other_block) {
  SETUP;
  out[i] = x[i];
}
KERNEL(fault_write_other_block)

FAULT(fault_barriers_apart) {
  SETUP;
  if (i < 32) {
    __syncthreads();
  } else {
    o[i] = x[i];
    __syncthreads();
  }
}
KERNEL(fault_barriers_apart)

FAULT(fault_barrier_for_some) {
  SETUP;
  if (i < 40) __syncthreads();
  o[i] = x[i];
}
KERNEL(fault_barrier_for_some)

FAULT(fault_barrier_against_warp) {
  SETUP;
  if (i < 32 && i != 3) __syncwarp();
  __syncthreads();
  o[i] = x[i];
}
KERNEL(fault_barrier_against_warp)

FAULT(fault_shuffles_apart) {
  SETUP;
  float v = x[i];
  if (i & 1)
    v += __shfl_xor_sync(~0u, v, 2);
  else
    v += __shfl_xor_sync(~0u, v, 4);
  o[i] = v;
}
KERNEL(fault_shuffles_apart)

FAULT(fault_shuffle_without_one) {
  SETUP;
  float v = x[i];
  if (i != 9) v = __shfl_xor_sync(~0u, v, 1);
  o[i] = v;
}
KERNEL(fault_shuffle_without_one)

FAULT(fault_mask_without_self) {
  SETUP;
  o[i] = __shfl_xor_sync(0xffffu, x[i], 1);
}
KERNEL(fault_mask_without_self)

FAULT(fault_matrix_from_global) {
  SETUP;
  unsigned r[4];
  ldmatrix_x4(r, x + 4 * (i & 31));
  o[i] = __uint_as_float(r[0]);
}
KERNEL(fault_matrix_from_global)

FAULT(fault_plain_beside_atomic) {
  SETUP;
  int* n = reinterpret_cast<int*>(s);
  if (i == 0) *n = 0;
  atomicAdd(n, 1);
  o[i] = x[i];
}
KERNEL(fault_plain_beside_atomic)

FAULT(fault_atomic_beyond) {
  SETUP;
  if (i == 63) atomicAdd(reinterpret_cast<int*>(out) + 128, 1);
}
KERNEL(fault_atomic_beyond)

// The last block reads what the other wrote. x[1023] counts the blocks.
#define COUNT() (atomicAdd(reinterpret_cast<int*>(const_cast<float*>(x)) + 1023, 1) == int(__float_as_uint(1023)) + 1)
#define LAST_BLOCK_READS()                        \
  __syncthreads();                                \
  if (s[0] != 0) o[i] += out[64 * (1 - blockIdx.x) + i]

// A fence before the count.
FAULT(fault_no_fence_before_count) {
  SETUP;
  o[i] = x[i];
  __syncthreads();
  if (i == 0) {
    s[0] = COUNT();
    __threadfence();
  }
  LAST_BLOCK_READS();
}
KERNEL(fault_no_fence_before_count)

// A fence after the count.
FAULT(fault_no_fence_after_count) {
  SETUP;
  o[i] = x[i];
  __syncthreads();
  if (i == 0) {
    __threadfence();
    s[0] = COUNT();
  }
  LAST_BLOCK_READS();
}
KERNEL(fault_no_fence_after_count)

// A barrier before the count.
FAULT(fault_no_barrier_before_count) {
  SETUP;
  o[i] = x[i];
  if (i == 0) {
    __threadfence();
    s[0] = COUNT();
    __threadfence();
  }
  LAST_BLOCK_READS();
}
KERNEL(fault_no_barrier_before_count)

// The count after the last write.
FAULT(fault_write_after_count) {
  SETUP;
  if (i == 0) {
    __threadfence();
    s[0] = COUNT();
    __threadfence();
  }
  o[i] = x[i];
  LAST_BLOCK_READS();
}
KERNEL(fault_write_after_count)

FAULT(fault_trap) {
  SETUP;
  if (x[i] > 40) __trap();
}
KERNEL(fault_trap)

FAULT(fault_shared_in_template);
template <int N> DEVICE float fault_turn(float v) {
  __shared__ float a[N];
  a[threadIdx.x] = v;
  __syncthreads();
  return a[N - 1 - threadIdx.x];
}
FAULT(fault_shared_in_template) {
  SETUP;
  o[i] = fault_turn<64>(x[i]);
}
KERNEL(fault_shared_in_template)

// wait_for_inputs before the first read.
FAULT(fault_read_before_inputs) {
  OPERANDS;
  float v = x[i];
  wait_for_inputs();
  o[i] = v;
}
KERNEL(fault_read_before_inputs)

// wait_for_inputs before what the launch before may still read is overwritten.
FAULT(fault_write_before_inputs) {
  OPERANDS;
  o[i] = 0;
  wait_for_inputs();
}
KERNEL(fault_write_before_inputs)

// The same for a copy that is only begun.
FAULT(fault_copy_before_inputs) {
  OPERANDS;
  if (i < 16) cp_async16(s + 4 * i, x + 4 * i, true);
  cp_async_commit();
  wait_for_inputs();
  cp_async_wait<0>();
}
KERNEL(fault_copy_before_inputs)

// The wait of all threads, not of one for the block.
FAULT(fault_one_waits_for_inputs) {
  OPERANDS;
  if (i == 0) wait_for_inputs();
  __syncthreads();
  o[i] = x[i];
}
KERNEL(fault_one_waits_for_inputs)

// The wait of blocks without work: if none waits, the launch ends before the one before it.
FAULT(fault_block_without_inputs) {
  OPERANDS;
  if (blockIdx.x == 1) return;
  wait_for_inputs();
  o[i] = x[i];
}
KERNEL(fault_block_without_inputs)
