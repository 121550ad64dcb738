package simd

import "golang.org/x/sys/cpu"

// available returns the sets that the machine can run, the best first.
func available() []*set {
	var sets []*set
	if hasTiles {
		sets = append(sets, amx)
	}
	if cpu.X86.HasAVX512F {
		sets = append(sets, avx512)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, avx2)
	}
	return append(sets, portable)
}

// masks begins with a -1 for each column of the widest strip, so masks[32-w:] is the mask of w
// columns.
var masks = func() (m [64]int32) {
	for i := range 32 {
		m[i] = -1
	}
	return m
}()

func mask(columns int) *int32 { return &masks[32-columns] }

func (s *set) multiply(t *product) {
	if s == portable {
		t.portable()
		return
	}
	var y *float32
	if t.y.Data != nil {
		y = &t.y.Data[0]
	}
	kernel := multiplyAVX512x1
	if s == avx2 {
		kernel = multiplyAVX2x2
	} else if t.width == 32 {
		kernel = multiplyAVX512x2
	}
	a := &t.a.Data[0]
	next, step := t.ahead.take(s.turns(t.m, t.k), a)
	kernel(t.m, a, t.a.Stride, &t.b[0], t.k, &t.from.Data[0], t.from.Stride, &t.c.Data[0], t.c.Stride,
		y, t.y.Stride, t.floor, mask(t.columns), next, step)
}

// multiplyStrided computes c = a·b for one strip: a [m, k], b [k, columns], c [m, columns].
func (s *set) multiplyStrided(m, k, columns int, a, b, c Matrix) {
	kernel := multiplyStridedAVX512x1
	if s == avx2 {
		kernel = multiplyStridedAVX2x2
	} else if columns > 16 {
		kernel = multiplyStridedAVX512x2
	}
	kernel(m, &a.Data[0], a.Stride, &b.Data[0], b.Stride, k, &c.Data[0], c.Stride, mask(columns))
}

// turn writes the transpose of a [rows, n], at most 8 rows, to dst [n, 8].
func (*set) turn(rows, n int, a, dst Matrix) {
	a.check("A", rows, n)
	dst.check("transpose", n, turnRows)
	turnAVX2(rows, n, &a.Data[0], a.Stride, &dst.Data[0], dst.Stride, mask(rows), mask(n%turnRows))
}

// narrowKernels are by columns, of AVX2 and of AVX-512.
var narrowKernels = [narrowColumns][2]func(m int, a *float32, lda int, b *float32, k int, from *float32, ldf int,
	c *float32, ldc int, floor float32, mask *int32){
	{narrowAVX2x1, narrowAVX512x1}, {narrowAVX2x2, narrowAVX512x2}, {narrowAVX2x3, narrowAVX512x3}, {narrowAVX2x4, narrowAVX512x4},
}

// narrow computes a product with a narrow matrix.
func (s *set) narrow(t *product) {
	narrowKernels[t.columns-1][s.lanes/16](t.m, &t.a.Data[0], t.a.Stride, &t.b[0], t.k, &t.from.Data[0], t.from.Stride,
		&t.c.Data[0], t.c.Stride, t.floor, mask(t.k%narrowLanes))
	t.applyMask()
}

// turns returns the number of cache lines that a kernel can fetch while it computes a strip of the
// given rows, each element a sum of the given number of products.
func (s *set) turns(rows, sums int) int {
	block := s.lanes / 4 * 3
	return (rows + block - 1) / block * (sums / 4)
}

// transposeMultiply computes one strip of columns.
func (s *set) transposeMultiply(t *transposed) {
	if s == portable {
		t.portable()
		return
	}
	kernel := transposeMultiplyAVX512x1
	if s == avx2 {
		kernel = transposeMultiplyAVX2x2
	} else if t.n > 16 {
		kernel = transposeMultiplyAVX512x2
	}
	a := &t.a.Data[0]
	next, step := t.ahead.take(s.turns(t.k, t.m), a)
	kernel(t.k, t.m, a, t.a.Stride, &t.b.Data[0], t.b.Stride, &t.c.Data[0], t.c.Stride, mask(t.n), next, step)
}

// sumRows sums as many of the first columns as one kernel call can, and returns their number.
func (s *set) sumRows(dst []float32, of Matrix, m, n int) int {
	a, lda, lanes := of.Data, of.Stride, s.lanes
	switch {
	case s == portable:
		portableSumRows(dst, of, m, n)
		return n
	case s == avx512 && n >= 8*lanes:
		sumRowsAVX512x8(m, &a[0], lda, &dst[0])
		return 8 * lanes
	case s == avx512 && n >= 2*lanes:
		sumRowsAVX512x2(m, &a[0], lda, &dst[0])
		return 2 * lanes
	case s == avx512:
		sumRowsAVX512x1(m, &a[0], lda, &dst[0], mask(min(n, lanes)))
		return min(n, lanes)
	case n >= 8*lanes:
		sumRowsAVX2x8(m, &a[0], lda, &dst[0])
		return 8 * lanes
	case n >= 2*lanes:
		sumRowsAVX2x2(m, &a[0], lda, &dst[0])
		return 2 * lanes
	default:
		sumRowsAVX2x1(m, &a[0], lda, &dst[0], mask(min(n, lanes)))
		return min(n, lanes)
	}
}
