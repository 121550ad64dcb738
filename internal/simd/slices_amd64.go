package simd

// Functions of slices choose their kernel by name. Through a field of a set, the compiler could not see
// that slices stay on their caller's stack.

// rest returns the mask of the elements beyond the last whole vector.
func (s *set) rest(n int) *int32 { return mask(n & (s.lanes - 1)) }

func (s *set) axpy(alpha float32, x, y []float32) {
	switch s {
	case avx512:
		axpyAVX512(alpha, &x[0], &y[0], len(x), s.rest(len(x)))
	case avx2:
		axpyAVX2(alpha, &x[0], &y[0], len(x), s.rest(len(x)))
	default:
		portableAxpy(alpha, x, y)
	}
}

func (s *set) dot(x, y []float32) float32 {
	switch s {
	case avx512:
		return dotAVX512(&x[0], &y[0], len(x), s.rest(len(x)))
	case avx2:
		return dotAVX2(&x[0], &y[0], len(x), s.rest(len(x)))
	default:
		return portableDot(x, y)
	}
}

func (s *set) flush(dst, x []float32) {
	switch s {
	case avx512:
		flushAVX512(&dst[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		flushAVX2(&dst[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableFlush(dst, x)
	}
}

func (s *set) round(dst, x []float32) {
	switch s {
	case avx512:
		roundAVX512(&dst[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		roundAVX2(&dst[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableRound(dst, x)
	}
}

func (s *set) exp(dst, x []float32) {
	switch s {
	case avx512:
		expAVX512(&dst[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		expAVX2(&dst[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableExp(dst, x)
	}
}

func (s *set) log(dst, x []float32) {
	switch s {
	case avx512:
		logAVX512(&dst[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		logAVX2(&dst[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableLog(dst, x)
	}
}

func (s *set) softplusSigmoid(dst, slope, x []float32) {
	switch s {
	case avx512:
		softplusSigmoidAVX512(&dst[0], &slope[0], &x[0], len(x), s.rest(len(x)))
	case avx2:
		softplusSigmoidAVX2(&dst[0], &slope[0], &x[0], len(x), s.rest(len(x)))
	default:
		portableSoftplusSigmoid(dst, slope, x)
	}
}

func (s *set) greatest(x []float32) float32 {
	switch s {
	case avx512:
		return greatestAVX512(&x[0], len(x), s.rest(len(x)))
	case avx2:
		return greatestAVX2(&x[0], len(x), s.rest(len(x)))
	default:
		return portableGreatest(x)
	}
}

func (s *set) expSum(dst, x []float32, scale, shift float32) float32 {
	switch s {
	case avx512:
		return expSumAVX512(&dst[0], &x[0], scale, shift, len(x), s.rest(len(x)))
	case avx2:
		return expSumAVX2(&dst[0], &x[0], scale, shift, len(x), s.rest(len(x)))
	default:
		return portableExpSum(dst, x, scale, shift)
	}
}

func (s *set) exps(dst, x []float64) {
	switch s {
	case avx512:
		expsAVX512(&dst[0], &x[0], len(x))
	case avx2:
		expsAVX2(&dst[0], &x[0], len(x))
	default:
		portableExps(dst, x)
	}
}

func (s *set) logistic(exps, logs, x []float64) {
	switch s {
	case avx512:
		logisticAVX512(&exps[0], &logs[0], &x[0], len(x))
	case avx2:
		logisticAVX2(&exps[0], &logs[0], &x[0], len(x))
	default:
		portableLogistic(exps, logs, x)
	}
}

func (s *set) adam(params, m, v, grads []float32, step AdamStep) float32 {
	n, rest := len(params), s.rest(len(params))
	if s == avx512 {
		return adamAVX512(&params[0], &m[0], &v[0], &grads[0], n, rest, &step.Rate)
	}
	return adamAVX2(&params[0], &m[0], &v[0], &grads[0], n, rest, &step.Rate)
}
