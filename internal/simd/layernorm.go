package simd

// Norm is a layer norm of rows with n columns, y = (x−mean)/√(variance+Epsilon)·Gain + Shift, where
// the variance is the mean of squares around the mean.
type Norm struct {
	Gain, Shift []float32 // [n]
	Epsilon     float32
}

// LayerNorm writes the layer norm of x [m, n] to y [m, n]. y may be x. m may be 0. Results of rows
// whose deviation is far below their mean carry the rounding error of that mean.
func LayerNorm(m, n int, norm Norm, x, y Matrix) {
	if m == 0 {
		return
	}
	x.check("x", m, n)
	y.check("y", m, n)
	Rows(norm.Gain, n).check("gain", 1, n)
	Rows(norm.Shift, n).check("shift", 1, n)
	active.normalise(m, n, norm, x, y)
}

// NormGrad is the gradient of a layer norm.
type NormGrad struct {
	X           Matrix    // [m, n], with respect to x
	Gain, Shift []float32 // [n]
}

// LayerNormGrad computes the gradients of LayerNorm from the gradient g [m, n] of its result. It
// overwrites that of x and adds to those of gain and shift. The gradient of x may be g. Shift is not
// read. m may be 0.
func LayerNormGrad(m, n int, norm Norm, g, x Matrix, to NormGrad) {
	if m == 0 {
		return
	}
	g.check("gradient", m, n)
	x.check("x", m, n)
	to.X.check("x's gradient", m, n)
	Rows(norm.Gain, n).check("gain", 1, n)
	Rows(to.Gain, n).check("gain's gradient", 1, n)
	Rows(to.Shift, n).check("shift's gradient", 1, n)
	active.normaliseGrad(m, n, norm, g, x, to)
}
