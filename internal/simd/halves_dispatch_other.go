//go:build !amd64

package simd

// halves is true if bfloat16 numbers are multiplied as such: nowhere but on amd64.
const halves = false

const hasHalves = false

func halveRows(Matrix, Halves, int, int, int) { panic("simd: no kernel for bfloat16") }
func sumPairs([]float32, Matrix, int, int)    { panic("simd: no kernel for bfloat16") }
func (*transposed) multiplyHalves()           { panic("simd: no kernel for bfloat16") }
func (*PackedHalves) multiplyPairs(*HalfProduct) { panic("simd: no kernel for bfloat16") }
