// What the branch's kernels do with a tile of rows in shared memory: copy the weights there and
// multiply.
#pragma once
#include "branch_layout.h"
#include "branch_math.h"

// Tile is a block's shared memory. Its vectors have, in this order: the level's weights [inputs,
// width], the hidden layers' biases [depth − 1, width], the output's weights [outputs, width] and
// biases [outputs].
template <class M> struct Tile {
  typename M::element* hidden;  // [buffers][R][ld]
  int ld;
  float *vectors, *levels, *grads;  // see above, [R, inputs], [R, outputs]
  int* points;                      // [R]
};

// branch_panel returns the number of elements of a panel's buffer.
DEVICE int branch_panel(int width, int columns, int pad) {
  return max(columns * (width + pad), width * (columns + pad));  // forward, and backward
}

// Panels copies the weights of all hidden layers into shared memory, once for every tile. A panel
// is the part of W that P columns of a product need: forward P rows of W, layer by layer; backward
// P columns of W, from the last layer down. While one panel is used, the next one is copied.
template <class M, int P> struct Panels {
  typedef typename M::element E;
  E* buffers;
  const E* weights;  // [depth − 1, width, width]
  int width, size;
  int of_layer, of_tile, forward;  // panels of a layer, of a tile, of a tile's forward pass
  int at, end;

  // begin starts to copy the first panel. The panels are for the given number of tiles.
  DEVICE Panels begin(E* buffers, const E* weights, Mlp m, int tiles, bool backward) {
    Panels s;
    s.buffers = buffers;
    s.weights = weights;
    s.width = m.width;
    s.size = branch_panel(m.width, P, M::PAD);
    s.of_layer = (m.width + P - 1) / P;
    s.forward = (m.depth - 1) * s.of_layer;
    s.of_tile = backward ? 2 * s.forward : s.forward;
    s.at = 0;
    s.end = tiles * s.of_tile;
    if (s.end > 0) fetch(s, 0);
    return s;
  }

  // next waits for the next panel and returns it. It is a barrier of the block: afterwards all
  // threads see what the others wrote before.
  DEVICE const E* next(Panels& s) {
    cp_async_wait<0>();
    __syncthreads();
    const E* panel = s.buffers + (s.at & 1) * s.size;
    if (++s.at < s.end) fetch(s, s.at);
    return panel;
  }

  DEVICE void fetch(const Panels& s, int number) {
    E* dst = s.buffers + (number & 1) * s.size;
    int k = number % s.of_tile;
    if (k < s.forward) {
      int column = k % s.of_layer * P;
      copy(dst, s.width + M::PAD, s.weights + (size_t)(k / s.of_layer * s.width + column) * s.width, s.width,
           min(int(P), s.width - column), s.width);
    } else {
      k -= s.forward;
      int column = k % s.of_layer * P, layer = s.forward / s.of_layer - 1 - k / s.of_layer;
      copy(dst, P + M::PAD, s.weights + (size_t)layer * s.width * s.width + column, s.width, s.width,
           min(int(P), s.width - column));
    }
    cp_async_commit();
  }

  DEVICE void copy(E* dst, int ld, const E* src, int from_ld, int rows, int columns) {
    const int wide = 16 / sizeof(E);
    int chunks = columns / wide;
    for (int i = threadIdx.x; i < rows * chunks; i += BRANCH_THREADS) {
      int r = i / chunks, c = i % chunks * wide;
      cp_async16(dst + r * ld + c, src + (size_t)r * from_ld + c, true);
    }
  }
};

// Warps divides the fragments of R rows by P columns among the warps: each gets MT by NT
// neighbours.
template <int R, int P> struct Warps {
  enum {
    DOWN = R / 16 < 4 ? R / 16 : 4,
    ACROSS = BRANCH_WARPS / DOWN < P / 16 ? BRANCH_WARPS / DOWN : P / 16,
    MT = R / 16 / DOWN,
    NT = P / 16 / ACROSS,
  };
};

// PanelProduct is a warp's part of the product of a tile with a panel.
template <class M, int R, int P> struct PanelProduct {
  typedef typename M::element E;
  typedef Warps<R, P> W;
  enum { MT = W::MT, NT = W::NT };
  float c[MT][NT][2][4];
  int row, column, columns, lane;  // of the warp's first fragment in the result; the columns that exist

  DEVICE PanelProduct begin(int width, int first_column) {
    PanelProduct p;
    int warp = threadIdx.x / 32;
    p.lane = threadIdx.x % 32;
    p.row = warp / W::ACROSS * MT * 16;
    p.column = warp % W::ACROSS * NT * 16;
    p.columns = min(int(P), width - first_column);
    if (p.row >= R) p.columns = 0;  // more warps than fragments
    return p;
  }

  // sum adds in [R, width] times the panel to c.
  template <bool TURNED> DEVICE void sum(PanelProduct& p, const E* in, int ld, const E* panel, int width) {
    in += p.row * ld;
#pragma unroll 2
    for (int k = 0; k < width; k += M::STEP) {
      typename M::Left a[MT];
      typename M::Right b[NT];
#pragma unroll
      for (int m = 0; m < MT; m++) M::left(a[m], in + m * 16 * ld + k, ld, p.lane);
#pragma unroll
      for (int n = 0; n < NT; n++) {
        int column = p.column + n * 16;
        if (column >= p.columns) continue;
        if (TURNED) {
          M::right_t(b[n], panel + k * (P + M::PAD) + column, P + M::PAD, p.lane);
        } else {
          M::right(b[n], panel + column * ld + k, ld, p.lane);
        }
      }
#pragma unroll
      for (int n = 0; n < NT; n++) {
        if (p.column + n * 16 >= p.columns) continue;
#pragma unroll
        for (int m = 0; m < MT; m++) M::multiply(p.c[m][n], a[m], b[n]);
      }
    }
  }
};

// forward_panel computes out[:, first…] = relu(in · panelᵀ + bias). A NaN stays a NaN.
template <class M, int R, int P>
DEVICE void forward_panel(typename M::element* out, const typename M::element* in, int ld, const typename M::element* panel,
                          const float* bias, int width, int first) {
  typedef PanelProduct<M, R, P> Part;
  Part p = Part::begin(width, first);
  if (p.column >= p.columns) return;
  int t = p.lane % 4 * 2, g = p.lane / 4;
#pragma unroll
  for (int n = 0; n < Part::NT; n++) {
#pragma unroll
    for (int q = 0; q < 2; q++) {
      int column = p.column + n * 16 + q * 8 + t;
      float2 b = make_float2(0, 0);
      if (column < p.columns) b = *reinterpret_cast<const float2*>(bias + first + column);
#pragma unroll
      for (int m = 0; m < Part::MT; m++) {
        p.c[m][n][q][0] = p.c[m][n][q][2] = b.x;
        p.c[m][n][q][1] = p.c[m][n][q][3] = b.y;
      }
    }
  }
  Part::template sum<false>(p, in, ld, panel, width);
#pragma unroll
  for (int i = 0; i < Part::MT * Part::NT * 4; i++) {
    int m = i / 4 / Part::NT, n = i / 4 % Part::NT, q = i / 2 % 2, h = i % 2;
    int column = p.column + n * 16 + q * 8 + t;
    float x = p.c[m][n][q][2 * h], y = p.c[m][n][q][2 * h + 1];
    if (column < p.columns) M::store(out + (p.row + m * 16 + h * 8 + g) * ld + first + column, x < 0 ? 0 : x, y < 0 ? 0 : y);
  }
}

// backward_panel replaces hidden[:, first…], the input of a layer, by the gradient before the
// input's ReLU: dz·W where hidden is not 0, otherwise 0.
template <class M, int R, int P>
DEVICE void backward_panel(typename M::element* hidden, const typename M::element* dz, int ld,
                           const typename M::element* panel, int width, int first) {
  typedef PanelProduct<M, R, P> Part;
  Part p = Part::begin(width, first);
  if (p.column >= p.columns) return;
#pragma unroll
  for (int i = 0; i < Part::MT * Part::NT * 8; i++) p.c[i / 8 / Part::NT][i / 8 % Part::NT][i / 4 % 2][i % 4] = 0;
  Part::template sum<true>(p, dz, ld, panel, width);
  int t = p.lane % 4 * 2, g = p.lane / 4;
#pragma unroll
  for (int i = 0; i < Part::MT * Part::NT * 4; i++) {
    int m = i / 4 / Part::NT, n = i / 4 % Part::NT, q = i / 2 % 2, h = i % 2;
    int column = p.column + n * 16 + q * 8 + t;
    if (column >= p.columns) continue;
    typename M::element* at = hidden + (p.row + m * 16 + h * 8 + g) * ld + first + column;
    float2 was = M::pair(at);
    M::store(at, was.x == 0 ? 0 : p.c[m][n][q][2 * h], was.y == 0 ? 0 : p.c[m][n][q][2 * h + 1]);
  }
}

// add adds to a sum over a block's tiles. Every sum belongs to one thread, so they are added in the
// order of the tiles.
DEVICE void add(float* sum, float v, bool first) { *sum = first ? v : *sum + v; }

// weight_gradient adds dzᵀ·x of R rows to dw [width, width], and the sums of dz's columns to db
// [width]. The order of dw makes a warp's accesses contiguous, see weight_of. A tile's sum starts
// from 0 and is then added to dw, because the matrix unit truncates where IEEE addition rounds.
template <class M, int R>
DEVICE void weight_gradient(float* dw, float* db, const typename M::element* dz, const typename M::element* x, int ld,
                            int width, bool first) {
  int lane = threadIdx.x % 32, across = (width + 31) / 32;
  for (int item = threadIdx.x / 32; item < across * across; item += BRANCH_WARPS) {
    int i0 = item / across * 32, j0 = item % across * 32;
    float4 before[2][4];
    float c[2][2][2][4], bias[2][4];
#pragma unroll
    for (int i = 0; i < 8; i++) {  // loaded now, needed at the end
      before[i / 4][i % 4] = make_float4(0, 0, 0, 0);
      if (!first && i0 + i / 4 * 16 < width && j0 + i / 2 % 2 * 16 < width) {
        before[i / 4][i % 4] = *fragment_sums(dw, i0 + i / 4 * 16, j0 + i / 2 % 2 * 16, i % 2, width, lane);
      }
    }
#pragma unroll
    for (int i = 0; i < 32; i++) c[i / 16][i / 8 % 2][i / 4 % 2][i % 4] = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) bias[i / 4][i % 4] = 0;
#pragma unroll 2
    for (int r = 0; r < R; r += M::STEP) {
      typename M::Left a[2];
      typename M::Right b[2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        if (i0 + i * 16 < width) M::left_t(a[i], dz + r * ld + i0 + i * 16, ld, lane);
        if (j0 + i * 16 < width) M::right_t(b[i], x + r * ld + j0 + i * 16, ld, lane);
      }
#pragma unroll
      for (int i = 0; i < 2; i++) {
        if (i0 + i * 16 >= width) continue;
        if (j0 == 0) M::row_sums(bias[i], a[i]);
#pragma unroll
        for (int j = 0; j < 2; j++) {
          if (j0 + j * 16 < width) M::multiply(c[i][j], a[i], b[j]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int row = i0 + i * 16;
      if (row >= width) continue;
      if (j0 == 0 && lane % 4 == 0) {
        add(db + row + lane / 4, bias[i][0], first);
        add(db + row + 8 + lane / 4, bias[i][2], first);
      }
#pragma unroll
      for (int j = 0; j < 4; j++) {
        int column = j0 + j / 2 * 16;
        if (column >= width) continue;
        float* s = c[i][j / 2][j % 2];
        float4 v = before[i][j];
        *fragment_sums(dw, row, column, j % 2, width, lane) = make_float4(v.x + s[0], v.y + s[1], v.z + s[2], v.w + s[3]);
      }
    }
  }
}
