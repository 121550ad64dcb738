package simd

// chunkRows is the number of rows that TransposeMultiply sums before it adds to C: these rows of
// the operands fit in a core's own cache. The error of a sum grows with the number of chunks, not
// of rows.
const chunkRows = 256

// TransposeMultiply computes C[k, n] += Aᵀ·B with A [m, k] and B [m, n]: the gradient of a layer's
// weight, from the gradient of its result and from its input. It sums rows in chunks of 256, with
// tiles in chunks of 128. It is slow if n is below 16; compute the transpose of C then. m may be 0
// and ahead nil.
func TransposeMultiply(m, k, n int, a, b, c Matrix, ahead *Ahead) {
	if m == 0 {
		return
	}
	a.check("A", m, k)
	b.check("B", m, n)
	c.check("C", k, n)
	t := transposed{m: m, k: k, n: n, a: a, b: b, c: c, ahead: ahead}
	if tiling && tileable(k, n) && k%4 == 0 {
		t.multiplyTiles()
		return
	}
	strip := active.strip
	part := t
	for i0 := 0; i0 < m; i0 += chunkRows {
		part.m, part.a = min(chunkRows, m-i0), a.Slice(i0, 0)
		for j0 := 0; j0 < n; j0 += strip {
			part.n, part.b, part.c = min(strip, n-j0), b.Slice(i0, j0), c.Slice(0, j0)
			transposeMultiply(&part)
		}
	}
}

// transposed is the product of a transpose, c += aᵀ·b.
type transposed struct {
	m, k, n int
	a, b, c Matrix // [m, k], [m, n], [k, n]
	ahead   *Ahead
}

// SumRows computes dst[n] += the sum of the rows of A [m, n]: a layer's bias gradient. m may be 0.
func SumRows(dst []float32, a Matrix, m, n int) {
	if m == 0 {
		return
	}
	a.check("A", m, n)
	Rows(dst, n).check("sum", 1, n)
	for done := 0; done < n; {
		columns := active.columns(n - done)
		sumRows(m, columns, a.Slice(0, done), dst[done:])
		done += columns
	}
}

// columns returns how many of n columns a kernel of sumRows takes: eight vectors, two or at most one.
func (s *set) columns(n int) int {
	switch {
	case n >= 8*s.lanes:
		return 8 * s.lanes
	case n >= 2*s.lanes:
		return 2 * s.lanes
	}
	return min(n, s.lanes)
}
