package simd

// chunk is how many rows TransposeMultiply sums before it adds to C: so many rows' operands fit in a core's own cache, and
// the sum's error grows with the number of chunks beyond it.
const chunk = 256

// TransposeMultiply is C[k, n] += Aᵀ·B with A [m, k] and B [m, n]: a layer's weight gradient, from the gradient of its result
// and its input. Rows are summed in chunks of 256, or by tiles of 128. It is fastest where n is at least 16, so a matrix that
// is narrow on one side is better had transposed. m may be 0, ahead nil.
func TransposeMultiply(m, k, n int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, ahead *Ahead) {
	if m == 0 {
		return
	}
	check("A", a, m, k, lda)
	check("B", b, m, n, ldb)
	check("C", c, k, n, ldc)
	if tiling && tileable(k, n) && k%4 == 0 {
		transposeMultiplyTiles(m, k, n, a, lda, b, ldb, c, ldc, ahead)
		return
	}
	panel := panels[active].columns
	for i0 := 0; i0 < m; i0 += chunk {
		rows := min(chunk, m-i0)
		for j0 := 0; j0 < n; j0 += panel {
			active.transposeMultiply(rows, k, min(panel, n-j0), a[i0*lda:], lda, b[i0*ldb+j0:], ldb, c[j0:], ldc, ahead)
		}
	}
}

// SumRows is dst[n] += the sum of the rows of A [m, n]: a layer's bias gradient. m may be 0.
func SumRows(dst, a []float32, m, n, lda int) {
	if m == 0 {
		return
	}
	check("A", a, m, n, lda)
	check("sum", dst, 1, n, n)
	for done := 0; done < n; {
		done += active.sumRows(dst[done:], a[done:], m, n-done, lda)
	}
}
