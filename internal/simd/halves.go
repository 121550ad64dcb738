package simd

import "golang.org/x/sys/cpu"

// Halves is a matrix [m, n] of bfloat16 numbers, as products of precision bf16 read and write them. It has
// the memory of a float32 matrix with an even number of rows. On processors with AVX512_BF16, this memory
// holds each number twice: by rows, for products that sum over columns, and as pairs of rows, for products
// that sum over rows. Two numbers share a float32's place, the later one in the low half. The padding of
// rows of odd length, and of an odd last row, is 0. On other processors, the memory holds float32 numbers
// with bfloat16 values.
type Halves struct{ rows, pairs Matrix }

// halves is true if bfloat16 numbers are multiplied by AVX512_BF16 wherever AVX-512 runs.
var halves = active == avx512 && hasHalves

var hasHalves = cpu.X86.HasAVX512BF16 && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512F

// MakeHalves returns the matrix of at most m rows in data, of HalvesSize(m, stride) floats. The stride is
// at least the number of columns.
func MakeHalves(data []float32, m, stride int) Halves {
	if !halves {
		return Halves{rows: Rows(data, stride)}
	}
	even, perRow := (m+1)/2*2, (stride+1)/2
	return Halves{rows: Rows(data[:even*perRow], perRow), pairs: Rows(data[even*perRow:], stride)}
}

// HasHalves reports whether the processor multiplies bfloat16 numbers. Where it does not, products take as
// long as those of float32 numbers, plus the time for rounding.
func HasHalves() bool { return halves }

// HalvesSize returns the number of floats of a matrix of m rows.
func HalvesSize(m, stride int) int { return (m + 1) / 2 * 2 * ((stride + 1) / 2 * 2) }

// exists reports whether h is a matrix, not the zero Halves.
func (h Halves) exists() bool { return h.rows.Data != nil }

// Halve rounds A [m, n] to the nearest bfloat16, or to the even one of two equally near. Denormal
// numbers become zeros. m may be 0. A must not share memory with h.
func Halve(m, n int, a Matrix, h Halves) {
	if m == 0 {
		return
	}
	a.check("A", m, n)
	if !halves {
		h.rows.check("halves", m, n)
		for i := range m {
			round(h.rows.row(i, n), a.row(i, n))
		}
		return
	}
	h.check(m, n)
	for i := 0; i < m; i += 2 {
		halveRows(a, h, i, m, n)
	}
}

// check panics unless the memory holds an [m, n] matrix by rows and by pairs.
func (h Halves) check(m, n int) {
	h.rows.check("halves", m, (n+1)/2)
	h.pairs.check("pairs of halves", (m+1)/2, n)
}

// SumHalves computes dst[n] += the sum of the rows of A [m, n]. m may be 0.
func SumHalves(dst []float32, a Halves, m, n int) {
	if m == 0 {
		return
	}
	if !halves {
		SumRows(dst, a.rows, m, n)
		return
	}
	a.check(m, n)
	Rows(dst, n).check("sum", 1, n)
	for j := 0; j < n; j += 16 {
		sumHalves((m+1)/2, min(16, n-j), a.pairs.Slice(0, j), dst[j:])
	}
}

// TransposeMultiplyHalves computes C[k, n] += Aᵀ·B with A [m, k] and B [m, n], as TransposeMultiply
// does.
func TransposeMultiplyHalves(m, k, n int, a, b Halves, c Matrix, ahead *Ahead) {
	switch {
	case m == 0:
		return
	case !halves:
		TransposeMultiply(m, k, n, a.rows, b.rows, c, ahead)
		return
	}
	a.check(m, k)
	b.check(m, n)
	c.check("C", k, n)
	pairs := (m + 1) / 2
	part := transposed{k: k, ahead: ahead}
	for i0 := 0; i0 < pairs; i0 += chunkRows / 2 {
		part.m, part.a = min(chunkRows/2, pairs-i0), a.pairs.Slice(i0, 0)
		for j0 := 0; j0 < n; j0 += halfStrip {
			part.n, part.b, part.c = min(halfStrip, n-j0), b.pairs.Slice(i0, j0), c.Slice(0, j0)
			transposeMultiplyHalves(&part)
		}
	}
}

// halfStrip is the number of columns that a kernel multiplies at a time.
const halfStrip = 32

// endHalf returns the mask of the elements of a row of at most 32 bfloat16 numbers.
func endHalf(columns int) *int32 { return mask((columns + 1) / 2) }

// halveRows rounds rows i and i+1 of a [m, n], if both are there.
func halveRows(a Matrix, h Halves, i, m, n int) {
	var second, below *float32
	if i+1 < m {
		second, below = &a.Data[(i+1)*a.Stride], &h.rows.Data[(i+1)*h.rows.Stride]
	}
	last := (n-1)%halfStrip + 1
	halve(n, &a.Data[i*a.Stride], second, &h.rows.Data[i*h.rows.Stride], below, &h.pairs.Data[i/2*h.pairs.Stride], mask(last), endHalf(last))
}
