// The forward pass of the weight-stationary branch, and what both passes share. branch.h documents
// the kernels' arguments.
#pragma once
#include "branch.h"
#include "extents.h"
#include "stationary_math.h"

// Sizes of the branch that are known when it is compiled.
template <class M, int W> struct Width {
  enum {
    GROUPS = W / M::GROUP,
    CHUNKS = W / M::CHUNK,        // of 16 bytes in a plane of a row
    ROW = M::PLANES * W,          // halves of a row in memory: its planes
    MATRIX = M::PLANES * W * W,   // halves of a layer's weights in memory
    HELD = M::HELD * W * W,       // and in shared memory
    TABLE = 16 * W,               // halves of a table of 8 outputs or inputs: high and low parts
  };
};

// stationary_tables returns the index in weights of the tables after the layers: the output's
// weights by rows, for each 8 outputs; by columns, for each 8 outputs; and the level's weights by
// rows.
template <class M, int W> DEVICE int stationary_tables(Mlp m) { return 2 * (m.depth - 1) * Width<M, W>::MATRIX; }
DEVICE int stationary_eights(Mlp m) { return (m.outputs + 7) / 8; }

// copy_async starts to copy halves, a multiple of 16 bytes, to shared memory.
DEVICE void copy_async(half* dst, const half* src, int count) {
#pragma unroll 4
  for (int i = threadIdx.x * 8; i < count; i += BRANCH_THREADS * 8) cp_async16(dst + i, src + i, true);
}

// plus returns sum + x·v.
DEVICE float4 plus(float4 sum, float x, float4 v) {
  return make_float4(fmaf(x, v.x, sum.x), fmaf(x, v.y, sum.y), fmaf(x, v.z, sum.z), fmaf(x, v.w, sum.w));
}

// first_chunk returns a chunk of the first hidden layer of a row: relu(base + level·v), from
// column on. v is [inputs, W], in shared memory. more has the columns of the level from the third on.
template <class M, int W, bool MLP>
DEVICE typename M::template Words<4> first_chunk(const float* base, const float* v, float2 level, const float* more, int inputs, int column) {
  typename M::Sum s[M::TILES];
#pragma unroll
  for (int i = 0; i < M::CHUNK; i += 4) {
    const float4* at = reinterpret_cast<const float4*>(v + column + i);
    float4 z = plus(*reinterpret_cast<const float4*>(base + column + i), level.x, *at);
    if (inputs > 1) z = plus(z, level.y, at[W / 4]);
    if (MLP)
      for (int c = 2; c < inputs; c++) z = plus(z, more[c - 2], at[c * (W / 4)]);
    M::start(s[i / 2], z.x, z.y);
    M::start(s[i / 2 + 1], z.z, z.w);
  }
  return M::rectified(s, 0);
}

// level_of_row returns the first one or two columns of a row's level.
DEVICE float2 level_of_row(const float* level, unsigned row, int inputs) {
  return make_float2(level[inputs * row], inputs > 1 ? level[inputs * row + 1] : 0);
}

// WarpRows are the hidden values of 16·MT rows in a warp's registers, turned: see stationary_math.h.
template <class M, int W, int MT, bool MLP> struct WarpRows {
  enum { GROUPS = Width<M, W>::GROUPS };
  typename M::template Words<4> x[MT][GROUPS][2];

  // Levels are those of a lane's rows.
  struct Levels { float2 u[2 * MT]; };

  DEVICE Levels levels(const float* level, unsigned row, unsigned n, int inputs) {
    Levels l;
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      unsigned at = row + i * 8 + threadIdx.x % 32 / 4;
      l.u[i] = at < n ? level_of_row(level, at, inputs) : make_float2(0, 0);
    }
    return l;
  }

  // first computes the first hidden layer of the rows from `row` on, of n rows.
  MEMBER void first(const Levels& l, const float* base, const float* level, const float* v, unsigned row, unsigned n,
                    Divisor levels, Mlp m) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      unsigned at = row + i * 8 + lane / 4;
      const float* of_point = base + size_t(at < n ? divide(at, levels) : 0) * W;
      if (MLP && m.biased) of_point = v + m.inputs * W;
      const float* more = level + size_t(at < n ? at : 0) * m.inputs + 2;
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
        x[i / 2][q][i % 2] = first_chunk<M, W, MLP>(of_point, v, l.u[i], more, m.inputs, q * M::GROUP + lane % 4 * M::CHUNK);
      }
    }
    turn_all();
  }

  // load reads the rows from memory, 4 bytes at a time: registers of one 16-byte load would have to be
  // copied to be turned.
  MEMBER void load(const half* from, unsigned row, unsigned n) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2 * MT; i++) {
      unsigned at = row + i * 8 + lane / 4;
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
        const half* of_group = from + size_t(at) * Width<M, W>::ROW + q * M::GROUP + lane % 4 * M::CHUNK;
#pragma unroll
        for (int j = 0; j < 4 * M::PLANES; j++) {
          const volatile unsigned* p = reinterpret_cast<const volatile unsigned*>(of_group + j / 4 * W) + j % 4;
          x[i / 2][q][i % 2].x[j / 4][j % 4] = at < n ? *p : 0;
        }
      }
    }
    turn_all();
  }

  MEMBER void turn_all() {
#pragma unroll
    for (int i = 0; i < MT * GROUPS; i++) M::turn(x[i / GROUPS][i % GROUPS][0], x[i / GROUPS][i % GROUPS][1]);
  }

  // group computes group g of W·rows + bias. weights are in shared memory, in the order of fragments. Their low
  // halves may be in device memory.
  MEMBER void group(typename M::Sum (&s)[MT][M::TILES], const half* weights, const half* low, const float* bias, int g) const {
    int lane = threadIdx.x % 32, column = g * M::GROUP + lane % 4 * M::CHUNK;
#pragma unroll
    for (int j = 0; j < M::TILES; j++) {
      float2 b = *reinterpret_cast<const float2*>(bias + column + 2 * j);
#pragma unroll
      for (int m = 0; m < MT; m++) M::start(s[m][j], b.x, b.y);
    }
#pragma unroll
    for (int q = 0; q < GROUPS; q++) {
#pragma unroll
      for (int j = 0; j < M::TILES; j++) {
        int at = ((g * M::TILES + j) * GROUPS + q) * 256 + lane * M::CHUNK;
        auto b = M::template read<4>(weights + at, low + at);
#pragma unroll
        for (int m = 0; m < MT; m++) M::multiply(s[m][j], x[m][q][0], x[m][q][1], b);
      }
    }
#pragma unroll
    for (int i = 0; i < MT * M::TILES; i++) M::finish(s[i / M::TILES][i % M::TILES]);
  }

  // layer replaces the rows by relu(W·rows + bias), and writes them to `to` unless it is null.
  MEMBER void layer(const half* weights, const half* low, const float* bias, half* to, unsigned row, unsigned n) {
    int lane = threadIdx.x % 32;
    WarpRows next;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      int column = g * M::GROUP + lane % 4 * M::CHUNK;
      typename M::Sum s[MT][M::TILES];
      group(s, weights, low, bias, g);
#pragma unroll
      for (int m = 0; m < MT; m++) {
        next.x[m][g][0] = M::rectified(s[m], 0);
        next.x[m][g][1] = M::rectified(s[m], 1);
        M::turn(next.x[m][g][0], next.x[m][g][1]);
        if (!to) continue;
        unsigned at = row + 16 * m + lane / 4;
        half* p = to + size_t(at) * Width<M, W>::ROW + column;
        if (at < n) M::write(p, W, M::rectified_again(s[m], 0));
        if (at + 8 < n) M::write(p + 8 * Width<M, W>::ROW, W, M::rectified_again(s[m], 1));
      }
    }
    *this = next;
  }

  // result writes W·rows + bias to out, which has W columns.
  MEMBER void result(const half* weights, const half* low, const float* bias, float* out, unsigned row, unsigned n) const {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      typename M::Sum s[MT][M::TILES];
      group(s, weights, low, bias, g);
#pragma unroll
      for (int i = 0; i < 2 * MT * M::TILES; i++) {
        unsigned at = row + i / M::TILES * 8 + lane / 4;
        int column = g * M::GROUP + lane % 4 * M::CHUNK + i % M::TILES * 2;
        const float* c = s[i / M::TILES / 2][i % M::TILES].c[0] + i / M::TILES % 2 * 2;
        if (at < n) *reinterpret_cast<float2*>(out + size_t(at) * W + column) = make_float2(c[0], c[1]);
      }
    }
  }

  // output computes W_out·rows + bias. table has W_out by rows, high and low parts, in shared memory.
  MEMBER void output(float* out, const half* table, const float* bias, int outputs, unsigned row, unsigned n) const {
    int lane = threadIdx.x % 32;
    for (int o = 0; o < outputs; o += 8) {
      const half* right = table + o / 8 * Width<M, W>::TABLE + lane * M::CHUNK;
      typename M::Sum s[MT];
#pragma unroll
      for (int m = 0; m < MT; m++) M::start(s[m], 0, 0);
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
#pragma unroll
        for (int m = 0; m < MT; m++) M::thin(s[m], x[m][q][0], x[m][q][1], right + q * 512);
      }
#pragma unroll
      for (int m = 0; m < MT; m++) {
        M::finish(s[m]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
          unsigned at = row + 16 * m + i / 2 * 8 + lane / 4;
          int column = o + lane % 4 * 2 + i % 2;
          if (at < n && column < outputs) out[size_t(at) * outputs + column] = bias[column] + s[m].c[0][i];
        }
      }
    }
  }
};

// Forward are the arguments of the forward kernel.
struct Forward {
  const Extents* e;
  const float *base, *level;
  const half* weights;
  const float* vectors;
  half* hidden;
  float* out;
  int resident, keep, s, above;
};

template <class M, int W, int MT, bool MLP> DEVICE void stationary_forward(const Forward& f, Mlp m) {
  typedef WarpRows<M, W, MT, MLP> Rows;
  DYNAMIC_SHARED(memory);
  // 1. Load what all tiles read: the output's table and bias, the level's weights, the layers' biases.
  int entries = stationary_eights(m) * Width<M, W>::TABLE;
  const int matrix = Width<M, W>::MATRIX;
  const int held = Width<M, W>::HELD;
  half *weights = reinterpret_cast<half*>(memory), *table = weights + f.resident * held;
  float *bias_out = reinterpret_cast<float*>(table + entries), *vectors = bias_out + 16;
  copy_async(table, f.weights + stationary_tables<M, W>(m), entries);
  for (int i = threadIdx.x; i < m.outputs; i += BRANCH_THREADS) bias_out[i] = f.vectors[branch_outputs(m) + m.outputs * W + i];
  for (int i = threadIdx.x; i < branch_outputs(m); i += BRANCH_THREADS) vectors[i] = f.vectors[i];
  Span span = span_of(*f.e, f.s, f.above);
  unsigned n = span.points * span.levels, tiles = (n + 16 * MT - 1) / (16 * MT);
  Divisor levels = divisor(span.levels);
  size_t slot = size_t(n) * Width<M, W>::ROW;
  int layers = m.depth - 1;
  for (int from = 0; from < layers; from += f.resident) {
    // 2. Load the weights of as many layers as shared memory holds.
    int end = min(from + f.resident, layers);
    if (from > 0) __syncthreads();
    for (int l = from; l < end; l++) copy_async(weights + (l - from) * held, f.weights + 2 * l * matrix, held);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    // 3. Take rows through these layers. A warp takes the same rows for each group of layers, and
    // loads the levels of its next rows before it computes. Few rows go to as many multiprocessors as
    // there are tiles.
    unsigned tile = threadIdx.x / 32 * gridDim.x + blockIdx.x, step = gridDim.x * BRANCH_WARPS;
    typename Rows::Levels next = Rows::levels(f.level, tile * 16 * MT, from > 0 ? 0 : n, m.inputs);
    for (; tile < tiles; tile += step) {
      Rows r;
      unsigned row = tile * 16 * MT;
      if (from == 0) {
        r.first(next, f.base, f.level, vectors, row, n, levels, m);
        next = Rows::levels(f.level, row + step * 16 * MT, n, m.inputs);
      } else {
        r.load(f.hidden + (f.keep ? (from - 1) * slot : 0), row, n);
      }
      for (int l = from; l < end; l++) {
        const half *high = weights + (l - from) * held, *low = (held < matrix ? f.weights + 2 * l * matrix : high) + W * W;
        const float* bias = vectors + branch_biases(m) + l * W;
        if (MLP && m.outputs == 0 && l + 1 == layers) {
          r.result(high, low, bias, f.out, row, n);
          break;
        }
        bool store = f.keep || (l + 1 == end && end < layers);
        half* to = store ? f.hidden + (f.keep ? l * slot : 0) : nullptr;
        r.layer(high, low, bias, to, row, n);
      }
      if (end == layers) r.output(f.out, table, bias_out, m.outputs, row, n);
    }
  }
}

// stationary_element returns the number that element i of weights stands for, and whether it is the
// low part of one that is split.
struct Packed {
  float number;
  bool low;
};

template <class M, int W> DEVICE Packed stationary_element(const float* flat, const int* layout, Mlp m, int i) {
  int e = i % M::CHUNK, lane = i / M::CHUNK % 32, g = lane / 4, t = lane % 4, tables = stationary_tables<M, W>(m);
  Packed p = {0, false};
  if (i < tables) {  // a layer: W, then W transposed
    const int groups = Width<M, W>::GROUPS, matrix = Width<M, W>::MATRIX;
    int rest = i / (32 * M::CHUNK), q = rest % groups, j = rest / groups % M::TILES, n = rest / groups / M::TILES % groups;
    int row = n * M::GROUP + g / 2 * M::CHUNK + 2 * j + g % 2, column = q * M::GROUP + t * M::CHUNK + e;
    bool turned = i / matrix % 2;
    if (turned) column = q * M::GROUP + e / 2 * M::CHUNK + t * 2 + e % 2;  // as ldmatrix gives it
    p.low = i / (W * W) % M::PLANES;
    p.number = flat[weight_at(layout, i / (2 * matrix), turned ? column * W + row : row * W + column)];
    return p;
  }
  i -= tables;
  int table = i / Width<M, W>::TABLE, part = i / (32 * M::CHUNK) % 2, group = i % Width<M, W>::TABLE / (64 * M::CHUNK);
  int eights = stationary_eights(m);
  if (table >= eights && table < 2 * eights) {  // the output's weights by columns, in the order of M::outer
    int o = (table - eights) * 8 + 2 * t + e % 2;
    int column = group * M::GROUP + g / 2 * M::CHUNK + 2 * (e / 4 + 2 * part) + g % 2;
    p.low = e / 2 % 2;
    if (o < m.outputs) p.number = flat[vector_at(layout, m, branch_outputs(m) + o * W + column)];
    return p;
  }
  p.low = part;
  int column = group * M::GROUP + t * M::CHUNK + e;
  if (table < eights) {
    if (table * 8 + g < m.outputs) p.number = flat[vector_at(layout, m, branch_outputs(m) + (table * 8 + g) * W + column)];
  } else if (g < m.inputs) {
    p.number = flat[vector_at(layout, m, g * W + column)];
  }
  return p;
}

// stationary_pack copies the parameters from the flat vector.
template <class M, int W>
DEVICE void stationary_pack(const float* flat, const int* layout, half* weights, float* vectors, Mlp m) {
  int n = stationary_tables<M, W>(m) + (2 * stationary_eights(m) + 1) * Width<M, W>::TABLE;
  for (int i = thread(); i < n; i += threads()) {
    Packed p = stationary_element<M, W>(flat, layout, m, i);
    Split s = split<M>(p.number * M::WEIGHT);
    weights[i] = p.low ? s.low : s.high;
  }
  for (int i = thread(); i < branch_vectors(m); i += threads()) vectors[i] = flat[vector_at(layout, m, i)];
}
