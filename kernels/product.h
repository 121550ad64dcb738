// Float32 matrix products C(m, n) = Σ_k A(m, k)·B(k, n) by tiles. A block of THREADS threads
// computes a tile of M×N elements; each thread has TM×TN sums in registers. Shared memory has two
// buffers, each for a step of STEP values of k: one is read while the next step is fetched. Every sum
// is added in the order of k, so its bits do not depend on the shape of the tile.
#pragma once
#include "device.h"

enum { THREADS = 128, GAP = 4 };

// Shapes of tiles: for large products, for few rows, and for results of up to Narrow::N columns.
struct Wide { enum { M = 128, N = 64, TM = 8, TN = 8, STEP = 8 }; };
struct Small { enum { M = 32, N = 64, TM = 4, TN = 4, STEP = 8 }; };
struct Narrow { enum { M = 256, N = 8, TM = 4, TN = 4, STEP = 8 }; };

// Buffers has the number of floats of shared memory that a shape needs. SHARED is the largest of the
// shapes above.
template <class S>
struct Buffers { enum { FLOATS = 2 * S::STEP * (S::M + GAP + S::N + GAP) }; };
enum { SHARED = Buffers<Narrow>::FLOATS };

// Operand is one side of a product; x stands for m or n. Element (x, k) is data[x·width + k] if the
// Loader's ALONG is true, otherwise data[k·width + x]. Elements outside [0, count)×[from, to) count
// as 0, and so do those whose element of mask is 0. The mask of a ReLU is its result. mask may be
// null.
struct Operand {
  const float *data, *mask;
  int width, count, from, to;
};

// aligned reports whether all rows are aligned to 16 bytes.
DEVICE bool aligned(const float* p, int width) { return width % 4 == 0 && ((unsigned long long)p & 15) == 0; }

// load4 reads four neighbours of a row. Only the first `there` of them exist; the others are 0.
// whole says that the row is aligned.
DEVICE float4 load4(const float* p, int there, bool whole) {
  if (whole && there >= 4) return *(const float4*)p;
  return make_float4(there > 0 ? p[0] : 0.0f, there > 1 ? p[1] : 0.0f, there > 2 ? p[2] : 0.0f, there > 3 ? p[3] : 0.0f);
}

// store4 writes four neighbours of a row, of which only the first `there` exist.
DEVICE void store4(float* p, const float v[4], int there, bool whole) {
  if (whole && there >= 4) {
    *(float4*)p = make_float4(v[0], v[1], v[2], v[3]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (i < there) p[i] = v[i];
}

// GROUP values of k are the smallest step, and the part of a step that is multiplied at a time.
enum { GROUP = 8 };

// swizzled returns the place of x in row k of a step in shared memory. Different groups of k have
// their quads of x in a different order, so that the threads of a warp that store quads of k write to
// different banks.
DEVICE int swizzled(int k, int x) { return x ^ k / GROUP % 4 * 4; }

// Loader copies a step of an operand, for X values of x. fetch copies it from global memory to
// registers, store from there to shared memory [STEP][X + GAP].
template <int X, int STEP, bool ALONG, bool MASKED>
struct Loader {
  enum { QUADS = X * STEP / 4, EACH = (QUADS + THREADS - 1) / THREADS, ROW = X + GAP };
  float4 held[EACH];

  // fetch decides once for all loads whether rows are aligned, which saves registers: 22 in chain.
  MEMBER void fetch(const Operand& o, int x0, int k0) {
    if (aligned(o.data, o.width) && (!MASKED || aligned(o.mask, o.width)))
      fetch_rows<true>(o, x0, k0);
    else
      fetch_rows<false>(o, x0, k0);
  }

  template <bool WHOLE>
  MEMBER void fetch_rows(const Operand& o, int x0, int k0) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      int q = threadIdx.x + i * THREADS;
      int x = x0 + (ALONG ? q / (STEP / 4) : q % (X / 4) * 4), k = k0 + (ALONG ? q % (STEP / 4) * 4 : q / (X / 4));
      int there = ALONG ? (x < o.count ? o.to - k : 0) : (k < o.to ? o.count - x : 0);
      if (QUADS % THREADS != 0 && q >= QUADS) there = 0;
      // Matrices have fewer than 2^31 elements.
      unsigned at = ALONG ? (unsigned)x * o.width + k : (unsigned)k * o.width + x;
      held[i] = load4(o.data + at, there, WHOLE);
      if (MASKED && o.mask) {
        float4 m = load4(o.mask + at, there, WHOLE);
        held[i] = make_float4(m.x == 0 ? 0 : held[i].x, m.y == 0 ? 0 : held[i].y, m.z == 0 ? 0 : held[i].z,
                              m.w == 0 ? 0 : held[i].w);
      }
    }
  }

  MEMBER void store(float* tile) const {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      int q = threadIdx.x + i * THREADS;
      if (QUADS % THREADS != 0 && q >= QUADS) continue;
      if (!ALONG) {
        int k = q / (X / 4);
        *(float4*)(tile + k * ROW + swizzled(k, q % (X / 4) * 4)) = held[i];
        continue;
      }
      int k = q % (STEP / 4) * 4;
      float* to = tile + k * ROW + swizzled(k, q / (STEP / 4));
      to[0] = held[i].x;
      to[ROW] = held[i].y;
      to[2 * ROW] = held[i].z;
      to[3 * ROW] = held[i].w;
    }
  }
};

// place returns which of a tile's X rows or columns is the i-th of a thread's T. A thread has
// groups of four neighbours, so that the threads of a warp read adjacent memory.
template <int T, int X>
DEVICE int place(int thread, int i) { return i / 4 * (X / T * 4) + thread * 4 + i % 4; }

// Unwatched is a watch for run that does nothing.
struct Unwatched {
  MEMBER void operator()(const float*, const float*) {}
};

// Product computes a tile of shape S. A and B are Loaders. After run, sums[i][j] of a thread is the
// element of C in row m0 + row(i) and column n0 + column(j).
template <class S, class A, class B>
struct Product {
  enum { STEP = S::STEP, SIZE = STEP * (A::ROW + B::ROW) };
  A a;
  B b;
  float sums[S::TM][S::TN];

  MEMBER int row(int i) const { return place<S::TM, S::M>(threadIdx.x / (S::N / S::TN), i); }
  MEMBER int column(int j) const { return place<S::TN, S::N>(threadIdx.x % (S::N / S::TN), j); }

  // run computes the tile that begins at (m0, n0). For every step it calls watch with both operands
  // in shared memory.
  template <class Watch>
  MEMBER void run(const Operand& left, const Operand& right, int m0, int n0, float* shared, Watch& watch) {
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
      for (int j = 0; j < S::TN; j++) sums[i][j] = 0;
    // 1. Bring the first step to shared memory.
    bring(left, right, m0, n0, left.from);
    put(shared);
    __syncthreads();
    float *now = shared, *next = shared + SIZE;
    for (int k = left.from; k < left.to; k += STEP) {
      // 2. Fetch the next step while this one is multiplied.
      bool more = k + STEP < left.to;
      if (more) bring(left, right, m0, n0, k + STEP);
      step(now, now + STEP * A::ROW, left.to - k);
      watch(now, now + STEP * A::ROW);
      // 3. Store it in the other buffer.
      if (more) put(next);
      __syncthreads();
      float* swap = now;
      now = next;
      next = swap;
    }
  }

 private:
  MEMBER void bring(const Operand& left, const Operand& right, int m0, int n0, int k) {
    a.fetch(left, m0, k);
    b.fetch(right, n0, k);
  }

  MEMBER void put(float* shared) const {
    a.store(shared);
    b.store(shared + STEP * A::ROW);
  }

  // step adds a step, of which the first `there` values of k exist.
  MEMBER void step(const float* left, const float* right, int there) {
    int from = 0;
    do {
#pragma unroll
      for (int k = 0; k < GROUP; k++) {
        float x[S::TM], y[S::TN];
#pragma unroll
        for (int i = 0; i < S::TM; i += 4) take(x + i, left + (from + k) * A::ROW + swizzled(from, row(i)));
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) take(y + j, right + (from + k) * B::ROW + swizzled(from, column(j)));
#pragma unroll
        for (int i = 0; i < S::TM; i++)
#pragma unroll
          for (int j = 0; j < S::TN; j++) sums[i][j] += x[i] * y[j];
      }
      from += GROUP;
    } while (from < STEP && from < there);
  }

  static MEMBER void take(float* to, const float* from) {
    float4 v = *(const float4*)from;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
  }
};
