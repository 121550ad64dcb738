package simd

import (
	"sync"
	"unsafe"
)

// Products by matrix tiles (AMX, on Intel's servers since Sapphire Rapids). The tile unit
// multiplies only bfloat16. A float32 is split into the sum of three bfloat16, its parts. Of the
// nine products of two numbers' parts six are added; the other three are at most 2⁻²³ of the
// product. Fewer sums are rounded than in vectors, so products of long rows are more exact. But
// infinities, and numbers beyond bfloat16's largest, 3.39e38, become NaN, and results below 1e-30
// lose their last bits.
//
// A step is 32 rows of B, a strip 32 columns, a block 32 rows of C by a strip: four tiles of sums.
const (
	tileStep    = 32      // of k
	tileStrip   = 32      // columns
	tileParts   = 1536    // float32s of memory for the parts of a step of a strip
	tileSums    = 1024    // sums of a block
	tileChunk   = 128     // rows that a transposed product sums before it adds to C; their parts fit in the first-level cache
	tilesAtOnce = 1 << 21 // multiply-adds of one call, see mostPerCall
)

// tileable reports whether tiles are faster than vectors for a matrix [k, n]. In a small one,
// splitting numbers takes too long beside the products.
func tileable(k, n int) bool { return min(k, n) >= 96 }

// steps returns the number of steps of k rows, which is also the number of strips of k columns.
func steps(k int) int { return (k + tileStep - 1) / tileStep }

// tileScratch is the memory that a product by tiles needs besides its operands.
type tileScratch struct {
	block      []float32 // a block's sums and the parts of its rows
	b          []float32 // the parts of B, if it is not packed
	padA, padB []float32 // rows of A and B, filled up with rows of zeros
}

// spare holds the scratches of products without an Ahead that ended, for the next ones.
var spare = sync.Pool{New: func() any { return &tileScratch{} }}

// scratch returns the Ahead's own scratch, which stays in its core's cache; a spare one if a is nil.
func (a *Ahead) scratch() *tileScratch {
	if a != nil {
		return &a.tiles
	}
	return spare.Get().(*tileScratch)
}

// giveBack keeps a scratch as a spare one, unless it is the Ahead's own.
func (a *Ahead) giveBack(s *tileScratch) {
	if a == nil {
		spare.Put(s)
	}
}

// room returns the first n floats of b, which begin at a cache line. It replaces b by a larger
// slice if b is too small.
func room(b *[]float32, n int) []float32 {
	if cap(*b) < n {
		*b = aligned(n)
	}
	return (*b)[:n]
}

// packTiles is Pack for the tiled layout.
func (p *Packed) packTiles(b []float32, rowStride, colStride int) {
	var none *Ahead
	s := none.scratch()
	defer none.giveBack(s)
	rows := room(&s.padB, steps(p.k)*tileStep*p.n)
	clear(rows[p.k*p.n:])
	for i := range p.k {
		row, from := rows[i*p.n:(i+1)*p.n], b[i*rowStride:]
		if colStride == 1 {
			copy(row, from)
			continue
		}
		for j := range row {
			row[j] = from[j*colStride]
		}
	}
	tilesParts(Rows(rows, p.n), rows[(steps(p.k)-1)*tileStep*p.n:], p.k, p.n, p.data)
}

// multiplyTiles is multiply for the tiled layout.
func (p *Packed) multiplyTiles(t task) {
	s := t.ahead.scratch()
	defer t.ahead.giveBack(s)
	block := room(&s.block, tileSums+steps(p.k)*tileParts)
	part := product{k: p.k, columns: p.n, b: p.data, from: t.start.Matrix, y: t.y, floor: t.floor, ahead: t.ahead}
	most := max(tilesAtOnce/(p.k*p.n)/tileStep, 1) * tileStep
	for i0 := 0; i0 < t.m; i0 += most {
		part.m, part.a, part.c = min(most, t.m-i0), t.a.Slice(i0, 0), t.c.Slice(i0, 0)
		if t.start.columns {
			part.from = t.start.Slice(i0, 0)
		}
		if t.y.Data != nil {
			part.y = t.y.Slice(i0, 0)
		}
		part.tiles(t.start.columns, block)
	}
}

// multiplyTiles computes the product by tiles. k is a multiple of 4.
func (t *transposed) multiplyTiles() {
	s := t.ahead.scratch()
	defer t.ahead.giveBack(s)
	for i0 := 0; i0 < t.m; i0 += tileChunk {
		rows := min(tileChunk, t.m-i0)
		a, b := t.a.Slice(i0, 0), t.b.Slice(i0, 0)
		packed := room(&s.b, steps(rows)*steps(t.n)*tileParts)
		tilesParts(b, lastRows(&s.padB, b, rows, t.n), rows, t.n, packed)
		part := product{m: t.k, k: rows, columns: t.n, a: a, b: packed, from: t.c, c: t.c, floor: floor(Overwrite), ahead: t.ahead}
		part.transposeTiles(lastRows(&s.padA, a, rows, t.k), room(&s.block, tileSums+steps(rows)*tileParts))
	}
}

// lastRows returns the last step of a [m, n]. A step of fewer than 32 rows is copied to pad and filled
// up with rows of zeros.
func lastRows(pad *[]float32, a Matrix, m, n int) []float32 {
	at := (m - 1) / tileStep * tileStep
	if m%tileStep == 0 {
		return a.Data[at*a.Stride:]
	}
	rows := room(pad, tileStep*a.Stride)
	for i := range tileStep {
		if row := rows[i*a.Stride:][:n]; at+i < m {
			copy(row, a.Data[(at+i)*a.Stride:])
		} else {
			clear(row)
		}
	}
	return rows
}

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
	strip := 0
	if columns {
		strip = 4 * tileStrip
	}
	a, from, c := &t.a.Data[0], &t.from.Data[0], &t.c.Data[0]
	next, step := t.ahead.take(t.fetches(), a)
	tilesMultiply(t.m, a, t.a.Stride, nil, &t.b[0], steps(t.k), steps(t.columns), from, t.from.Stride, strip,
		c, t.c.Stride, first(t.y.Data), t.y.Stride, t.floor, endMask(t.k), endMask(t.columns), &block[0], &tileConfig[0], next, step)
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
