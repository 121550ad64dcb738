//go:build !amd64

package simd

// available are the sets that the machine can run, the best first.
func available() []path { return []path{portable} }

func (path) multiply(t *product) { t.portable() }

func (*product) tiles(bool, []float32)                    { panic("simd: plain Go has no tiles") }
func (*product) transposeTiles(_, _ []float32)            { panic("simd: plain Go has no tiles") }
func tilesParts(_, _ []float32, _, _, _ int, _ []float32) { panic("simd: plain Go has no tiles") }
func aligned(n int) []float32                             { return make([]float32, n) }

func (path) narrow(*product) { panic("simd: plain Go has no narrow matrices") }

func (path) transposeMultiply(m, k, columns int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, _ *Ahead) {
	portableTransposeMultiply(m, k, columns, a, lda, b, ldb, c, ldc)
}

func (path) sumRows(dst, a []float32, m, n, lda int) int {
	portableSumRows(dst, a, m, n, lda)
	return n
}

func (path) axpy(alpha float32, x, y []float32)      { portableAxpy(alpha, x, y) }
func (path) dot(x, y []float32) float32              { return portableDot(x, y) }
func (path) exp(dst, x []float32)                    { portableExp(dst, x) }
func (path) log(dst, x []float32)                    { portableLog(dst, x) }
func (path) softplusSigmoid(dst, slope, x []float32) { portableSoftplusSigmoid(dst, slope, x) }
func (path) greatest(x []float32) float32            { return portableGreatest(x) }
func (path) expSum(dst, x []float32, scale, shift float32) float32 {
	return portableExpSum(dst, x, scale, shift)
}
func (path) softmaxGrad(dst, terms []float32, mean, scale float32) {
	portableSoftmaxGrad(dst, terms, mean, scale)
}
func (path) adam(_, _, _, _ []float32, _ AdamStep) float32 {
	panic("simd: no kernels on this processor")
}
func (path) fmaPeak(n int) float64 { return portablePeak(n) }
