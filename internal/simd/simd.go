// Package simd has the float32 kernels that a training step spends its time in: matrix products of
// layers and of their gradients, sums of rows, Adam, and exp, log, softplus and sigmoid of slices. It
// also has the float64 kernels of Gaussian processes and of predictive distributions.
//
// A kernel set is one implementation of all of them: AMX (wide products by matrix tiles, everything
// else as in AVX-512), AVX-512, AVX2 with FMA, or plain Go. The best set that the machine can run
// is active, unless the environment variable ACQNP_SIMD chooses another.
//
// A Matrix is a slice with a stride: element (i, j) is Data[i*Stride+j]. The stride is at least the
// number of columns. Rows whose stride is a multiple of 512 bytes compete for the same few sets of
// the cache, so a stride of n+16 is faster for n = 128 or 256. If a slice is too short for its
// matrix or a stride too small, the function panics before it writes anything. Results must not
// overlap the operands unless a function says so.
//
// The right operand of a product is a Packed, laid out once for many products. A product can also
// fetch memory that later products need: see Ahead. Halves and PackedHalves are the operands of
// products of bfloat16 numbers, whose sums are float32.
//
// Every element is summed in an order that depends only on the operands' sizes: not on its place in
// the matrix, nor on how rows are divided among calls. AVX-512 and AVX2 give the same bits, except
// for a NaN's payload; AMX and plain Go give others. No kernel starts goroutines or allocates,
// except that products by tiles without an Ahead allocate room after each collection of garbage. Any
// number of goroutines may call kernels at once.
package simd

import (
	"fmt"
	"os"
)

//go:generate go run -C gen . -dir ..

// set is a kernel set. Its functions get operands that have been checked, with at least one element. Those of
// products and of slices are methods (dispatch_amd64.go, slices_amd64.go).
type set struct {
	name    string
	vectors *set // for wide products by tiles, the set that does everything else
	lanes   int  // floats in a vector
	strip   int  // columns that a product takes at a time

	add                          func(m, n int, a, b, c Matrix)
	softmaxRows                  func(m, n int, x Matrix, scale float32, inverse []float32)
	softmaxGradRows              func(m, n int, x, terms Matrix, scale float32, inverse []float32)
	scaleRows                    func(m, n int, factors []float32, x, y Matrix)
	normalise                    func(m, n int, norm Norm, x, y Matrix)
	normaliseGrad                func(m, n int, norm Norm, g, x Matrix, to NormGrad)
	fmaPeak                      func(n int) float64
	squaredExponential, matern52 func(dst, distances []float64, scale, variance float64)
	subtractProducts             func(c []float64, k int, a, b Columns, scale float64)
	laplaceSums, laplaceSlope    func(terms LaplaceTerms, y float64) (float64, float64)
}

// Variable is the environment variable that chooses a kernel set by its name: amx, avx512, avx2 or
// portable. It is read once, at the start. If it is empty, unknown or names a set that the machine
// lacks, the best set is active. Package device returns an error for unknown and missing sets.
const Variable = "ACQNP_SIMD"

// active is the set of the vector kernels that run, never amx. tiling is true if wide products use
// tiles instead.
var active, tiling = choose(os.Getenv(Variable))

// Names returns the names of all sets, the best first.
func Names() []string { return []string{"amx", "avx512", "avx2", "portable"} }

// Available returns the names of the sets that this machine can run, the best first.
func Available() []string {
	var found []string
	for _, s := range available() {
		found = append(found, s.name)
	}
	return found
}

// Name returns the name of the set that runs: amx, avx512, avx2 or portable.
func Name() string {
	if tiling {
		return "amx"
	}
	return active.name
}

// SameBits reports whether two sets, by their names, give the same bits.
func SameBits(a, b string) bool {
	vectors := func(name string) bool { return name == "avx512" || name == "avx2" }
	return a == b || vectors(a) && vectors(b)
}

func choose(name string) (vectors *set, tiles bool) {
	best := available()[0]
	for _, s := range available() {
		if s.name == name {
			best = s
		}
	}
	if best.vectors != nil {
		return best.vectors, true
	}
	return best, false
}

// FMAPeak does n rounds of fused multiply-adds in registers, as fast as one core can, and returns
// the number of floating-point operations: two per multiply-add. The plain Go form multiplies and
// adds as fast as compiled Go can.
func FMAPeak(n int) (flops float64) {
	if n < 1 {
		return 0
	}
	return active.fmaPeak(n)
}

// Matrix is a row-major matrix whose rows lie Stride elements apart. Functions take its size as
// further arguments.
type Matrix struct {
	Data   []float32
	Stride int
}

// Rows returns the matrix whose rows lie stride elements apart in data.
func Rows(data []float32, stride int) Matrix { return Matrix{data, stride} }

// Slice returns the part of a matrix that begins at row i and column j.
func (a Matrix) Slice(i, j int) Matrix { return Matrix{a.Data[i*a.Stride+j:], a.Stride} }

// row returns n columns of row i.
func (a Matrix) row(i, n int) []float32 { return a.Data[i*a.Stride:][:n] }

// check panics unless the slice holds an [m, n] matrix.
func (a Matrix) check(what string, m, n int) {
	if m < 1 || n < 1 || a.Stride < n && m > 1 || len(a.Data) < n || (len(a.Data)-n)/max(a.Stride, 1) < m-1 {
		panic(fmt.Sprintf("simd: %s [%d, %d] with stride %d in a slice of %d", what, m, n, a.Stride, len(a.Data)))
	}
}
