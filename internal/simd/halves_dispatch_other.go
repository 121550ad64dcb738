//go:build !amd64

package simd

// halves is true if bfloat16 numbers are multiplied as such: nowhere but on amd64.
const halves = false

const hasHalves = false

func halveRows(Matrix, Halves, int, int, int) { panic("simd: no kernel for bfloat16") }
func sumPairs([]float32, Matrix, int, int)    { panic("simd: no kernel for bfloat16") }
func (*transposed) multiplyHalves()           { panic("simd: no kernel for bfloat16") }
func (*PackedHalves) tiles(*HalfProduct, int, int, []float32) {
	panic("simd: plain Go has no tiles")
}
func (*transposed) halfTiles(_, _, _ []float32)  { panic("simd: plain Go has no tiles") }
func (*PackedHalves) multiplyPairs(*HalfProduct) { panic("simd: no kernel for bfloat16") }
