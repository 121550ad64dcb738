package simd

// Norm is a layer norm of rows with n columns, y = (x−mean)/√(variance+Epsilon)·Gain + Shift, where
// the variance is the mean of squares around the mean.
type Norm struct {
	Gain, Shift []float32 // [n]
	Epsilon     float32
}

// NormGrad is the gradient of a layer norm.
type NormGrad struct {
	X           Matrix    // [m, n], with respect to x
	Gain, Shift []float32 // [n]
}
