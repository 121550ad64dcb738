package simd

import "golang.org/x/sys/cpu"

// available are the sets that the machine can run, the best first.
func available() []path {
	var sets []path
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

// masks begin with as many -1 as the widest panel has columns; masks[32-w:] is the mask of w columns.
var masks = func() (m [64]int32) {
	for i := range 32 {
		m[i] = -1
	}
	return m
}()

func mask(columns int) *int32 { return &masks[32-columns] }

func (p path) multiply(t *product) {
	if p == portable {
		t.portable()
		return
	}
	var y *float32
	if t.y != nil {
		y = &t.y[0]
	}
	a, b, from, c, m := &t.a[0], &t.b[0], &t.from[0], &t.c[0], mask(t.columns)
	next, step := t.ahead.take(p.turns(t.m, t.k), a)
	switch {
	case p == avx2:
		multiplyAVX2x2(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, y, t.ldy, t.floor, m, next, step)
	case t.width == 32:
		multiplyAVX512x2(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, y, t.ldy, t.floor, m, next, step)
	default:
		multiplyAVX512x1(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, y, t.ldy, t.floor, m, next, step)
	}
}

// narrow is a product with a narrow matrix.
func (p path) narrow(t *product) {
	a, b, from, c, m := &t.a[0], &t.b[0], &t.from[0], &t.c[0], mask(t.k%narrowLanes)
	switch {
	case p == avx512 && t.columns == 1:
		narrowAVX512x1(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, t.floor, m)
	case p == avx512 && t.columns == 2:
		narrowAVX512x2(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, t.floor, m)
	case p == avx512 && t.columns == 3:
		narrowAVX512x3(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, t.floor, m)
	case p == avx512:
		narrowAVX512x4(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, t.floor, m)
	case t.columns == 1:
		narrowAVX2x1(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, t.floor, m)
	case t.columns == 2:
		narrowAVX2x2(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, t.floor, m)
	case t.columns == 3:
		narrowAVX2x3(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, t.floor, m)
	default:
		narrowAVX2x4(t.m, a, t.lda, b, t.k, from, t.ldf, c, t.ldc, t.floor, m)
	}
	t.mask()
}

// turns is how often a kernel that sums for so many rows, so many products each, fetches a line.
func (p path) turns(rows, sums int) int {
	block := 12
	if p == avx2 {
		block = 6
	}
	return (rows + block - 1) / block * (sums / 4)
}

// transposeMultiply does one panel of columns.
func (p path) transposeMultiply(m, k, columns int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, ahead *Ahead) {
	if p == portable {
		portableTransposeMultiply(m, k, columns, a, lda, b, ldb, c, ldc)
		return
	}
	next, step := ahead.take(p.turns(k, m), &a[0])
	switch {
	case p == avx2:
		transposeMultiplyAVX2x2(k, m, &a[0], lda, &b[0], ldb, &c[0], ldc, mask(columns), next, step)
	case columns > 16:
		transposeMultiplyAVX512x2(k, m, &a[0], lda, &b[0], ldb, &c[0], ldc, mask(columns), next, step)
	default:
		transposeMultiplyAVX512x1(k, m, &a[0], lda, &b[0], ldb, &c[0], ldc, mask(columns), next, step)
	}
}

// sumRows does as many of the n columns as one kernel takes, and says how many.
func (p path) sumRows(dst, a []float32, m, n, lda int) int {
	lanes := 16
	if p == avx2 {
		lanes = 8
	}
	switch {
	case p == portable:
		portableSumRows(dst, a, m, n, lda)
		return n
	case p == avx512 && n >= 8*lanes:
		sumRowsAVX512x8(m, &a[0], lda, &dst[0])
		return 8 * lanes
	case p == avx512 && n >= 2*lanes:
		sumRowsAVX512x2(m, &a[0], lda, &dst[0])
		return 2 * lanes
	case p == avx512:
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

// rest is the mask of the elements beyond the last whole vector.
func (p path) rest(n int) *int32 {
	if p == avx512 {
		return mask(n % 16)
	}
	return mask(n % 8)
}

func (p path) axpy(alpha float32, x, y []float32) {
	switch p {
	case avx512:
		axpyAVX512(alpha, &x[0], &y[0], len(x), p.rest(len(x)))
	case avx2:
		axpyAVX2(alpha, &x[0], &y[0], len(x), p.rest(len(x)))
	default:
		portableAxpy(alpha, x, y)
	}
}

func (p path) dot(x, y []float32) float32 {
	switch p {
	case avx512:
		return dotAVX512(&x[0], &y[0], len(x), p.rest(len(x)))
	case avx2:
		return dotAVX2(&x[0], &y[0], len(x), p.rest(len(x)))
	default:
		return portableDot(x, y)
	}
}

func (p path) exp(dst, x []float32) {
	switch p {
	case avx512:
		expAVX512(&dst[0], &x[0], len(x), p.rest(len(x)))
	case avx2:
		expAVX2(&dst[0], &x[0], len(x), p.rest(len(x)))
	default:
		portableExp(dst, x)
	}
}

func (p path) log(dst, x []float32) {
	switch p {
	case avx512:
		logAVX512(&dst[0], &x[0], len(x), p.rest(len(x)))
	case avx2:
		logAVX2(&dst[0], &x[0], len(x), p.rest(len(x)))
	default:
		portableLog(dst, x)
	}
}

func (p path) softplusSigmoid(dst, slope, x []float32) {
	switch p {
	case avx512:
		softplusSigmoidAVX512(&dst[0], &slope[0], &x[0], len(x), p.rest(len(x)))
	case avx2:
		softplusSigmoidAVX2(&dst[0], &slope[0], &x[0], len(x), p.rest(len(x)))
	default:
		portableSoftplusSigmoid(dst, slope, x)
	}
}

func (p path) greatest(x []float32) float32 {
	switch p {
	case avx512:
		return greatestAVX512(&x[0], len(x), p.rest(len(x)))
	case avx2:
		return greatestAVX2(&x[0], len(x), p.rest(len(x)))
	default:
		return portableGreatest(x)
	}
}

func (p path) expSum(dst, x []float32, scale, shift float32) float32 {
	switch p {
	case avx512:
		return expSumAVX512(&dst[0], &x[0], scale, shift, len(x), p.rest(len(x)))
	case avx2:
		return expSumAVX2(&dst[0], &x[0], scale, shift, len(x), p.rest(len(x)))
	default:
		return portableExpSum(dst, x, scale, shift)
	}
}

func (p path) softmaxGrad(dst, terms []float32, mean, scale float32) {
	switch p {
	case avx512:
		softmaxGradAVX512(&dst[0], &terms[0], mean, scale, len(dst), p.rest(len(dst)))
	case avx2:
		softmaxGradAVX2(&dst[0], &terms[0], mean, scale, len(dst), p.rest(len(dst)))
	default:
		portableSoftmaxGrad(dst, terms, mean, scale)
	}
}

func (p path) adam(params, m, v, grads []float32, step AdamStep) float32 {
	n, rest := len(params), p.rest(len(params))
	if p == avx512 {
		return adamAVX512(&params[0], &m[0], &v[0], &grads[0], n, rest, &step.Rate)
	}
	return adamAVX2(&params[0], &m[0], &v[0], &grads[0], n, rest, &step.Rate)
}

func (p path) fmaPeak(n int) float64 {
	const perLane = 2 * 12 * 2
	switch p {
	case avx512:
		fmaPeakAVX512(n)
		return float64(n) * perLane * 16
	case avx2:
		fmaPeakAVX2(n)
		return float64(n) * perLane * 8
	default:
		return portablePeak(n)
	}
}
