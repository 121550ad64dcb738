package simd

// AdamStep holds the scalars of one update, in the order in which the kernels read them.
type AdamStep struct {
	Rate         float32 // the learning rate over the first moment's bias correction
	Root         float32 // the square root of the second moment's bias correction
	Beta1, Rest1 float32 // β₁ and 1−β₁
	Beta2, Rest2 float32
	Decay        float32 // L2 penalty
	Epsilon      float32
}

// Adam makes one update of the parameters and the moments m and v, all of equal length. If the
// plain Go kernels are active, it does nothing and done is false: the caller then updates in its
// own loop. The other kernels give the same bits as that loop. finite is false if a result is a NaN
// or an infinity.
//
//	g = grads + Decay·params, m = Beta1·m + Rest1·g, v = Beta2·v + Rest2·g·g, params -= Rate·m / (√v/Root + Epsilon)
//
// Parameters and first moments below 1e-30 in absolute value and second moments below 1e-37 become
// 0. NaN stays NaN.
func Adam(params, m, v, grads []float32, step AdamStep) (done, finite bool) {
	equal(params, m)
	equal(params, v)
	equal(params, grads)
	if active == portable {
		return false, false
	}
	return true, len(params) == 0 || adam(params, m, v, grads, step) == 0
}
