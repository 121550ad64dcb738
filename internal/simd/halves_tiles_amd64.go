package simd

// halfConfigs holds configurations of tiles for blocks of 0 to 31 rows: tiles 0 and 1 are sums of the
// upper 16 rows, 2 and 3 of the lower ones, 4 and 5 hold these rows of A, 6 and 7 hold B. A tile needs
// a row at least; those that do not exist are never read. Entry 0 is for whole blocks of 32.
var halfConfigs = func() (all [tileStep][64]byte) {
	for rows := range all {
		c := tileConfig
		if rows > 0 {
			upper, lower := byte(min(rows, 16)), byte(max(rows-16, 1))
			copy(c[48:], []byte{upper, upper, lower, lower, upper, lower})
		}
		all[rows] = c
	}
	return all
}()

// tiles computes m rows of a product from row i0 on. i0 is even.
func (p *PackedHalves) tiles(t *HalfProduct, i0, m int, sums []float32) {
	o := t.operands(i0, 0)
	columns := 0
	if t.Start.Data != nil {
		columns = -1
	}
	a, last := &t.A.rows.From(i0, 0).Data[0], (p.n-1)%tileStrip+1
	next, step := t.Ahead.take(steps(m)*steps(p.n)*steps(p.k)*4, a)
	multiplyHalfTiles(m, a, t.A.rows.Stride, &p.pairs[0], steps(p.k), steps(p.n), o.from, o.ldf, columns, o.c, o.ldc, o.pairs, o.ldp,
		o.y, o.ldy, o.floor, mask(last), endHalf(last), &sums[0], &tileConfig[0], &halfConfigs[m%tileStep][0], next, step)
}

// halfTiles adds a chunk's products to c.
func (t *transposed) halfTiles(lastA, lastB, scratch []float32) {
	count := (t.m + halfStep - 1) / halfStep
	above, left := steps(t.k)*tileStrip-t.k, steps(t.n)*tileStrip-t.n
	a := &t.a.Data[0]
	next, step := t.ahead.take(steps(t.k)*steps(t.n)*count*4, a)
	transposeMultiplyHalfTiles(steps(t.k), above, steps(t.n), left, a, t.a.Stride, &lastA[0], &t.b.Data[0], t.b.Stride, &lastB[0],
		count, &t.c.Data[0], t.c.Stride, &lateMasks[tileStrip-left], &scratch[tileSums], &scratch[0], &tileConfig[0], next, step)
}

// lateMasks ends with a -1 for each column of a strip, so lateMasks[32-n:] is the mask of all columns
// but the first n.
var lateMasks = func() (m [2 * tileStrip]int32) {
	for i := range tileStrip {
		m[tileStrip+i] = -1
	}
	return m
}()
