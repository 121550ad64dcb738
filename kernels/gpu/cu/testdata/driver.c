// A stand-in for libcuda.so.1, for tests of package cu on machines without a GPU: device memory is the host's, kernels are
// two functions below, and a call fails when the environment's FAIL_CALL names it, with the number FAIL_CODE. Like the driver it refuses calls on a thread without a current context.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENTER(name)                                          \
	do {                                                 \
		CUresult wrong = enter(#name);               \
		if (wrong) return wrong;                     \
		if (!current) return CUDA_ERROR_INVALID_CONTEXT; \
	} while (0)
#define OPTIN 65536

static __thread CUcontext current;
static int allocations, handles, contexts;

static CUresult enter(const char *name) {
	const char *call = getenv("FAIL_CALL"), *code = getenv("FAIL_CODE");
	return call && code && !strcmp(call, name) ? (CUresult)atoi(code) : CUDA_SUCCESS;
}

// Kernels: fill(p, n, v) writes v; count(p) adds 1 to *p and needs 60000 bytes of dynamic shared memory.
struct CUfunc_st { const char *name; int sizes[4]; int shared; };
static struct CUfunc_st functions[] = {{"fill", {8, 4, 4}, 49152}, {"count", {8}, 49152}};

struct step { CUfunction f; unsigned long long p; int n; float v; unsigned long long after; }; // after: a bit for each earlier step
struct CUgraph_st { int n; struct step steps[64]; };
struct CUevent_st { struct timespec at; int timed, done[2]; };
struct CUstream_st { int number, done[2]; }; // done: the calls of each stream that come before the next call of this one
static struct CUgraph_st anything; // what handles point to
static const void *pinned[64]; // memory that asynchronous copies may read

// Calls of two streams that use the same memory must have an order.
static struct CUstream_st streams[2];
static struct { unsigned long long from, to; int stream, call; } uses[1024];
static int used, opened;

static void after(int *done, const int *other) { for (int i = 0; i < 2; i++) if (done[i] < other[i]) done[i] = other[i]; }
static void host_waits(const int *done) { for (int i = 0; i < 2; i++) after(streams[i].done, done); }
static CUresult use(CUstream s, unsigned long long from, size_t bytes) {
	int now = ++s->done[s->number];
	for (int i = 0; i < 1024; i++)
		if (uses[i].from < from + bytes && from < uses[i].to && s->done[uses[i].stream] < uses[i].call) return CUDA_ERROR_ASSERT;
	int at = used++ % 1024;
	uses[at].from = from, uses[at].to = from + bytes, uses[at].stream = s->number, uses[at].call = now;
	return CUDA_SUCCESS;
}

static void run(struct step s) {
	if (s.f == functions) for (int i = 0; i < s.n; i++) ((float *)s.p)[i] = s.v;
	else ++*(float *)s.p;
}

// make checks a launch and returns its step.
static CUresult make(struct step *step, CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                     unsigned shared, void **p) {
	if (!(gx && gy && gz && bx && by && bz) || bx * by * bz > 1024 || (int)shared > f->shared) return CUDA_ERROR_INVALID_VALUE;
	*step = (struct step){f, *(unsigned long long *)p[0], 1, 0, 0};
	if (f == functions) step->n = *(int *)p[1], step->v = *(float *)p[2];
	return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) { return flags ? CUDA_ERROR_INVALID_VALUE : enter("cuInit"); }
CUresult cuDriverGetVersion(int *v) { *v = 11040; return CUDA_SUCCESS; } // CUDA 11.4
CUresult cuDeviceGetCount(int *n) { *n = 1; return enter("cuDeviceGetCount"); }
CUresult cuDeviceGet(CUdevice *d, int i) { *d = i; return CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *s, int n, CUdevice d) { (void)d; snprintf(s, n, "stand-in"); return CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t *n, CUdevice d) { (void)d; *n = 1 << 30; return CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d) {
	(void)d;
	const char *capability = getenv("CAPABILITY");
	int c = capability ? atoi(capability) : 75;
	*v = a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? c / 10 : a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? c % 10
	   : a == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? 40 : a == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN ? OPTIN : -1;
	return *v < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) {
	(void)d;
	CUresult wrong = enter("cuDevicePrimaryCtxRetain");
	if (wrong) return wrong;
	*c = (CUcontext)&anything;
	contexts++;
	return CUDA_SUCCESS;
}
// What is left when the last context goes is a leak.
CUresult cuDevicePrimaryCtxRelease(CUdevice d) { (void)d; return --contexts == 0 && (handles || allocations) ? CUDA_ERROR_ASSERT : CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext c) { current = c; return enter("cuCtxSetCurrent"); }
CUresult cuStreamCreate(CUstream *s, unsigned flags) { ENTER(cuStreamCreate); *s = streams + opened % 2; (*s)->number = opened++ % 2; handles++; return flags == CU_STREAM_NON_BLOCKING ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuStreamDestroy(CUstream s) { (void)s; ENTER(cuStreamDestroy); handles--; return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream s) { ENTER(cuStreamSynchronize); host_waits(s->done); return CUDA_SUCCESS; }
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) { (void)flags; ENTER(cuStreamWaitEvent); after(s->done, e->done); return CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule *m, const void *image) { ENTER(cuModuleLoadData); *m = (CUmodule)&anything; handles++; return *(const char *)image ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE; }
CUresult cuModuleUnload(CUmodule m) { (void)m; ENTER(cuModuleUnload); handles--; return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
	(void)m;
	ENTER(cuModuleGetFunction);
	for (int i = 0; i < 2; i++) if (!strcmp(functions[i].name, name)) { *f = functions + i; return CUDA_SUCCESS; }
	return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *size) {
	ENTER(cuFuncGetParamInfo);
	if (i > 3 || !f->sizes[i]) return CUDA_ERROR_INVALID_VALUE;
	*offset = 8 * i;
	*size = f->sizes[i];
	return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v) {
	ENTER(cuFuncSetAttribute);
	if (a != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || v > OPTIN) return CUDA_ERROR_INVALID_VALUE;
	f->shared = v;
	return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *v, CUfunction_attribute a, CUfunction f) {
	(void)f;
	ENTER(cuFuncGetAttribute);
	const char *version = getenv("PTX_VERSION");
	*v = version ? atoi(version) : 75;
	return a == CU_FUNC_ATTRIBUTE_PTX_VERSION ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                        CUstream s, void **p, void **extra) {
	(void)extra;
	ENTER(cuLaunchKernel);
	struct step step;
	CUresult wrong = make(&step, f, gx, gy, gz, bx, by, bz, shared, p);
	if (!wrong) wrong = use(s, step.p, 4 * step.n);
	if (!wrong) run(step);
	return wrong;
}
CUresult cuMemAlloc(CUdeviceptr *p, size_t n) { ENTER(cuMemAlloc); if (n > 1 << 30) return CUDA_ERROR_OUT_OF_MEMORY; *p = (CUdeviceptr)malloc(n); allocations++; return CUDA_SUCCESS; }
CUresult cuMemFree(CUdeviceptr p) { ENTER(cuMemFree); free((void *)p); allocations--; return CUDA_SUCCESS; }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags) { (void)flags; ENTER(cuMemHostAlloc); *p = malloc(n); memset(*p, 0xff, n); allocations++; for (int i = 0; i < 64; i++) if (!pinned[i]) { pinned[i] = *p; break; } return CUDA_SUCCESS; }
CUresult cuMemFreeHost(void *p) { ENTER(cuMemFreeHost); for (int i = 0; i < 64; i++) if (pinned[i] == p) pinned[i] = NULL; free(p); allocations--; return CUDA_SUCCESS; }
CUresult cuMemcpyHtoDAsync(CUdeviceptr d, const void *s, size_t n, CUstream st) { ENTER(cuMemcpyHtoDAsync);
	for (int i = 0; i < 64; i++) if (pinned[i] == s) { memcpy((void *)d, s, n); return use(st, d, n); }
	return CUDA_ERROR_INVALID_VALUE; // tests copy from the start of pinned memory alone
}
CUresult cuMemcpyDtoH(void *d, CUdeviceptr s, size_t n) { ENTER(cuMemcpyDtoH); memcpy(d, (void *)s, n); return CUDA_SUCCESS; }
CUresult cuGraphCreate(CUgraph *g, unsigned flags) { (void)flags; ENTER(cuGraphCreate); *g = calloc(1, sizeof **g); allocations++; return CUDA_SUCCESS; }
// A node is the number of its step, counted from 1.
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph g, const CUgraphNode *after, size_t count, const CUDA_KERNEL_NODE_PARAMS *p) {
	ENTER(cuGraphAddKernelNode);
	for (size_t i = 0; i < count; i++) if ((size_t)after[i] < 1 || (size_t)after[i] > (size_t)g->n) return CUDA_ERROR_INVALID_VALUE;
	CUresult wrong = make(&g->steps[g->n], p->func, p->gridDimX, p->gridDimY, p->gridDimZ, p->blockDimX, p->blockDimY, p->blockDimZ,
	                      p->sharedMemBytes, p->kernelParams);
	for (size_t i = 0; !wrong && i < count; i++) g->steps[g->n].after |= 1ull << ((size_t)after[i] - 1);
	if (!wrong) *node = (CUgraphNode)(size_t)++g->n;
	return wrong;
}
// Of edge data this driver takes programmatic edges alone. Headers declare the function since CUDA 12.3, with a type of theirs.
CUresult add_edges(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, const unsigned char *edge, size_t count) __asm__("cuGraphAddDependencies_v2");
CUresult add_edges(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, const unsigned char *edge, size_t count) {
	ENTER(cuGraphAddDependencies_v2);
	static const unsigned char programmatic[8] = {1, 0, 1};
	if (count != 1 || memcmp(edge, programmatic, 8) || (size_t)*from >= (size_t)*to || (size_t)*to > (size_t)g->n) return CUDA_ERROR_INVALID_VALUE;
	g->steps[(size_t)*to - 1].after |= 1ull << ((size_t)*from - 1);
	return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph g) { free(g); allocations--; return CUDA_SUCCESS; }
CUresult cuGraphInstantiateWithFlags(CUgraphExec *e, CUgraph g, unsigned long long flags) {
	(void)flags;
	ENTER(cuGraphInstantiate);
	struct CUgraph_st *copy = malloc(sizeof *copy);
	*copy = *g;
	*e = (CUgraphExec)copy;
	allocations++;
	return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec e, CUstream s) {
	ENTER(cuGraphLaunch);
	CUgraph g = (CUgraph)e;
	CUresult wrong = CUDA_SUCCESS;
	// Of the steps that can run the last runs first.
	for (unsigned long long done = 0; !wrong && done != (1ull << g->n) - 1;)
		for (int i = g->n - 1; i >= 0; i--)
			if (!(done >> i & 1) && !(g->steps[i].after & ~done)) {
				wrong = use(s, g->steps[i].p, 4 * g->steps[i].n);
				run(g->steps[i]);
				done |= 1ull << i;
				break;
			}
	return wrong;
}
CUresult cuGraphExecDestroy(CUgraphExec e) { ENTER(cuGraphExecDestroy); free(e); allocations--; return CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent *e, unsigned flags) { ENTER(cuEventCreate); *e = calloc(1, sizeof **e); (*e)->timed = !(flags & CU_EVENT_DISABLE_TIMING); allocations++; return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent e, CUstream s) { ENTER(cuEventRecord); memcpy(e->done, s->done, sizeof e->done); clock_gettime(CLOCK_MONOTONIC, &e->at); return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float *ms, CUevent a, CUevent b) {
	ENTER(cuEventElapsedTime);
	if (!a->timed || !b->timed) return CUDA_ERROR_INVALID_HANDLE;
	*ms = (b->at.tv_sec - a->at.tv_sec) * 1e3f + (b->at.tv_nsec - a->at.tv_nsec) * 1e-6f;
	return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent e) { ENTER(cuEventSynchronize); host_waits(e->done); return CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent e) { ENTER(cuEventDestroy); free(e); allocations--; return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult r, const char **s) { static __thread char name[32]; snprintf(name, sizeof name, "CUDA_ERROR_%d", r); *s = name; return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult r, const char **s) { static __thread char text[32]; snprintf(text, sizeof text, "error %d", r); *s = text; return CUDA_SUCCESS; }
