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

	"golang.org/x/sys/cpu"
)

//go:generate go run -C gen . -dir ..

// set is a kernel set. The functions of dispatch.go choose its kernels.
type set struct {
	name    string
	vectors *set // for wide products by tiles, the set that does everything else
	lanes   int  // floats in a vector
	strip   int  // columns that a product takes at a time
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

// available returns the sets that the machine can run, the best first.
func available() []*set {
	var sets []*set
	if hasTiles {
		sets = append(sets, amx)
	}
	if cpu.X86.HasAVX512F {
		sets = append(sets, avx512)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, avx2)
	}
	return append(sets, portable)
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
	if active == portable {
		return portablePeak(n)
	}
	fmaPeak(n)
	return float64(n) * 2 * 12 * 2 * float64(active.lanes)
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

// equal panics unless two slices have the same length.
func equal(x, y []float32) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("simd: slices of %d and %d", len(x), len(y)))
	}
}

// first returns the address of the first number, nil if there is none.
func first(x []float32) *float32 {
	if len(x) == 0 {
		return nil
	}
	return &x[0]
}

// masks begins with a -1 for each column of the widest strip, so masks[32-w:] is the mask of w
// columns.
var masks = func() (m [64]int32) {
	for i := range 32 {
		m[i] = -1
	}
	return m
}()

func mask(columns int) *int32 { return &masks[32-columns] }
