package simd

// AdamStep is what one of Adam's updates needs beside its vectors, in the order that the kernels read it.
type AdamStep struct {
	Rate         float32 // the learning rate over the first moment's bias correction
	Root         float32 // of the second moment's bias correction
	Beta1, Rest1 float32 // β₁ and 1−β₁
	Beta2, Rest2 float32
	Decay        float32 // L2 penalty
	Epsilon      float32
}

// Adam makes one update of parameters and moments, all of one length. done is false where the plain Go kernels are active:
// they leave the update to the caller, whose loop Adam follows bit for bit. finite is false if a result is NaN or infinite.
//
//	g = grads + Decay·params, m = Beta1·m + Rest1·g, v = Beta2·v + Rest2·g·g, params -= Rate·m / (√v/Root + Epsilon)
//
// with 0 for parameters and first moments below 1e-30 and second moments below 1e-37 in size. NaN stays NaN.
func Adam(params, m, v, grads []float32, step AdamStep) (done, finite bool) {
	equal(params, m)
	equal(params, v)
	equal(params, grads)
	if active == portable {
		return false, false
	}
	return true, len(params) == 0 || active.adam(params, m, v, grads, step) == 0
}
