// Operations that compute a row from a row, one after another in one launch: layers, the gradients
// of their inputs, layer norms and the operations of elements.h. Blocks of 128; grid (1 to
// ceil(rows / 32), lanes); no dynamic shared memory. A block takes 32 rows of a lane through all of
// its tasks, so a task reads what an earlier task of its lane wrote only in the same rows. All tasks
// of a lane have the same space s. What lanes read is not declared const or __restrict__: a task
// may have written it.
#include "elements.h"
#include "layernorm.h"
#include "linear.h"

// linear_rows computes LINEAR: a = base [other, d], b = input [s, k], c = weight [d, k], rows stride
// apart; relu: with ReLU.
DEVICE void linear_rows(const Task& t, const Extents& e, int from, int to, float* shared) {
  Forward f = {{t.s, t.k, t.d, t.relu, t.stride}, t.a, t.b, t.c, t.out, shared, ratio(e, t.s, t.other)};
  for (int n0 = 0; n0 < t.d; n0 += Row::N) f.tile<Row>(from, n0, to);
}

// in_grad_rows computes IN_GRAD: a = gradient of the result and b = result [s, d], c = weight [d, k],
// rows stride apart; relu: the layer ends in a ReLU.
DEVICE void in_grad_rows(const Task& t, int from, int to, float* shared) {
  InGrad f = {{t.s, t.k, t.d, t.relu, t.stride}, t.a, t.b, t.c, t.out, shared};
  for (int n0 = 0; n0 < t.k; n0 += Row::N) f.tile<Row>(from, n0, to);
}

// Three blocks of a multiprocessor would leave 168 registers, and spill.
extern "C" __global__ void __launch_bounds__(128, 2)
chain(const Step* __restrict__ step,  // sizes of the run
      const Task* tasks,              // [lanes, most]
      int most) {                     // tasks of the longest lane
  wait_for_inputs();
  __shared__ __align__(16) float shared[Buffers<Row>::FLOATS];
  Extents e = step->extents;
  const Task* lane = tasks + blockIdx.y * most;
  int n = rows(e, lane[0].s);
  for (int from = blockIdx.x * Row::M; from < n; from += gridDim.x * Row::M) {
    int to = min(n, from + Row::M);
    for (int i = 0; i < most; i++) {
      Task t = lane[i];
      if (t.operation == END) break;
      if (t.operation == LINEAR)
        linear_rows(t, e, from, to, shared);
      else if (t.operation == IN_GRAD)
        in_grad_rows(t, from, to, shared);
      else if (t.operation == LAYER_NORM)
        layer_norm_rows(t, from, to);
      else if (t.operation == LAYER_NORM_GRAD)
        layer_norm_grad_rows(t, from, to);
      else
        for (int j = threadIdx.x; j < (to - from) * t.d; j += THREADS) compute_element(t, e, from + j / t.d, j % t.d);
      __syncthreads();
    }
  }
}
KERNEL(chain)
