package simd

// Products of bfloat16 numbers by tiles, on processors with AMX. They read and write the same memory
// as products with AVX512_BF16: a tile is 16 rows of 16 of its dwords. Tiles add the first and the
// second numbers of a step's pairs apart, so the last bits differ. Tests run them on emulated AMX
// alone: their speed, and with it the least width, is not measured.

const (
	halfTileWidth   = 64      // least of both sizes of B
	halfTilesAtOnce = 1 << 23 // multiply-adds of one call, see mostPerCall
)

// halfTiled reports whether products sum over rows by tiles, for a result [k, n].
func halfTiled(k, n int) bool { return tiling && min(k, n) >= halfTileWidth }

// tiled reports whether products with B use tiles. A step of a row must be whole.
func (p *PackedHalves) tiled() bool { return halfTiled(p.k, p.n) && p.k%tileStep == 0 }

// multiplyTiles computes a product by groups of rows.
func (p *PackedHalves) multiplyTiles(t *HalfProduct) {
	s := t.Ahead.scratch()
	defer t.Ahead.giveBack(s)
	sums := room(&s.block, tileSums)
	most := max(halfTilesAtOnce/(p.k*p.n)/tileStep, 1) * tileStep
	for i0 := 0; i0 < t.M; i0 += most {
		p.tiles(t, i0, min(most, t.M-i0), sums)
	}
}

// multiplyHalfTiles computes the product of pairs of rows by tiles, some steps of pairs at a time.
func (t *transposed) multiplyHalfTiles() {
	const chunk = chunkRows / 2
	s := t.ahead.scratch()
	defer t.ahead.giveBack(s)
	part := *t
	for i0 := 0; i0 < t.m; i0 += chunk {
		part.m, part.a, part.b = min(chunk, t.m-i0), t.a.From(i0, 0), t.b.From(i0, 0)
		lastA := lastRows(&s.padA, part.a, part.m, t.k, halfStep)
		lastB := lastRows(&s.padB, part.b, part.m, t.n, halfStep)
		part.halfTiles(lastA, lastB, room(&s.block, tileSums+chunk*tileStrip))
	}
}

// halfStep is the number of pairs of rows in a step.
const halfStep = 16
