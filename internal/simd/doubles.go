package simd

import (
	"fmt"
	"math"
)

// DoubleLanes divides the lengths that the float64 functions take: 8 numbers are 64 bytes, one cache line.
const DoubleLanes = 8

// doubles panics unless two slices have the same length, a multiple of DoubleLanes.
func doubles(x, y []float64) {
	if len(x) != len(y) || len(x)%DoubleLanes != 0 {
		panic(fmt.Sprintf("simd: slices of %d and %d numbers, want the same multiple of %d", len(x), len(y), DoubleLanes))
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
	if n == 0 {
		return
	}
	if active == portable {
		portableSubtractProducts(c, k, a, b, scale)
		return
	}
	lanes, factors, rows := active.lanes/2, &c[0], c // the last two are not read if k is 0
	if k > 0 {
		factors, rows = &a.Data[0], b.Data
	}
	for at := 0; at < n; at += mostVectors * lanes {
		subtractProducts(&c[at], factors, &rows[at], b.Stride, k, min(mostVectors, (n-at)/lanes), scale)
	}
}

// mostVectors is the number of vectors that one call of a kernel of subtractProducts computes at most.
const mostVectors = 8

func portableSquaredExponential(dst, distances []float64, scale, variance float64) {
	for i, d := range distances {
		dst[i] = variance * math.Exp(scale*d*d)
	}
}

func portableMatern52(dst, distances []float64, scale, variance float64) {
	for i, d := range distances {
		t := scale * math.Abs(d)
		dst[i] = variance * (1 + t + t*t/3) * math.Exp(-t)
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
