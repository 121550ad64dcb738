//go:build !amd64

package simd

// available returns the sets that the machine can run, the best first.
func available() []*set { return []*set{portable} }

func (*set) multiply(t *product) { t.portable() }

// halves is true if bfloat16 numbers are multiplied as such: nowhere but on amd64.
const halves, hasHalves = false, false

func (*product) tiles(bool, []float32)                  { panic("simd: plain Go has no tiles") }
func (*product) transposeTiles(_, _ []float32)          { panic("simd: plain Go has no tiles") }
func tilesParts(Matrix, []float32, int, int, []float32) { panic("simd: plain Go has no tiles") }
func aligned(n int) []float32                           { return make([]float32, n) }

func (*set) multiplyStrided(_, _, _ int, _, _, _ Matrix) { panic("simd: plain Go packs all matrices") }
func (*set) turn(_, _ int, _, _ Matrix)                  { panic("simd: plain Go packs element by element") }

func (*set) narrow(*product) { panic("simd: plain Go has no narrow matrices") }

func (*set) transposeMultiply(t *transposed) { t.portable() }

func (*set) sumRows(dst []float32, a Matrix, m, n int) int {
	portableSumRows(dst, a, m, n)
	return n
}

func (*set) axpy(alpha float32, x, y []float32)      { portableAxpy(alpha, x, y) }
func (*set) round(dst, x []float32)                  { portableRound(dst, x) }
func (*set) dot(x, y []float32) float32              { return portableDot(x, y) }
func (*set) exp(dst, x []float32)                    { portableExp(dst, x) }
func (*set) log(dst, x []float32)                    { portableLog(dst, x) }
func (*set) softplusSigmoid(dst, slope, x []float32) { portableSoftplusSigmoid(dst, slope, x) }
func (*set) greatest(x []float32) float32            { return portableGreatest(x) }
func (*set) expSum(dst, x []float32, scale, shift float32) float32 {
	return portableExpSum(dst, x, scale, shift)
}
func (*set) flush(dst, x []float32) { portableFlush(dst, x) }
func (*set) adam(_, _, _, _ []float32, _ AdamStep) float32 {
	panic("simd: no kernels on this processor")
}
func (*set) logistic(exps, logs, x []float64) { portableLogistic(exps, logs, x) }
func (*set) exps(dst, x []float64)            { portableExps(dst, x) }

func (*set) fusesHeads() bool                { return false }
func (*set) attend(int, *Head, Matrix)       { panic("simd: plain Go has no fused heads") }
func (*set) attendGrad(int, *Head, HeadGrad) { panic("simd: plain Go has no fused heads") }

func halveRows(Matrix, Halves, int, int, int)    { panic("simd: no kernel for bfloat16") }
func sumPairs([]float32, Matrix, int, int)       { panic("simd: no kernel for bfloat16") }
func (*transposed) multiplyHalves()              { panic("simd: no kernel for bfloat16") }
func (*PackedHalves) multiplyPairs(*HalfProduct) { panic("simd: no kernel for bfloat16") }
