// What the parts of a GPU reach: the constants of this folder's predictions, in half a minute.
//
//   nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -DHOPPER ceilings.cu -o ceilings && ./ceilings
//
// -DHOPPER adds wgmma and needs CUDA 12 or later; without it the program compiles for every GPU
// since sm_75. It prints CSV, a line for each constant: its name, its value and its unit. Each value
// is the median of 21 launches, timed by events after a warm-up.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) check(call, #call)
static void check(cudaError_t e, const char* call) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(e));
  exit(1);
}

// mma_f16 adds a product m16n8k16 of halves to c.
static __device__ __forceinline__ void mma_f16(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else  // two halves of it, as Turing has them
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b0));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

enum { PRODUCTS = 32, SUMS = 8 };  // products in a round of products_rate, and independent sums they go to

// products_rate makes n rounds of products by mma.sync. EACH is the number of products for which a
// warp reads 16 bytes a lane of shared memory, as the branch's layers do; 0 reads nothing.
template <int EACH> __global__ void __launch_bounds__(512, 1) products_rate(
    const uint4* random,  // [2048]
    float* out,           // [blocks, threads]
    int n) {
  __shared__ uint4 right[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) right[i] = random[i];
  __syncthreads();
  uint32_t a[4][4];
  float c[SUMS][4] = {};
  for (int i = 0; i < 4; i++) {
    uint4 r = random[(threadIdx.x * 4 + i) % 2048];
    a[i][0] = r.x, a[i][1] = r.y, a[i][2] = r.z, a[i][3] = r.w;
  }
  for (int round = 0; round < n; round++) {
    uint4 b = make_uint4(a[0][0], a[1][1], a[2][2], a[3][3]);
#pragma unroll
    for (int k = 0; k < PRODUCTS; k++) {
      if (EACH > 0 && k % (EACH > 0 ? EACH : 1) == 0) b = right[(round * PRODUCTS + k) % 64 * 32 + threadIdx.x % 32];
      uint32_t b0 = k % 2 ? b.z : b.x, b1 = k % 2 ? b.w : b.y;
      mma_f16(c[k % SUMS], a[k % 4], b0, b1);
    }
  }
  float sum = 0;
  for (int i = 0; i < 4 * SUMS; i++) sum += c[i / 4][i % 4];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#ifdef HOPPER
// The 64 sums of a thread of m64n128, as operands of asm and as their numbers.
#define SUMS8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS64(d) SUMS8(d, 0), SUMS8(d, 8), SUMS8(d, 16), SUMS8(d, 24), SUMS8(d, 32), SUMS8(d, 40), SUMS8(d, 48), SUMS8(d, 56)
#define WGMMA "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31," \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "

enum Form { REGISTERS, SHARED, TRANSPOSED };     // where the left operand is; transposed: both run down their rows
enum { MATRIX = 128 * 128 * 2, COLUMNS = MATRIX / 2 };  // bytes of 128x128 halves, and of 64 of its columns

// descriptor describes an operand of wgmma at a shared address, for the swizzle over 128 bytes: groups
// of 8 rows are 1024 bytes apart, and `leading` bytes lie between 64 columns and the next.
static __device__ __forceinline__ uint64_t descriptor(uint32_t address, uint32_t leading) {
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(leading >> 4) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}
// operand describes step k, of 8, of a 128x128 matrix that lies as two halves of 64 columns.
template <Form F> static __device__ __forceinline__ uint64_t operand(uint32_t matrix, int k) {
  return F == TRANSPOSED ? descriptor(matrix + 2048 * k, COLUMNS) : descriptor(matrix + k / 4 * COLUMNS + k % 4 * 32, 16);
}

// warpgroup_rate makes n rounds of 8 products m64n128k16 by wgmma in each warpgroup: a right operand of
// 128x128 that all share, and a left one of their own.
template <Form F> __global__ void __launch_bounds__(384, 1) warpgroup_rate(
    const uint4* random,  // [2048], the matrices again and again
    float* out,           // [blocks, threads]
    int n) {
  extern __shared__ unsigned char dynamic[];
  uint32_t base = (uint32_t(__cvta_generic_to_shared(dynamic)) + 1023) & ~1023u, own = base + (1 + threadIdx.x / 128) * MATRIX;
  uint4* matrices = static_cast<uint4*>(__cvta_shared_to_generic(base));
  for (int i = threadIdx.x; i < int(1 + blockDim.x / 128) * MATRIX / 16; i += blockDim.x) matrices[i] = random[i % 2048];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[64] = {};
  uint4 a = random[threadIdx.x];
  for (int round = 0; round < n; round++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 8; k++) {
      if (F == REGISTERS) {
        asm volatile(WGMMA "{%64,%65,%66,%67}, %68, 1, 1, 1, 0;" : SUMS64(d) : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "l"(operand<F>(base, k)));
      } else {
        asm volatile(WGMMA "%64, %65, 1, 1, 1, %66, %66;" : SUMS64(d) : "l"(operand<F>(own, k)), "l"(operand<F>(base, k)), "n"(F == TRANSPOSED));
      }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS64(d)::"memory");
  }
  float sum = 0;
  for (int i = 0; i < 64; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#endif

__global__ void write_memory(uint4* p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) p[i] = make_uint4(i, i, i, i);
}
__global__ void read_memory(const uint4* p, size_t n, float* out) {
  uint32_t x = 0;
#pragma unroll 8
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    uint4 v = p[i];
    x ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (x == 1) out[0] = 1;  // which keeps the reads
}

// A link of a chain of small kernels. It may wait for the former before it touches memory, and let the
// next kernel start its blocks: after the wait, as wait_for_inputs of kernels/device.h does, or at once.
enum Start { PLAIN, AFTER_WAIT, AT_ONCE };
template <Start NEXT> __global__ void link(float* p) {
#if __CUDA_ARCH__ >= 900
  if (NEXT == AT_ONCE) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (NEXT != PLAIN) asm volatile("griddepcontrol.wait;" ::: "memory");
  if (NEXT == AFTER_WAIT) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  p[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

// median returns the median time of work in ms.
static double median(const std::function<void()>& work) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> ms(21);
  for (int i = 0; i < 5; i++) work();
  for (float& m : ms) {
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&m, begin, end));
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

static void print(const std::string& name, double value, const char* unit) {
  printf("%s,%.4g,%s\n", name.c_str(), value, unit);
  fflush(stdout);
}

// Buffers on the GPU.
static uint4* random_words;  // [2048], as halves and as floats below 1 in absolute value
static float* sums;          // [1 << 20]
static uint4* large;         // LARGE bytes
static const size_t LARGE = size_t(1) << 30;

static void matrix_unit(int multiprocessors) {
  const int n = 2000;
  auto rate = [&](const char* name, int warps, void (*kernel)(const uint4*, float*, int)) {
    double ms = median([&] { kernel<<<multiprocessors, 32 * warps>>>(random_words, sums, n); });
    print(name + std::string("_") + std::to_string(warps) + "_warps", 4096. * PRODUCTS * n * warps * multiprocessors / ms * 1e-9, "TFLOP/s");
  };
  for (int warps : {4, 8, 16}) {
    rate("mma_f16", warps, products_rate<0>);
    rate("mma_f16_a_load_for_4", warps, products_rate<4>);  // as forward has it
    rate("mma_f16_a_load_for_2", warps, products_rate<2>);  // as the input's gradient has it
  }
#ifdef HOPPER
  auto group_rate = [&](const char* name, int groups, void (*kernel)(const uint4*, float*, int)) {
    const int bytes = 1024 + 4 * MATRIX;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    double ms = median([&] { kernel<<<multiprocessors, 128 * groups, bytes>>>(random_words, sums, n); });
    print(name + std::string("_") + std::to_string(groups) + "_groups", 2. * 64 * 128 * 16 * 8 * n * groups * multiprocessors / ms * 1e-9, "TFLOP/s");
  };
  for (int groups : {1, 2, 3}) {
    group_rate("wgmma_f16_left_in_registers", groups, warpgroup_rate<REGISTERS>);
    group_rate("wgmma_f16_both_shared", groups, warpgroup_rate<SHARED>);
    group_rate("wgmma_f16_both_transposed", groups, warpgroup_rate<TRANSPOSED>);
  }
#endif
}

static void memories(int multiprocessors, size_t l2) {
  const size_t layers = size_t(348) << 20;  // bytes, what the forward kernel of ψ keeps in half precision
  print("memory_write", layers / median([&] { write_memory<<<8 * multiprocessors, 512>>>(large, layers / 16); }) * 1e-9, "TB/s");
  print("memory_read", LARGE / median([&] { read_memory<<<8 * multiprocessors, 512>>>(large, LARGE / 16, sums); }) * 1e-9, "TB/s");
  const size_t part = l2 * 2 / 5;
  print("l2_read", part / median([&] { for (int i = 0; i < 10; i++) read_memory<<<4 * multiprocessors, 512>>>(large, part / 16, sums); }) * 1e-8, "TB/s");
}

// chain returns the µs of a graph of kernels that wait for each other.
static double chain(Start next, int kernels, int blocks) {
  void (*kernel)(float*) = next == PLAIN ? link<PLAIN> : next == AFTER_WAIT ? link<AFTER_WAIT> : link<AT_ONCE>;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaLaunchAttribute serial = {};
  serial.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  serial.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(blocks), c.blockDim = dim3(128), c.stream = stream, c.attrs = &serial, c.numAttrs = next != PLAIN;
  for (int i = 0; i < kernels; i++) CHECK(cudaLaunchKernelEx(&c, kernel, sums));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  double ms = median([&] { for (int i = 0; i < 10; i++) CHECK(cudaGraphLaunch(exec, 0)); });
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return ms * 100;
}

static void latencies(int multiprocessors, bool programmatic) {
  print("graph_of_1_kernel", chain(PLAIN, 1, 1), "us");
  for (int blocks : {1, multiprocessors}) {
    std::string of = "graph_of_20_kernels_of_" + std::to_string(blocks) + "_blocks";
    print(of, chain(PLAIN, 20, blocks), "us");
    if (!programmatic) continue;
    print(of + "_programmatic", chain(AFTER_WAIT, 20, blocks), "us");
    print(of + "_programmatic_at_once", chain(AT_ONCE, 20, blocks), "us");
  }
  void* pinned;
  CHECK(cudaMallocHost(&pinned, 1 << 20));
  for (int kib : {16, 160}) {
    double ms = median([&] { for (int i = 0; i < 10; i++) CHECK(cudaMemcpyAsync(large, pinned, size_t(kib) << 10, cudaMemcpyHostToDevice, 0)); });
    print("upload_of_" + std::to_string(kib) + "_KiB", ms * 100, "us");
  }
}

int main() {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  std::vector<uint32_t> words(4 * 2048);
  uint32_t state = 1;
  for (uint32_t& w : words) {  // finite numbers with both signs, as floats and as two halves
    state = state * 1664525 + 1013904223;
    w = (state ^ state >> 16) & 0xbbffbbff;
  }
  CHECK(cudaMalloc(&random_words, words.size() * 4));
  CHECK(cudaMemcpy(random_words, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&sums, sizeof(float) << 20));
  CHECK(cudaMemset(sums, 0, sizeof(float) << 20));
  CHECK(cudaMalloc(&large, LARGE));
  puts("constant,value,unit");
  print("capability", device.major * 10 + device.minor, "");
  print("multiprocessors", device.multiProcessorCount, "");
  print("l2_size", device.l2CacheSize / 1048576., "MiB");
  matrix_unit(device.multiProcessorCount);
  memories(device.multiProcessorCount, device.l2CacheSize);
  latencies(device.multiProcessorCount, device.major >= 9);
  CHECK(cudaDeviceSynchronize());
}
