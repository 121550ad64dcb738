//go:build simt || gpu

package kernels

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// The tests of this file, TestWord…, compare the words of kernels/device.h with plain arithmetic.
// gpu-check.sh runs them before everything else: no other test can succeed on a GPU on which a word
// does something else.

// word runs one kernel of kernels/vocabulary in every order of threads. args returns the arguments
// of a device; check looks at the results there.
func word(t *testing.T, kernel string, dims gpu.Dims, args func(*device) []any, check func(d *device, args []any)) {
	t.Helper()
	d := newDevice(t)
	for _, d.Driver = range d.orders {
		a := args(d)
		d.launch(kernel, dims, a...)
		check(d, a)
	}
}

// simple returns n numbers between -1 and 1 with few significant bits, exact in halves.
func simple(n, from int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(((from+i)*2654435761>>7)%129-64) / 64
	}
	return s
}

// TestWordShuffles also covers votes and __syncwarp.
func TestWordShuffles(t *testing.T) {
	// what each lane gets, word after word
	want := []func(l int) int{
		func(l int) int { return l ^ 3 },
		func(l int) int { // an xor that leaves the group of 8 lanes gives the lane's own number
			if s := l ^ 12; s < l&^7+8 {
				return s
			}
			return l
		},
		func(l int) int { return l ^ 1 },
		func(l int) int { return l ^ 1 },
		func(int) int { return 1 },
		func(l int) int {
			if l < 16 {
				return l ^ 8
			}
			return 0
		},
	}
	args := func(d *device) []any { return []any{d.alloc(4 * 32 * len(want))} }
	word(t, "vocabulary_warp", gpu.Line(1, 32, 0), args, func(d *device, args []any) {
		got := download[int32](d, args[0].(gpu.Ptr), 32*len(want))
		for w, f := range want {
			for l := range 32 {
				if int(got[32*w+l]) != f(l) {
					t.Fatalf("word %d, lane %d: %d, want %d", w, l, got[32*w+l], f(l))
				}
			}
		}
	})
}

// TestWordShared runs barriers with static and dynamic shared memory.
func TestWordShared(t *testing.T) {
	x := simple(192, 0)
	args := func(d *device) []any { return []any{d.alloc(4 * 192), d.upload(raw(x))} }
	word(t, "vocabulary_shared", gpu.Line(3, 64, 256), args, func(d *device, args []any) {
		for i, v := range download[float32](d, args[0].(gpu.Ptr), 192) {
			b, j := i&^63, i&63^1
			if want := x[b+63-j]; v != want {
				t.Fatalf("%d is %g, want %g", i, v, want)
			}
		}
	})
}

// TestWordLdmatrix loads four matrices of 8 rows of 8 halves. The halves are numbered.
func TestWordLdmatrix(t *testing.T) {
	x := make([]uint16, 256)
	for i := range x {
		x[i] = uint16(i)
	}
	for transposed := range 2 {
		args := func(d *device) []any { return []any{d.alloc(4 * 128), d.upload(raw(x)), int32(transposed)} }
		word(t, "vocabulary_ldmatrix", gpu.Line(1, 32, 0), args, func(d *device, args []any) {
			for i, v := range download[uint32](d, args[0].(gpu.Ptr), 128) {
				matrix, lane := i/32, i%32
				row, column, next := lane/4, 2*(lane%4), 1 // of the first half, and the distance of the second
				if transposed == 1 {
					row, column, next = column, row, 8
				}
				first := 64*matrix + 8*row + column
				if want := uint32(first) | uint32(first+next)<<16; v != want {
					t.Fatalf("transposed %d, matrix %d, lane %d: %#x, want %#x", transposed, matrix, lane, v, want)
				}
			}
		})
	}
}

// A fragment says which element of a matrix [rows, columns] number i of a lane is, as PTX documents
// it for mma.sync. Halves are numbered one by one, two to a register.
type fragment func(lane, i int) (row, column int)

// sums is the fragment of m16n8 sums. halfA and halfB are those of the factors [16, 16] and [16, 8].
var (
	sums  fragment = func(l, i int) (int, int) { return l/4 + i/2*8, l%4*2 + i%2 }
	halfA fragment = func(l, i int) (int, int) { return l/4 + i/2%2*8, l%4*2 + i%2 + i/4*8 }
	halfB fragment = func(l, i int) (int, int) { return l%4*2 + i%2 + i/2*8, l / 4 }
)

// load returns the lanes' numbers of a matrix, n for each lane.
func (f fragment) load(x []float32, columns, n int) []float32 {
	out := make([]float32, 32*n)
	for i := range out {
		row, column := f(i/n, i%n)
		out[i] = x[row*columns+column]
	}
	return out
}

// TestWordMMA multiplies fragments. The factors are exact in halves, and the sums in float32: they have
// 16 products of numbers with 7 significant bits.
func TestWordMMA(t *testing.T) {
	x, y, c := simple(16*16, 0), simple(8*16, 1000), simple(128, 2000)
	want := sums.load(product(c, x, y, 16), 8, 4)
	args := func(d *device) []any {
		return []any{d.alloc(4 * 128), d.upload(raw(sums.load(c, 8, 4))), d.upload(raw(halves(halfA.load(x, 16, 8)))),
			d.upload(raw(halves(halfB.load(y, 8, 4))))}
	}
	word(t, "vocabulary_mma_f16", gpu.Line(1, 32, 0), args, func(d *device, args []any) {
		for i, v := range download[float32](d, args[0].(gpu.Ptr), 128) {
			if v != want[i] {
				t.Fatalf("sum %d of lane %d is %g, want %g", i%4, i/4, v, want[i])
			}
		}
	})
}

// product returns c + x·y, [16, 8] + [16, k]·[k, 8].
func product(c, x, y []float32, k int) []float32 {
	out := make([]float32, 128)
	for i := range out {
		out[i] = c[i]
		for j := range k {
			out[i] += x[i/8*k+j] * y[j*8+i%8]
		}
	}
	return out
}

// halves rounds numbers to half precision. Numbers beyond 65504 become infinite.
func halves(x []float32) []uint16 {
	out := make([]uint16, len(x))
	for i, v := range x {
		out[i] = uint16(math.Float32bits(v) >> 16 & 0x8000)
		a := rounding("f16")(math.Abs(float64(v)))
		switch {
		case math.IsNaN(a):
			out[i] |= 0x7fff
		case a >= 65536:
			out[i] |= 0x7c00
		case a < 0x1p-14:
			out[i] |= uint16(a * 0x1p24)
		default:
			significand, exp := math.Frexp(a)
			out[i] |= uint16(exp+14)<<10 + uint16(significand*2048) - 1024
		}
	}
	return out
}

// TestWordTiles multiplies tiles in shared memory, as the branch's kernels do: ldmatrix, then mma.
func TestWordTiles(t *testing.T) {
	const k = 16
	for turned := range int32(2) {
		a, b, c := simple(16*k, 0), simple(8*k, 1000), simple(128, 2000)
		ga, gb := a, transposed(b, k, 8) // in the layout that the kernel takes
		if turned == 1 {
			ga, gb = transposed(a, 16, k), b
		}
		args := func(d *device) []any {
			return []any{d.alloc(4 * 128), d.upload(raw(c)), d.upload(raw(ga)), d.upload(raw(gb)), turned}
		}
		want := product(c, a, b, k)
		word(t, "vocabulary_f16", gpu.Line(1, 32, 0), args, func(d *device, args []any) {
			for i, v := range download[float32](d, args[0].(gpu.Ptr), 128) {
				if v != want[i] {
					t.Fatalf("transposed %d: element %d is %g, want %g", turned, i, v, want[i])
				}
			}
		})
	}
}

func transposed(m []float32, rows, columns int) []float32 {
	out := make([]float32, len(m))
	for i := range rows {
		for j := range columns {
			out[j*rows+i] = m[i*columns+j]
		}
	}
	return out
}

// TestWordRoundings rounds numbers in the middle between two halves, just beside it, too large and too
// small for halves.
func TestWordRoundings(t *testing.T) {
	x := []float32{0, 1, -1, 1 + 0x1p-11, 1 + 0x3p-11, -1 - 0x1p-11, 1 + 0x1p-11 + 0x1p-23, 1 + 0x1p-11 - 0x1p-23, 2 - 0x1p-11,
		0x1p-14, 0x1p-15, 0x1.8p-24, 0x1p-25, 0x1.8p-25, 1e-9, 2047, 2049, 2051, 16379, 32749, float32(math.Pi), -1e4}
	x = append(x, newSource(1).uniform(100, -3, 3)...)
	both := func(lo, hi float32) uint32 {
		h := halves([]float32{lo, hi})
		return uint32(h[0]) | uint32(h[1])<<16
	}
	args := func(d *device) []any {
		all := []any{}
		for range 3 {
			all = append(all, d.alloc(4*len(x)))
		}
		return append(all, d.upload(raw(x)), int32(len(x)))
	}
	word(t, "vocabulary_roundings", gpu.Line(1, 32, 0), args, func(d *device, args []any) {
		half, pairs := download[float32](d, args[0].(gpu.Ptr), len(x)), download[uint32](d, args[1].(gpu.Ptr), len(x))
		rectified := download[uint32](d, args[2].(gpu.Ptr), len(x))
		for i, v := range x {
			want, pair, relu := rounding("f16")(float64(v)), both(v, -2*v), both(max(v, 0), max(-2*v, 0))
			if float64(half[i]) != want || pairs[i] != pair || v != 0 && rectified[i] != relu { // the sign of 0 is free
				t.Fatalf("%g: half %g, pair %#x, rectified %#x; want %g, %#x, %#x", v, half[i], pairs[i], rectified[i], want, pair, relu)
			}
		}
	})
}

// TestWordHalvesBeyond converts numbers that no half can hold.
func TestWordHalvesBeyond(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x, want := []float32{65519, 65520, -1e6, inf, nan}, []float32{65504, inf, -inf, inf, nan}
	args := func(d *device) []any {
		all := []any{}
		for range 3 {
			all = append(all, d.alloc(4*len(x)))
		}
		return append(all, d.upload(raw(x)), int32(len(x)))
	}
	word(t, "vocabulary_roundings", gpu.Line(1, 32, 0), args, func(d *device, args []any) {
		for i, v := range download[float32](d, args[0].(gpu.Ptr), len(x)) {
			if relu := download[uint32](d, args[2].(gpu.Ptr), len(x))[i] & 0x7fff; v != want[i] && !(v != v && want[i] != want[i] && relu > 0x7c00) {
				t.Fatalf("%g becomes %g, and %#x after a ReLU, want %g", x[i], v, relu, want[i])
			}
		}
	})
}

// TestWordCopies copies asynchronously through two buffers, whole and with rows beyond the end.
func TestWordCopies(t *testing.T) {
	for _, n := range []int{4, 256, 260, 1020} {
		x := simple(n, n)
		args := func(d *device) []any { return []any{d.alloc(4 * n), d.upload(raw(x)), int32(n)} }
		word(t, "vocabulary_copy", gpu.Line(1, 64, 2048), args, func(d *device, args []any) {
			for i, v := range download[float32](d, args[0].(gpu.Ptr), n) {
				if v != x[i] {
					t.Fatalf("n %d: %d is %g, want %g", n, i, v, x[i])
				}
			}
		})
	}
}

func TestWordAtomics(t *testing.T) {
	const n = 300
	args := func(d *device) []any {
		return []any{d.upload(raw([]int32{0, 1 << 30})), d.upload(raw([]uint64{0})), int32(n)}
	}
	word(t, "vocabulary_atomic", gpu.Line(2, 256, 0), args, func(d *device, args []any) {
		got, large := download[int32](d, args[0].(gpu.Ptr), 2), download[uint64](d, args[1].(gpu.Ptr), 1)
		if got[0] != n*(n-1)/2 || got[1] != 0 || large[0] != n<<33 {
			t.Fatal(got, large)
		}
	})
}

// TestWordNumbers allows a few roundings of float32.
func TestWordNumbers(t *testing.T) {
	a, b := 2.7182818, 0.7109375
	want := []float64{
		a*b + 1, a + b + 4 + 3, math.Exp(a) + math.Log(a) + math.Log1p(a) + math.Sqrt(a) + b,
		3, a + 1, 2.71875, 2*a + 3*b + 4 + 6 + 8, 0,
	}
	args := func(d *device) []any {
		return []any{d.alloc(4 * len(want)), d.upload(raw([]float32{float32(a), float32(b)}))}
	}
	word(t, "vocabulary_numbers", gpu.Line(1, 1, 0), args, func(d *device, args []any) {
		for i, v := range download[float32](d, args[0].(gpu.Ptr), len(want)) {
			if !(math.Abs(float64(v)-want[i]) <= 1e-6*(1+math.Abs(want[i]))) {
				t.Fatalf("number %d is %g, want %g", i, v, want[i])
			}
		}
	})
}
