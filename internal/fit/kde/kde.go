// Package kde predicts the y of a point by those of the points nearby: a conditional kernel
// density.
//
// With points x_i, y_i of a function, point i counts k_i = max(0, 1 − |x−x_i|²/X²) at x, and there are
// n = Σ k_i points near x. The density of y is
//
//	p(y | x) = Σ_i k_i/n · K((y−y_i)/Y)/Y
//
// with a K of mean 0 and deviation 1, and widths X and Y. It is worth n/(n+1): nothing where no point
// is near. A network smooths over many points, and this density shows what the nearest ones say.
package kde

// Widths are those of the kernels, in the units of x and of y.
type Widths struct{ X, Y float64 }

// Weights returns what each point of a context weighs at x [dx]: k_i/(n+1). Their sum is the worth of
// the density there. context is [N_c, dx+1], each point with its y last. It reuses dst.
func (w Widths) Weights(dst []float64, context, x []float32) []float64 {
	dst = dst[:0]
	width, n := len(x)+1, 0.0
	for i := 0; i < len(context); i += width {
		d := 0.0
		for c, v := range context[i:][:len(x)] {
			e := float64(x[c]) - float64(v)
			d += e * e
		}
		k := max(0, 1-d/(w.X*w.X))
		dst = append(dst, k)
		n += k
	}
	for i := range dst {
		dst[i] /= n + 1
	}
	return dst
}
