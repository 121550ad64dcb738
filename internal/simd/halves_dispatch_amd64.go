package simd

import "golang.org/x/sys/cpu"

// halves is true if bfloat16 numbers are multiplied by AVX512_BF16 wherever AVX-512 runs.
var halves = active == avx512 && hasHalves

var hasHalves = cpu.X86.HasAVX512BF16 && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512F

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

// sumPairs sums m pairs of rows.
func sumPairs(dst []float32, a Matrix, m, n int) {
	for j := 0; j < n; j += 16 {
		sumHalves(m, &a.Data[j], a.Stride, &dst[j], mask(min(16, n-j)))
	}
}

// multiplyHalves computes one strip of columns.
func (t *transposed) multiplyHalves() {
	a := &t.a.Data[0]
	next, step := t.ahead.take(active.turns(t.k, t.m), a)
	transposeMultiplyHalves(t.k, t.m, a, t.a.Stride, &t.b.Data[0], t.b.Stride, &t.c.Data[0], t.c.Stride, mask(t.n), next, step)
}

// multiplyPairs computes a product by groups of rows, each group strip by strip.
func (p *PackedHalves) multiplyPairs(t *HalfProduct) {
	k := (p.k + 1) / 2
	most := max(mostPerCall/(k*halfStrip)/12, 1) * 12
	for i0 := 0; i0 < t.M; i0 += most {
		for j0 := 0; j0 < p.n; j0 += halfStrip {
			p.strip(t, i0, min(most, t.M-i0), j0, k)
		}
	}
}

// strip computes m rows from i0 on of the strip that begins at column j0. i0 is even. Operands that the
// product does not have are nil.
func (p *PackedHalves) strip(t *HalfProduct, i0, m, j0, k int) {
	from, least := Rows(zeros[:], 0), floor(Overwrite)
	if t.ReLU {
		least = 0
	}
	if t.Start.Data != nil {
		from = t.Start.Slice(i0, j0)
	}
	var y, c, pairs *float32
	if t.Where.exists() {
		y = &t.Where.rows.Slice(i0, j0/2).Data[0]
	}
	ldc := t.C.Stride
	if t.To.exists() {
		c, ldc, pairs = &t.To.rows.Slice(i0, j0/2).Data[0], t.To.rows.Stride, &t.To.pairs.Slice(i0/2, j0).Data[0]
	} else {
		c = &t.C.Slice(i0, j0).Data[0]
	}
	a, columns := &t.A.rows.Slice(i0, 0).Data[0], min(halfStrip, p.n-j0)
	next, step := t.Ahead.take(active.turns(m, k), a)
	multiplyHalves(m, a, t.A.rows.Stride, &p.pairs[j0*k], k, &from.Data[0], from.Stride, c, ldc, pairs, t.To.pairs.Stride,
		y, t.Where.rows.Stride, least, mask(columns), endHalf(columns), next, step)
}
