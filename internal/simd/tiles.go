package simd

// Products by matrix tiles: AMX, of Intel's servers from Sapphire Rapids on, which multiplies bfloat16 alone. A float32 is the
// sum of three of these, its parts, and six of the nine products of two numbers' parts are added up: what is left out is at
// most 2⁻²³ of the product. There are fewer sums to round than in vectors, so that long rows come out more exact. But infinity,
// and what lies beyond bfloat16's largest, 3.39e38, becomes NaN, and results below 1e-30 lose their last bits.
const (
	tileStep    = 32      // of k: as many rows of B are multiplied at a time
	tilePanel   = 32      // columns
	tileParts   = 1536    // float32s' room that the parts of a step by a panel take
	tileSums    = 1024    // sums of a block
	tileChunk   = 128     // rows that a transposed product sums before it adds to C: their parts fit in the nearest cache
	tilesAtOnce = 1 << 21 // multiply-adds of one call, see most
)

// tileable reports whether tiles are the faster way to multiply by a matrix [k, n]: splitting a number into its parts must
// serve many products.
func tileable(k, n int) bool { return min(k, n) >= 96 }

// steps is how many steps k takes, or how many panels n.
func steps(k int) int { return (k + tileStep - 1) / tileStep }

// tileScratch is what a product by tiles needs besides its operands.
type tileScratch struct {
	block      []float32 // a block's sums and the parts of its rows
	b          []float32 // the parts of B, where it is not packed
	padA, padB []float32 // rows of A and B with zeros behind them
}

// spare are scratches of products that were given no Ahead: as many at most as ever ran at once.
var spare = make(chan *tileScratch, 256)

// scratch is that of the goroutine, which stays in its core's cache, or one of the spare ones.
func (a *Ahead) scratch() *tileScratch {
	if a != nil {
		return &a.tiles
	}
	select {
	case s := <-spare:
		return s
	default:
		return &tileScratch{}
	}
}

// giveBack ends the use of what scratch gave.
func (a *Ahead) giveBack(s *tileScratch) {
	if a != nil {
		return
	}
	select {
	case spare <- s:
	default:
	}
}

// room is n floats from the beginning of a line of the cache on, in b if it has them.
func room(b *[]float32, n int) []float32 {
	if cap(*b) < n {
		*b = aligned(n)
	}
	return (*b)[:n]
}

// packTiles is Pack for a matrix that is laid out for tiles.
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
	tilesParts(rows, rows[(steps(p.k)-1)*tileStep*p.n:], p.k, p.n, p.n, p.data)
}

// multiplyTiles is multiply for a matrix that is laid out for tiles.
func (p *Packed) multiplyTiles(m int, a []float32, lda int, c []float32, ldc int, start from, floor float32, y []float32, ldy int, ahead *Ahead) {
	s := ahead.scratch()
	defer ahead.giveBack(s)
	block := room(&s.block, tileSums+steps(p.k)*tileParts)
	t := product{k: p.k, columns: p.n, lda: lda, b: p.data, ldf: start.stride, ldc: ldc, ldy: ldy, from: start.rows, floor: floor, ahead: ahead}
	rows := max(tilesAtOnce/(p.k*p.n)/tileStep, 1) * tileStep
	for i0 := 0; i0 < m; i0 += rows {
		t.m, t.a, t.c = min(rows, m-i0), a[i0*lda:], c[i0*ldc:]
		if start.columns {
			t.from = start.rows[i0*start.stride:]
		}
		if y != nil {
			t.y = y[i0*ldy:]
		}
		t.tiles(start.columns, block)
	}
}

// transposeMultiplyTiles is TransposeMultiply by tiles; k is a multiple of 4.
func transposeMultiplyTiles(m, k, n int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, ahead *Ahead) {
	s := ahead.scratch()
	defer ahead.giveBack(s)
	for i0 := 0; i0 < m; i0 += tileChunk {
		rows := min(tileChunk, m-i0)
		packed := room(&s.b, steps(rows)*steps(n)*tileParts)
		tilesParts(b[i0*ldb:], lastRows(&s.padB, b[i0*ldb:], rows, n, ldb), rows, n, ldb, packed)
		t := product{m: k, k: rows, columns: n, a: a[i0*lda:], lda: lda, b: packed, from: c, ldf: ldc, c: c, ldc: ldc,
			floor: floor(Overwrite), ahead: ahead}
		t.transposeTiles(lastRows(&s.padA, t.a, rows, k, lda), room(&s.block, tileSums+steps(rows)*tileParts))
	}
}

// lastRows are the last 32 rows of a [m, n], with zeros in place of those beyond m: a copy, or their place in a.
func lastRows(pad *[]float32, a []float32, m, n, ld int) []float32 {
	at := (steps(m) - 1) * tileStep
	if m%tileStep == 0 {
		return a[at*ld:]
	}
	rows := room(pad, tileStep*ld)
	for i := range tileStep {
		if row := rows[i*ld:][:n]; at+i < m {
			copy(row, a[(at+i)*ld:])
		} else {
			clear(row)
		}
	}
	return rows
}
