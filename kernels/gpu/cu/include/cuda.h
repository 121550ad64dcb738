// The cuda.h that cgo includes: the toolkit's, with the functions of CUDA 11 under their names.
//
// gorgonia.org/cu calls the functions below as CUDA 11 declares them. The cuda.h of CUDA 12 and 13
// gives their names to later versions, some with other arguments. The driver's library still has
// the earlier ones, so these lines declare them again. This program calls two of them,
// cuGraphAddKernelNode and cuEventElapsedTime; the others must only compile and link. make puts this folder first in the path of cgo's headers.
#pragma once
#include_next <cuda.h>

#if CUDA_VERSION >= 12000
#undef cuGraphAddKernelNode // the later version reads two more fields at the end of its parameters
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
                                      const CUDA_KERNEL_NODE_PARAMS *parameters);
#endif

#if CUDA_VERSION >= 13000
#undef cuCtxCreate
#define cuCtxCreate cuCtxCreate_v2
#undef cuEventElapsedTime
#undef cuGraphAddDependencies
#undef cuGraphGetEdges
#undef cuMemAdvise
#undef cuMemPrefetchAsync
CUresult CUDAAPI cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult CUDAAPI cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUdevice device);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice device, CUstream stream);
#endif
