//go:build gpu

package cu

/*
#cgo LDFLAGS: -lcuda -ldl
#cgo linux CFLAGS: -I/usr/local/cuda/include
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>

enum { most = 32 }; // arguments of a kernel

// launch starts a kernel whose arguments are the low bytes of values. Host and GPU are
// little-endian.
static CUresult launch(CUfunction f, const uint32_t *grid, const uint32_t *block, uint32_t shared, CUstream stream,
                       uint64_t *values, int count) {
	void *arguments[most];
	for (int i = 0; i < count; i++) arguments[i] = &values[i];
	return cuLaunchKernel(f, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, stream, arguments, 0);
}

// parameter returns the size of a kernel's parameter in bytes, 0 beyond the last one, and -1 if the
// driver cannot tell (before CUDA 12.4).
static int parameter(CUfunction f, size_t i) {
	static CUresult (*info)(CUfunction, size_t, size_t *, size_t *);
	if (!info) *(void **)&info = dlsym(RTLD_DEFAULT, "cuFuncGetParamInfo");
	size_t offset, size;
	if (!info) return -1;
	return info(f, i, &offset, &size) == CUDA_SUCCESS ? (int)size : 0;
}

// instantiate makes a graph executable. It calls cuGraphInstantiateWithFlags, which needs CUDA 11.4,
// because the arguments of cuGraphInstantiate differ between versions.
static CUresult instantiate(CUgraphExec *exec, CUgraph graph) { return cuGraphInstantiateWithFlags(exec, graph, 0); }

// add adds a launch to a graph, after count earlier nodes. The driver copies the arguments.
static CUresult add(CUgraph graph, CUgraphNode *node, const CUgraphNode *after, size_t count, CUfunction f, const uint32_t *grid,
                    const uint32_t *block, uint32_t shared, uint64_t *values, int arguments) {
	void *pointers[most];
	for (int i = 0; i < arguments; i++) pointers[i] = &values[i];
	CUDA_KERNEL_NODE_PARAMS p = {
		.func = f, .gridDimX = grid[0], .gridDimY = grid[1], .gridDimZ = grid[2],
		.blockDimX = block[0], .blockDimY = block[1], .blockDimZ = block[2], .sharedMemBytes = shared, .kernelParams = pointers,
	};
	return cuGraphAddKernelNode(node, graph, after, count, &p);
}

// edge is CUgraphEdgeData, which headers have since CUDA 12.3.
struct edge { unsigned char from_port, to_port, type, reserved[5]; };

// add_edges is cuGraphAddDependencies_v2; null if the driver is older than CUDA 12.3.
static CUresult (*add_edges)(CUgraph, const CUgraphNode *, const CUgraphNode *, const struct edge *, size_t);

static int has_programmatic_edges(void) {
	if (!add_edges) *(void **)&add_edges = dlsym(RTLD_DEFAULT, "cuGraphAddDependencies_v2");
	return add_edges != 0;
}

// add_programmatic_edge makes a node begin when all blocks of the other have called
// griddepcontrol.launch_dependents or ended.
static CUresult add_programmatic_edge(CUgraph graph, CUgraphNode from, CUgraphNode to) {
	struct edge e = {.from_port = 1, .type = 1}; // CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
	return add_edges(graph, &from, &to, &e, 1);
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// This file adds what gorgonia.org/cu lacks: pinned memory, graphs, dynamic shared memory
// over 48 KB, launches that allocate nothing, and the driver's error messages. The handles of cu
// are structs of one C pointer. These lines do not compile if cu changes that.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(cu.Stream{})-unsafe.Sizeof(C.CUstream(nil))]
	_ = [1]struct{}{}[unsafe.Sizeof(cu.Function{})-unsafe.Sizeof(C.CUfunction(nil))]
	_ = [1]struct{}{}[unsafe.Sizeof(cu.Event{})-unsafe.Sizeof(C.CUevent(nil))]
)

const mostArguments = C.most

func streamHandle(s cu.Stream) C.CUstream       { return *(*C.CUstream)(unsafe.Pointer(&s)) }
func functionHandle(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }
func eventHandle(e cu.Event) C.CUevent          { return *(*C.CUevent)(unsafe.Pointer(&e)) }

// result is a CUresult as an error.
type result C.CUresult

func check(r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return result(r)
}

// Error returns the driver's message and its name of the error.
func (r result) Error() string {
	var name, text *C.char
	C.cuGetErrorName(C.CUresult(r), &name)
	C.cuGetErrorString(C.CUresult(r), &text)
	if name == nil || text == nil {
		return "unknown error of the CUDA driver"
	}
	return C.GoString(text) + " (" + C.GoString(name) + ")"
}

// pin allocates page-locked host memory, without clearing it.
func pin(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	if err := check(C.cuMemHostAlloc(&p, C.size_t(bytes), 0)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// sharedAtMost returns the largest dynamic shared memory of a block that a kernel can ask for, in
// bytes.
func sharedAtMost(d cu.Device) (int, error) {
	var n C.int
	err := check(C.cuDeviceGetAttribute(&n, C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, C.CUdevice(d)))
	return int(n), err
}

// allowShared sets the limit of a kernel's dynamic shared memory, in bytes. Without it the limit is
// 48 KB.
func allowShared(f cu.Function, bytes uint32) error {
	return check(C.cuFuncSetAttribute(functionHandle(f), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes)))
}

// parameterSizes returns the sizes of a kernel's parameters in bytes; nil if the driver cannot
// tell.
func parameterSizes(f cu.Function) []int {
	sizes := []int{}
	for i := range mostArguments {
		n := int(C.parameter(functionHandle(f), C.size_t(i)))
		if n < 0 {
			return nil
		}
		if n == 0 {
			break
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// launchOn starts a kernel with the first count values as arguments.
func launchOn(s cu.Stream, f cu.Function, d *gpu.Dims, values *[mostArguments]uint64, count int) error {
	return check(C.launch(functionHandle(f), (*C.uint32_t)(&d.Grid[0]), (*C.uint32_t)(&d.Block[0]), C.uint32_t(d.Shared),
		streamHandle(s), (*C.uint64_t)(&values[0]), C.int(count)))
}

// graphBuilder makes a graph node by node.
type graphBuilder struct {
	graph C.CUgraph
	nodes []C.CUgraphNode
}

// newGraphBuilder returns a builder for up to n nodes.
func newGraphBuilder(n int) *graphBuilder { return &graphBuilder{nodes: make([]C.CUgraphNode, 0, n)} }

func (b *graphBuilder) begin() error { return check(C.cuGraphCreate(&b.graph, 0)) }

// startsEarly reports whether a kernel waits for its inputs, and the driver can start it before it has
// them. The kernel waits if it was compiled for compute capability 9.0 or later, as PTX too: a program
// with PTX for an earlier GPU runs on later ones, without the wait.
func startsEarly(f cu.Function) bool {
	var version C.int
	r := C.cuFuncGetAttribute(&version, C.CU_FUNC_ATTRIBUTE_PTX_VERSION, functionHandle(f))
	return r == C.CUDA_SUCCESS && version >= 90 && C.has_programmatic_edges() != 0
}

// add adds a launch that begins when earlier nodes have ended. after counts the nodes from 0. An early
// one, after one node, begins when that lets it.
func (b *graphBuilder) add(f cu.Function, d *gpu.Dims, values *[mostArguments]uint64, count int, after []int, early bool) error {
	var earlier *C.CUgraphNode
	list := make([]C.CUgraphNode, len(after))
	for i, at := range after {
		if at < 0 || at >= len(b.nodes) {
			return fmt.Errorf("node %d comes after node %d", len(b.nodes), at)
		}
		list[i] = b.nodes[at]
	}
	n := len(list)
	if early {
		n = 0
	}
	if n > 0 {
		earlier = &list[0]
	}
	var node C.CUgraphNode
	err := check(C.add(b.graph, &node, earlier, C.size_t(n), functionHandle(f), (*C.uint32_t)(&d.Grid[0]),
		(*C.uint32_t)(&d.Block[0]), C.uint32_t(d.Shared), (*C.uint64_t)(&values[0]), C.int(count)))
	if err == nil && early {
		err = check(C.add_programmatic_edge(b.graph, list[0], node))
	}
	b.nodes = append(b.nodes, node)
	return err
}

// instantiate returns the graph in executable form.
func (b *graphBuilder) instantiate() (exec C.CUgraphExec, err error) {
	err = check(C.instantiate(&exec, b.graph))
	return exec, err
}

// end frees what only building needs.
func (b *graphBuilder) end() {
	if b.graph != nil {
		C.cuGraphDestroy(b.graph)
	}
}

// elapsed returns the milliseconds between two events that have happened.
func elapsed(from, to cu.Event) (float64, error) {
	var ms C.float
	err := check(C.cuEventElapsedTime(&ms, eventHandle(from), eventHandle(to)))
	return float64(ms), err
}

func launchGraph(exec C.CUgraphExec, s cu.Stream) error {
	return check(C.cuGraphLaunch(exec, streamHandle(s)))
}

func destroyGraph(exec C.CUgraphExec) error { return check(C.cuGraphExecDestroy(exec)) }
