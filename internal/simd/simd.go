// Package simd has the float32 kernels that a step's time goes to: matrix products of layers, their gradients, and exp, log,
// softplus and sigmoid of slices. They run on AVX-512 (wide products on AMX, where there is that), on AVX2 with FMA, or in
// plain Go, whichever is the best that the machine has. No kernel starts goroutines or allocates, but for what products by
// tiles need and keep for the next; any number of goroutines may call them at once.
//
// Matrices are slices with a row stride: element (i, j) of a [m, n] matrix a with stride lda is a[i*lda+j]. The stride is at
// least n; rows whose stride is a multiple of 512 bytes compete for the same few lines of the cache, so a stride of n+16 is
// better where n is 128 or 256. A slice too short for its matrix, or a stride too small, is a bug and panics before
// anything is written. Results must not overlap the operands unless a function says so.
//
// Every element is summed in an order that depends on the operands' sizes alone, not on its place in the matrix nor on how
// rows are divided among calls. AVX-512 and AVX2 give the same bits, but for a NaN's payload; AMX and plain Go do not.
package simd

import (
	"fmt"
	"os"
)

//go:generate go run -C gen . -dir ..

// path is one of the four sets of kernels.
type path uint8

const (
	portable path = iota
	avx2
	avx512
	amx // wide products by tiles, all else as avx512
)

var names = [...]string{portable: "portable", avx2: "avx2", avx512: "avx512", amx: "amx"}

// Variable is the environment variable that forces a set of kernels by its name: amx, avx512, avx2 or portable. It is
// read once, at the start. Where it is empty, unknown, or names what the machine lacks, the best set runs; package device
// refuses such names.
const Variable = "ACQNP_SIMD"

// active is the set whose vectors are used; tiling tells that wide products go by tiles instead.
var active, tiling = choose(os.Getenv(Variable))

// Names returns the names of all sets of kernels, the best first.
func Names() []string {
	return []string{names[amx], names[avx512], names[avx2], names[portable]}
}

// Available returns the names of the sets that this machine can run, the best first.
func Available() []string {
	var found []string
	for _, p := range available() {
		found = append(found, names[p])
	}
	return found
}

// Name is the set of kernels that runs: amx, avx512, avx2 or portable.
func Name() string {
	if tiling {
		return names[amx]
	}
	return names[active]
}

// SameBits reports whether two sets of kernels, by their names, give the same bits.
func SameBits(a, b string) bool {
	vectors := func(name string) bool { return name == names[avx512] || name == names[avx2] }
	return a == b || vectors(a) && vectors(b)
}

func choose(name string) (vectors path, tiles bool) {
	best := available()[0]
	for _, p := range available() {
		if names[p] == name {
			best = p
		}
	}
	return min(best, avx512), best == amx
}

// check panics where a does not hold an [m, n] matrix.
func check(what string, a []float32, m, n, lda int) {
	if m < 1 || n < 1 || lda < n && m > 1 || len(a) < n || (len(a)-n)/max(lda, 1) < m-1 {
		panic(fmt.Sprintf("simd: %s [%d, %d] with stride %d in a slice of %d", what, m, n, lda, len(a)))
	}
}

// FMAPeak does n rounds of fused multiply-adds in registers alone, as fast as one core can, and returns how many
// floating-point operations they were: two per multiply-add. In plain Go it does them as fast as compiled Go does.
func FMAPeak(n int) (flops float64) {
	if n < 1 {
		return 0
	}
	return active.fmaPeak(n)
}
