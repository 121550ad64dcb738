package simd

import (
	"fmt"
	"math"
)

// DoubleLanes divides the sizes that the functions of float64 take: 64 bytes, one cache line.
const DoubleLanes = 8

// Exp64 computes dst[i] = exp(x[i]) with the bits of math.Exp. dst may be x. The lengths are equal
// and a multiple of DoubleLanes. x is at most 700 and no NaN.
func Exp64(dst, x []float64) {
	if len(dst) != len(x) || len(x)%DoubleLanes != 0 {
		panic(fmt.Sprintf("simd: exp of %d numbers into %d, want a multiple of %d", len(x), len(dst), DoubleLanes))
	}
	if len(x) > 0 {
		active.exp64(dst, x)
	}
}

// A Columns is a number of columns of a row-major matrix of float64, from the first element of Data
// on. Its rows lie Stride elements apart.
type Columns struct {
	Data   []float64
	Stride int
}

// SubtractProducts computes c[j] = (c[j] − Σ a(i)·b(i,j))·scale for all j. The sum goes over the k
// rows i of the column a and of b, in this order, and each product and each difference is rounded.
// So the bits are the same on every processor. len(c) is a multiple of DoubleLanes; c overlaps
// neither a nor b.
func SubtractProducts(c []float64, k int, a, b Columns, scale float64) {
	n := len(c)
	if n%DoubleLanes != 0 || k > 0 && (len(a.Data) <= (k-1)*a.Stride || len(b.Data) < (k-1)*b.Stride+n || a.Stride != b.Stride) {
		panic(fmt.Sprintf("simd: %d rows of stride %d and %d in slices of %d and %d, for %d columns, want a multiple of %d",
			k, a.Stride, b.Stride, len(a.Data), len(b.Data), n, DoubleLanes))
	}
	if n > 0 {
		active.subtractProducts(c, k, a, b, scale)
	}
}

func portableExp64(dst, x []float64) {
	for i, v := range x {
		dst[i] = math.Exp(v)
	}
}

func portableSubtractProducts(c []float64, k int, a, b Columns, scale float64) {
	for i := range k {
		factor, row := a.Data[i*a.Stride], b.Data[i*b.Stride:][:len(c)]
		for j, v := range row {
			c[j] -= float64(factor * v) // float64 keeps the compiler from fusing the two
		}
	}
	for j := range c {
		c[j] *= scale
	}
}
