package simd

import "unsafe"

// tileConfig configures all eight tile registers with their full size: palette 1, 16 rows of 64
// bytes.
var tileConfig = func() (c [64]byte) {
	c[0] = 1
	for t := range 8 {
		c[16+2*t], c[48+t] = 64, 16
	}
	return c
}()

// tileFetches is the number of cache lines that a step of a block fetches.
const tileFetches = 24

// endMask returns the mask of the last strip of n columns.
func endMask(n int) *int32 { return mask((n-1)%tileStrip + 1) }

// tiles computes a product with all strips of B. columns says that from has an element for every
// column, otherwise only for the columns of one strip. block is scratch.
func (t *product) tiles(columns bool, block []float32) {
	var y *float32
	if t.y.Data != nil {
		y = &t.y.Data[0]
	}
	strip := 0
	if columns {
		strip = 4 * tileStrip
	}
	a, from, c := &t.a.Data[0], &t.from.Data[0], &t.c.Data[0]
	next, step := t.ahead.take(t.fetches(), a)
	tilesMultiply(t.m, a, t.a.Stride, nil, &t.b[0], steps(t.k), steps(t.columns), from, t.from.Stride, strip,
		c, t.c.Stride, y, t.y.Stride, t.floor, endMask(t.k), endMask(t.columns), &block[0], &tileConfig[0], next, step)
}

// transposeTiles computes a product with the transpose of a, whose last step is in last.
func (t *product) transposeTiles(last, block []float32) {
	a, from, c := &t.a.Data[0], &t.from.Data[0], &t.c.Data[0]
	next, step := t.ahead.take(t.fetches(), a)
	tilesTransposeMultiply(t.m, a, t.a.Stride, &last[0], &t.b[0], steps(t.k), steps(t.columns), from, t.from.Stride, 4*tileStrip,
		c, t.c.Stride, nil, 0, t.floor, nil, endMask(t.columns), &block[0], &tileConfig[0], next, step)
}

// fetches returns how many cache lines the product can fetch.
func (t *product) fetches() int { return steps(t.m) * steps(t.columns) * steps(t.k) * tileFetches }

// tilesParts splits b [k, n], whose last step is in last, into its parts.
func tilesParts(b Matrix, last []float32, k, n int, dst []float32) {
	tilesPack(steps(k), steps(n), &b.Data[0], b.Stride, &last[0], endMask(n), &dst[0])
}

// aligned allocates n floats that begin at a cache line.
func aligned(n int) []float32 {
	b := make([]float32, n+line)
	at := (line - int(uintptr(unsafe.Pointer(&b[0]))/4%line)) % line
	return b[at : at+n : at+n]
}
