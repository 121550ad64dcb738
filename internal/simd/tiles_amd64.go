package simd

import "unsafe"

// tileConfig says that all eight tiles are whole: palette 1, 64 bytes a row, 16 rows.
var tileConfig = func() (c [64]byte) {
	c[0] = 1
	for t := range 8 {
		c[16+2*t], c[48+t] = 64, 16
	}
	return c
}()

// tileFetches is how many lines a step by a panel fetches, for every block of rows.
const tileFetches = 24

// endMask is the mask of the last panel of n columns.
func endMask(n int) *int32 { return mask((n-1)%tilePanel + 1) }

// tiles is a whole product; columns tells that from has a number of its own for each.
func (t *product) tiles(columns bool, block []float32) {
	var y *float32
	if t.y != nil {
		y = &t.y[0]
	}
	panel := 0
	if columns {
		panel = 4 * tilePanel
	}
	next, step := t.ahead.take(t.fetches(), &t.a[0])
	tilesMultiply(t.m, &t.a[0], t.lda, nil, &t.b[0], steps(t.k), steps(t.columns), &t.from[0], t.ldf, panel, &t.c[0], t.ldc, y, t.ldy,
		t.floor, endMask(t.k), endMask(t.columns), &block[0], &tileConfig[0], next, step)
}

// transposeTiles is a product with the transpose of a, whose last rows are in last.
func (t *product) transposeTiles(last, block []float32) {
	next, step := t.ahead.take(t.fetches(), &t.a[0])
	tilesTransposeMultiply(t.m, &t.a[0], t.lda, &last[0], &t.b[0], steps(t.k), steps(t.columns), &t.from[0], t.ldf, 4*tilePanel, &t.c[0],
		t.ldc, nil, 0, t.floor, nil, endMask(t.columns), &block[0], &tileConfig[0], next, step)
}

func (t *product) fetches() int { return steps(t.m) * steps(t.columns) * steps(t.k) * tileFetches }

// tilesParts lays out b [k, n], whose last 32 rows are in last.
func tilesParts(b, last []float32, k, n, ldb int, dst []float32) {
	tilesPack(steps(k), steps(n), &b[0], ldb, &last[0], endMask(n), &dst[0])
}

// aligned makes n floats from the beginning of a line of the cache on.
func aligned(n int) []float32 {
	b := make([]float32, n+line)
	at := (line - int(uintptr(unsafe.Pointer(&b[0]))/4%line)) % line
	return b[at : at+n : at+n]
}
