package simd

import "golang.org/x/sys/cpu"

// available returns the sets that the machine can run, the best first.
func available() []set {
	var sets []set
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

func (s set) multiply(t *product) {
	if s == portable {
		t.portable()
		return
	}
	var y *float32
	if t.y.Data != nil {
		y = &t.y.Data[0]
	}
	a, b, from, c, m := &t.a.Data[0], &t.b[0], &t.from.Data[0], &t.c.Data[0], mask(t.columns)
	lda, ldf, ldc, ldy := t.a.Stride, t.from.Stride, t.c.Stride, t.y.Stride
	next, step := t.ahead.take(s.turns(t.m, t.k), a)
	switch {
	case s == avx2:
		multiplyAVX2x2(t.m, a, lda, b, t.k, from, ldf, c, ldc, y, ldy, t.floor, m, next, step)
	case t.width == 32:
		multiplyAVX512x2(t.m, a, lda, b, t.k, from, ldf, c, ldc, y, ldy, t.floor, m, next, step)
	default:
		multiplyAVX512x1(t.m, a, lda, b, t.k, from, ldf, c, ldc, y, ldy, t.floor, m, next, step)
	}
}

// multiplyStrided computes c = a·b for one strip: a [m, k], b [k, columns], c [m, columns].
func (s set) multiplyStrided(m, k, columns int, a, b, c Matrix) {
	p, q, r, rest := &a.Data[0], &b.Data[0], &c.Data[0], mask(columns)
	switch {
	case s == avx2:
		multiplyStridedAVX2x2(m, p, a.Stride, q, b.Stride, k, r, c.Stride, rest)
	case columns > 16:
		multiplyStridedAVX512x2(m, p, a.Stride, q, b.Stride, k, r, c.Stride, rest)
	default:
		multiplyStridedAVX512x1(m, p, a.Stride, q, b.Stride, k, r, c.Stride, rest)
	}
}

// turn writes the transpose of a [rows, n], at most 8 rows, to dst [n, 8].
func (set) turn(rows, n int, a, dst Matrix) {
	a.check("A", rows, n)
	dst.check("transpose", n, turnRows)
	turnAVX2(rows, n, &a.Data[0], a.Stride, &dst.Data[0], dst.Stride, mask(rows), mask(n%turnRows))
}

// narrowKernels are by columns.
var narrowKernels = [...][narrowColumns]func(m int, a *float32, lda int, b *float32, k int, from *float32, ldf int, c *float32, ldc int, floor float32, mask *int32){
	avx512: {narrowAVX512x1, narrowAVX512x2, narrowAVX512x3, narrowAVX512x4},
	avx2:   {narrowAVX2x1, narrowAVX2x2, narrowAVX2x3, narrowAVX2x4},
}

// narrow computes a product with a narrow matrix.
func (s set) narrow(t *product) {
	narrowKernels[s][t.columns-1](t.m, &t.a.Data[0], t.a.Stride, &t.b[0], t.k, &t.from.Data[0], t.from.Stride,
		&t.c.Data[0], t.c.Stride, t.floor, mask(t.k%narrowLanes))
	t.applyMask()
}

// turns returns the number of cache lines that a kernel can fetch while it computes a strip of the
// given rows, each element a sum of the given number of products.
func (s set) turns(rows, sums int) int {
	block := 12
	if s == avx2 {
		block = 6
	}
	return (rows + block - 1) / block * (sums / 4)
}

// transposeMultiply computes one strip of columns.
func (s set) transposeMultiply(t *transposed) {
	if s == portable {
		t.portable()
		return
	}
	a, b, c, m := &t.a.Data[0], &t.b.Data[0], &t.c.Data[0], mask(t.n)
	lda, ldb, ldc := t.a.Stride, t.b.Stride, t.c.Stride
	next, step := t.ahead.take(s.turns(t.k, t.m), a)
	switch {
	case s == avx2:
		transposeMultiplyAVX2x2(t.k, t.m, a, lda, b, ldb, c, ldc, m, next, step)
	case t.n > 16:
		transposeMultiplyAVX512x2(t.k, t.m, a, lda, b, ldb, c, ldc, m, next, step)
	default:
		transposeMultiplyAVX512x1(t.k, t.m, a, lda, b, ldb, c, ldc, m, next, step)
	}
}

// sumRows sums as many of the first columns as one kernel call can, and returns their number.
func (s set) sumRows(dst []float32, of Matrix, m, n int) int {
	a, lda, lanes := of.Data, of.Stride, 16
	if s == avx2 {
		lanes = 8
	}
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

// rest returns the mask of the elements beyond the last whole vector.
func (s set) rest(n int) *int32 {
	if s == avx512 {
		return mask(n % 16)
	}
	return mask(n % 8)
}

func (s set) axpy(alpha float32, x, y []float32) {
	switch s {
	case avx512:
		axpyAVX512(alpha, &x[0], &y[0], len(x), s.rest(len(x)))
	case avx2:
		axpyAVX2(alpha, &x[0], &y[0], len(x), s.rest(len(x)))
	default:
		portableAxpy(alpha, x, y)
	}
}

func (s set) flush(dst, x []float32) {
	switch s {
	case avx512:
		flushAVX512(&dst[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		flushAVX2(&dst[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableFlush(dst, x)
	}
}

func (s set) round(dst, x []float32) {
	switch s {
	case avx512:
		roundAVX512(&dst[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		roundAVX2(&dst[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableRound(dst, x)
	}
}

func (s set) add(m, n int, a, b, c Matrix) {
	switch s {
	case avx512:
		addRowsAVX512(m, n, &a.Data[0], a.Stride, &b.Data[0], b.Stride, &c.Data[0], c.Stride, mask(n%16))
	case avx2:
		addRowsAVX2(m, n, &a.Data[0], a.Stride, &b.Data[0], b.Stride, &c.Data[0], c.Stride, mask(n%16))
	default:
		portableAdd(m, n, a, b, c)
	}
}

func (s set) dot(x, y []float32) float32 {
	switch s {
	case avx512:
		return dotAVX512(&x[0], &y[0], len(x), s.rest(len(x)))
	case avx2:
		return dotAVX2(&x[0], &y[0], len(x), s.rest(len(x)))
	default:
		return portableDot(x, y)
	}
}

func (s set) exp(dst, x []float32) {
	switch s {
	case avx512:
		expAVX512(&dst[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		expAVX2(&dst[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableExp(dst, x)
	}
}

func (s set) log(dst, x []float32) {
	switch s {
	case avx512:
		logAVX512(&dst[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		logAVX2(&dst[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableLog(dst, x)
	}
}

func (s set) softplusSigmoid(dst, slope, x []float32) {
	switch s {
	case avx512:
		softplusSigmoidAVX512(&dst[0], &slope[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		softplusSigmoidAVX2(&dst[0], &slope[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableSoftplusSigmoid(dst, slope, x)
	}
}

func (s set) greatest(x []float32) float32 {
	switch s {
	case avx512:
		return greatestAVX512(&x[0], len(x), s.rest(len(x)))
	case avx2:
		return greatestAVX2(&x[0], len(x), s.rest(len(x)))
	default:
		return portableGreatest(x)
	}
}

func (s set) expSum(dst, x []float32, scale, shift float32) float32 {
	switch s {
	case avx512:
		return expSumAVX512(&dst[0], &x[0], scale, shift, len(x), s.rest(len(x)))
	case avx2:
		return expSumAVX2(&dst[0], &x[0], scale, shift, len(x), s.rest(len(x)))
	default:
		return portableExpSum(dst, x, scale, shift)
	}
}

func (s set) softmaxRows(m, n int, x Matrix, scale float32, inverse []float32) {
	switch s {
	case avx512:
		softmaxRowsAVX512(m, n, &x.Data[0], x.Stride, scale, &inverse[0], mask(n%16))
	case avx2:
		softmaxRowsAVX2(m, n, &x.Data[0], x.Stride, scale, &inverse[0], mask(n%16))
	default:
		portableSoftmaxRows(m, n, x, scale, inverse)
	}
}

func (s set) softmaxGradRows(m, n int, x, terms Matrix, scale float32, inverse []float32) {
	switch s {
	case avx512:
		softmaxGradRowsAVX512(m, n, &x.Data[0], x.Stride, &terms.Data[0], terms.Stride, &inverse[0], scale, s.rest(n), mask(n%16))
	case avx2:
		softmaxGradRowsAVX2(m, n, &x.Data[0], x.Stride, &terms.Data[0], terms.Stride, &inverse[0], scale, s.rest(n), mask(n%16))
	default:
		portableSoftmaxGradRows(m, n, x, terms, scale, inverse)
	}
}

func (s set) scaleRows(m, n int, factors []float32, x, y Matrix) {
	switch s {
	case avx512:
		scaleRowsAVX512(m, n, &factors[0], &x.Data[0], x.Stride, &y.Data[0], y.Stride, mask(n%16))
	case avx2:
		scaleRowsAVX2(m, n, &factors[0], &x.Data[0], x.Stride, &y.Data[0], y.Stride, mask(n%16))
	default:
		portableScaleRows(m, n, factors, x, y)
	}
}

func (s set) normalise(m, n int, norm Norm, x, y Matrix) {
	gain, shift, count, rest := &norm.Gain[0], &norm.Shift[0], float32(n), mask(n%16)
	switch s {
	case avx512:
		normaliseAVX512(m, n, &x.Data[0], x.Stride, gain, shift, &y.Data[0], y.Stride, count, norm.Epsilon, rest)
	case avx2:
		normaliseAVX2(m, n, &x.Data[0], x.Stride, gain, shift, &y.Data[0], y.Stride, count, norm.Epsilon, rest)
	default:
		portableNormalise(m, n, norm, x, y)
	}
}

func (s set) normaliseGrad(m, n int, norm Norm, g, x Matrix, to NormGrad) {
	gain, count, rest, dx := &norm.Gain[0], float32(n), mask(n%16), &to.X.Data[0]
	switch s {
	case avx512:
		normaliseGradAVX512(m, n, &g.Data[0], g.Stride, &x.Data[0], x.Stride, gain, dx, to.X.Stride, &to.Gain[0], &to.Shift[0], count, norm.Epsilon, rest)
	case avx2:
		normaliseGradAVX2(m, n, &g.Data[0], g.Stride, &x.Data[0], x.Stride, gain, dx, to.X.Stride, &to.Gain[0], &to.Shift[0], count, norm.Epsilon, rest)
	default:
		portableNormaliseGrad(m, n, norm, g, x, to)
	}
}

func (s set) adam(params, m, v, grads []float32, step AdamStep) float32 {
	n, rest := len(params), s.rest(len(params))
	if s == avx512 {
		return adamAVX512(&params[0], &m[0], &v[0], &grads[0], n, rest, &step.Rate)
	}
	return adamAVX2(&params[0], &m[0], &v[0], &grads[0], n, rest, &step.Rate)
}

func (s set) fmaPeak(n int) float64 {
	const perLane = 2 * 12 * 2
	switch s {
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
