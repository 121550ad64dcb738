// Linear layers act(base + in·Wᵀ) and the gradient of their input, for many rows: chain.cu runs
// those of fewer. Blocks of 128; no dynamic shared memory. A block computes one tile of a product
// (product.h) at a time.
//
// | kernel | computes | grid |
// | --- | --- | --- |
// | linear | the layer | 1 to tiles(rows of s, d) |
// | in_grad | part InGrad | 1 to tiles(rows of s, k) |
//
// tiles(m, n) = ceil(m / 32)·ceil(n / 64), at capacity.
#include "linear.h"

// FEW is the number of wide tiles below which most of a device would be idle.
enum { FEW = 128 };

// tiles runs the block's share of the tiles of a result [m, n].
template <class S, class F>
DEVICE void tiles(F& f, int m, int n) {
  int across = ceil_div(n, S::N), all = ceil_div(m, S::M) * across;
  for (int i = blockIdx.x; i < all; i += gridDim.x) f.template tile<S>(i / across * S::M, i % across * S::N, m);
}

// with_shape runs f with the best shape of tiles for a result [m, n].
template <class F>
DEVICE void with_shape(F& f, int m, int n) {
  if (n <= Narrow::N)
    tiles<Narrow>(f, m, n);
  else if (ceil_div(m, Wide::M) * ceil_div(n, Wide::N) < FEW)
    tiles<Small>(f, m, n);
  else
    tiles<Wide>(f, m, n);
}

extern "C" __global__ void __launch_bounds__(128)
linear(const Extents* __restrict__ e,     // sizes of the run
       const float* __restrict__ base,    // [above, d]
       const float* __restrict__ in,      // [s, k]
       const float* __restrict__ weight,  // [d, k], rows stride apart
       float* __restrict__ out,           // [s, d]
       int s,                             // space of the layer
       int above,                         // space of base: s, an ancestor, or Parameter
       int k,                             // columns of its input
       int d,                             // columns of its result
       int relu,                          // 1 if it ends in a ReLU
       int stride) {                      // between the rows of weight
  wait_for_inputs();
  __shared__ __align__(16) float shared[SHARED];
  Forward f = {{s, k, d, relu, stride}, base, in, weight, out, shared, ratio(*e, s, above)};
  with_shape(f, rows(*e, s), d);
}
KERNEL(linear)

extern "C" __global__ void __launch_bounds__(128)
in_grad(const Extents* __restrict__ e,     // sizes of the run
        const float* __restrict__ grad,    // of the result [s, d]
        const float* __restrict__ result,  // [s, d]; not read without ReLU, may be null then
        const float* __restrict__ weight,  // [d, k], rows stride apart
        float* __restrict__ out,           // [s, k]
        int s,                             // space of the layer
        int k,                             // columns of its input
        int d,                             // columns of its result
        int relu,                          // 1 if it ends in a ReLU
        int stride) {                      // between the rows of weight
  wait_for_inputs();
  __shared__ __align__(16) float shared[SHARED];
  InGrad f = {{s, k, d, relu, stride}, grad, result, weight, out, shared};
  with_shape(f, rows(*e, s), k);
}
KERNEL(in_grad)
