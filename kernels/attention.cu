// Multi-head attention of points over the context points of their function, and its gradients: head h has columns
// [h·w, (h+1)·w) with w = d/heads. A warp does one head of one point (or context point). Blocks of 128; no dynamic shared
// memory; s: 1 / √w.
//
// attention               (e, q [Point, d], k [Context, d], v [Context, d], out [Point, d], d, heads)
//                         grid: 1 to ceil(rows of Point·heads / 4)
// attention_grad_query    (e, grad [Point, d], result [Point, d], q, k, v, out [Point, d] or null, sums, d, heads)
//                         part QueryGrad; sums: [Point, heads, 2] floats of scratch for attention_grad_context
//                         grid: as above
// attention_grad_context  (e, grad, q, k, v, sums, out_k [Context, d] or null, out_v [Context, d] or null, d, heads)
//                         parts KeyGrad and ValueGrad, after attention_grad_query; grid: 1 to ceil(rows of Context·heads / 4)
#include "extents.h"
#include "functions.h"
