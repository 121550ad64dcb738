package cpu

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	G "gorgonia.org/gorgonia"
)

var impl gonum.Implementation

// narrow is the width below which a matrix product runs along the other dimension.
const narrow = 16

// Gonum's Sgemm starts goroutines at four blocks of 64×64 or more; panels of this size stay in the caller's.
const (
	panelRows = 64
	panelCols = 128
)

func axpy(alpha float32, x, y []float32) { impl.Saxpy(len(x), alpha, x, 1, y, 1) }

func dot(x, y []float32) float32 { return impl.Sdot(len(x), x, 1, y, 1) }

// add is y += x.
func add(y, x []float32) { axpy(1, x, y) }

// gemm is C[m,n] = op(A)·B + beta·C, with op the transpose where transA.
func gemm(transA bool, m, n, k int, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	t := blas.NoTrans
	if transA {
		t = blas.Trans
	}
	for i := 0; i < m; i += panelRows {
		start := i * lda
		if transA {
			start = i
		}
		for j := 0; j < n; j += panelCols {
			impl.Sgemm(t, blas.NoTrans, min(panelRows, m-i), min(panelCols, n-j), k, 1, a[start:], lda, b[j:], ldb, beta, c[i*ldc+j:], ldc)
		}
	}
}

// toFloat32 reads a constant of the graph.
func toFloat32(v G.Value) []float32 {
	switch x := v.Data().(type) {
	case []float32:
		return x
	case float32:
		return []float32{x}
	case float64:
		return []float32{float32(x)}
	}
	return nil
}
