package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Products of bfloat16 numbers by tiles, from the memory that products with AVX512_BF16 read. A block
// is 32 rows of c by a strip of 32 columns: four tiles of sums. A step multiplies 16 dwords of a row,
// 32 numbers, by 16 rows of b.
const (
	stepDwords = 16
	rowBytes   = 128 // of a row of sums, and of a row of a strip of b
)

// halfTiles emits the functions of bfloat16 numbers by tiles.
func (v *vectors) halfTiles() {
	v.multiplyHalfTiles()
	v.transposeMultiplyHalfTiles()
}

// multiplyHalfTiles is multiplyHalves for all strips.
func (v *vectors) multiplyHalfTiles() {
	v.function("multiplyHalfTiles",
		"func(m int, a *float32, lda int, b *float32, steps int, strips int, from *float32, ldf int, columns int, "+
			"c *float32, ldc int, pairs *float32, ldp int, y *float32, ldy int, floor float32, mask *int32, half *int32, "+
			"sums *float32, config *byte, last *byte, ahead *float32, step int)",
		"computes what multiplyHalves does, for all strips of b [strips][16·steps][32] and a [m, 16·steps]. columns is -1 "+
			"if from has all columns, 0 if it has those of one strip. mask and half are those of the last strip. sums has room "+
			"for a block [32, 32]. config configures tiles, last those of the last block if it has fewer rows.")
	t := tiles{vectors: v, ahead: v.pointer("ahead")}
	v.Label("configure")
	v.Load(v.Param("config"), reg.RAX)
	v.CMPQ(v.memory("m"), Imm(blockRows))
	v.JGE(LabelRef("configured"))
	v.Load(v.Param("last"), reg.RAX)
	v.Label("configured")
	v.configureTiles(reg.RAX)
	v.Label("rows")
	t.halfStrips()
	for _, p := range [][2]string{{"a", "lda"}, {"from", "ldf"}, {"c", "ldc"}, {"y", "ldy"}} {
		s := v.stride(p[1])
		v.SHLQ(Imm(5), s)
		v.ADDQ(s, v.memory(p[0])) // y may be nil: then its stride is 0
	}
	s := v.stride("ldp")
	v.SHLQ(Imm(4), s)
	v.ADDQ(s, v.memory("pairs"))
	v.SUBQ(Imm(blockRows), v.memory("m"))
	v.CMPQ(v.memory("m"), Imm(blockRows))
	v.JGE(LabelRef("rows"))
	v.CMPQ(v.memory("m"), Imm(0))
	v.JG(LabelRef("configure"))
	v.releaseTiles()
	v.end()
}

// halfStrips computes a block's strips one after another.
func (t *tiles) halfStrips() {
	left, column, b := t.pointer("strips"), t.GP64(), reg.RDI
	t.XORQ(column, column) // bytes from the first column of float32 to the strip's
	t.Load(t.Param("b"), b)
	t.Label("strip")
	t.halfSums(b)
	t.KXNORW(reg.K1, reg.K1, reg.K1)
	t.KXNORW(reg.K2, reg.K2, reg.K2)
	t.KXNORW(reg.K4, reg.K4, reg.K4)
	t.CMPQ(left, Imm(1))
	t.JNE(LabelRef("whole"))
	t.masked(2)
	t.test(t.pointer("half"), []reg.Register{reg.K4})
	t.Label("whole")
	t.storeHalfSums(column)
	t.ADDQ(U32(rowBytes), column)
	t.DECQ(left)
	t.JNZ(LabelRef("strip"))
}

// halfSums multiplies the block's rows by the strip, leaves the sums in memory [32, 32] and advances b
// to the next strip.
func (t *tiles) halfSums(b reg.Register) {
	a, below, lda, stride := reg.RSI, reg.RCX, reg.RDX, reg.RAX
	t.Load(t.Param("a"), a)
	t.Load(t.Param("lda"), lda)
	t.SHLQ(Imm(2), lda)
	t.Comment("the lower 16 rows, or the upper ones again if there are no more")
	t.MOVQ(lda, below)
	t.SHLQ(Imm(4), below)
	t.ADDQ(a, below)
	t.CMPQ(t.memory("m"), Imm(16))
	t.CMOVQLE(a, below)
	t.MOVQ(U32(rowBytes), stride)
	for i := range 4 {
		t.zeroTile(i)
	}
	steps := t.pointer("steps")
	t.Label("step")
	t.loadTile(4, a, 0, lda)
	t.loadTile(5, below, 0, lda)
	t.loadTile(6, b, 0, stride)
	t.loadTile(7, b, 64, stride)
	t.multiplyBlock()
	t.ADDQ(Imm(4*stepDwords), a)
	t.ADDQ(Imm(4*stepDwords), below)
	t.ADDQ(U32(rowBytes*stepDwords), b)
	t.DECQ(steps)
	t.JNZ(LabelRef("step"))
	t.storeBlock(stride)
}

// multiplyBlock adds the products of tiles 4 and 5 with tiles 6 and 7 to the sums.
func (t *tiles) multiplyBlock() {
	for i := range 4 {
		t.multiplyTiles(i, 4+i/2, 6+i%2)
		t.fetch(t.ahead)
	}
}

// storeBlock stores the tiles of sums; stride is rowBytes.
func (t *tiles) storeBlock(stride reg.Register) {
	to := reg.RBX
	t.Load(t.Param("sums"), to)
	for i := range 4 {
		t.storeTile(i, to, i/2*16*rowBytes+i%2*64, stride)
	}
}

// storeHalfSums adds the initial values to a block's sums and stores them, two rows at a time.
func (t *tiles) storeHalfSums(column reg.GPVirtual) {
	p := halfProduct{product: product{vectors: t.vectors, edge: opmasked{vectors: t.vectors, masks: []reg.Register{reg.K1, reg.K2}}, prefix: "tiles"}}
	p.from, p.c, p.y, p.pairs = t.pointer("from"), t.pointer("c"), t.pointer("y"), t.pointer("pairs")
	sums, rows := t.pointer("sums"), t.blockRows()
	offset := t.pointer("columns")
	t.ANDQ(column, offset)
	t.ADDQ(offset, p.from)
	t.MOVQ(column, offset)
	t.TESTQ(p.pairs, p.pairs)
	t.JZ(LabelRef("floats"))
	t.ADDQ(column, p.pairs)
	t.SHRQ(Imm(1), offset)
	t.Label("floats")
	t.ADDQ(offset, p.c)
	t.TESTQ(p.y, p.y)
	t.JZ(LabelRef("unmasked"))
	t.MOVQ(column, offset)
	t.SHRQ(Imm(1), offset)
	t.ADDQ(offset, p.y)
	t.Label("unmasked")
	store := func(n int) {
		ldf, block := t.stride("ldf"), make([][]reg.VecVirtual, n)
		for r := range block {
			for j := range 2 {
				s := t.new()
				p.edge.load(Mem{Base: p.from, Disp: j * t.bytes()}, j, s)
				t.VADDPS(Mem{Base: sums, Disp: r*rowBytes + j*t.bytes()}, s, s)
				block[r] = append(block[r], s)
			}
			t.ADDQ(ldf, p.from)
		}
		t.ADDQ(U32(n*rowBytes), sums)
		p.finish(n, block)
	}
	t.SUBQ(Imm(2), rows)
	t.JL(LabelRef("lastRow"))
	t.Label("twoRows")
	store(2)
	t.SUBQ(Imm(2), rows)
	t.JGE(LabelRef("twoRows"))
	t.Label("lastRow")
	t.ADDQ(Imm(2), rows)
	t.JZ(LabelRef("stored"))
	store(1)
	t.Label("stored")
}

// transposeMultiplyHalfTiles is transposeMultiplyHalves for all columns of a and b. Their last 32
// columns overlap those before if there is no whole number of blocks; of these only the new ones are
// added to c.
func (v *vectors) transposeMultiplyHalfTiles() {
	v.function("transposeMultiplyHalfTiles",
		"func(blocks int, above int, strips int, left int, a *float32, lda int, lastA *float32, b *float32, ldb int, lastB *float32, "+
			"steps int, c *float32, ldc int, mask *int32, turned *float32, sums *float32, config *byte, ahead *float32, step int)",
		"computes c [k, n] += aᵀ·b: a [16·steps, k] and b [16·steps, n] are pairs of rows of bfloat16, with their last 16 rows at "+
			"lastA and lastB; k = 32·blocks - above and n = 32·strips - left are at least 32. mask [32] is -1 in the last strip from "+
			"column `left` on. turned has room for the transpose of a block [steps, 32, 16], sums for [32, 32].")
	v.Load(v.Param("config"), reg.RAX)
	v.configureTiles(reg.RAX)
	t := tiles{vectors: v, ahead: v.pointer("ahead")}
	v.Label("block")
	v.CMPQ(v.memory("blocks"), Imm(1))
	v.JNE(LabelRef("wholeBlock"))
	above := v.stride("above")
	v.SUBQ(above, v.memory("a"))
	v.SUBQ(above, v.memory("lastA"))
	v.Label("wholeBlock")
	v.turnPairsOfRows()
	t.transposedStrips()
	v.ADDQ(U32(rowBytes), v.memory("a"))
	v.ADDQ(U32(rowBytes), v.memory("lastA"))
	ldc := v.stride("ldc")
	v.SHLQ(Imm(5), ldc)
	v.ADDQ(ldc, v.memory("c"))
	v.DECQ(v.memory("blocks"))
	v.JNZ(LabelRef("block"))
	v.releaseTiles()
	v.end()
}

// turnPairsOfRows writes the transpose of 32 columns of a, a step after the other: [32 columns][16
// dwords].
func (v *vectors) turnPairsOfRows() {
	v.quarterMasks()
	a, lda, to, steps := v.pointer("a"), v.stride("lda"), v.pointer("turned"), v.pointer("steps")
	v.Label("turnStep")
	v.CMPQ(steps, Imm(1))
	v.CMOVQEQ(v.memory("lastA"), a)
	lda4, lda12 := v.GP64(), v.GP64()
	v.MOVQ(lda, lda4)
	v.SHLQ(Imm(2), lda4)
	v.LEAQ(Mem{Base: lda4, Index: lda4, Scale: 2}, lda12)
	x, left := v.GP64(), v.GP64()
	v.MOVQ(a, x)
	v.MOVQ(U32(blockRows/4), left)
	v.Label("turnQuarter")
	row := v.GP64()
	v.MOVQ(x, row)
	for i, column := range v.fourColumns(row, lda, lda4, lda12) {
		v.VMOVUPS(column, Mem{Base: to, Disp: 64 * i})
	}
	v.ADDQ(Imm(16), x)
	v.ADDQ(U32(4*64), to)
	v.DECQ(left)
	v.JNZ(LabelRef("turnQuarter"))
	v.LEAQ(Mem{Base: a, Index: lda4, Scale: 4}, a)
	v.DECQ(steps)
	v.JNZ(LabelRef("turnStep"))
}

// transposedStrips multiplies the transposed block by all strips and adds the results to c.
func (t *tiles) transposedStrips() {
	left, column := t.pointer("strips"), t.GP64()
	t.XORQ(column, column)
	t.Label("strip")
	t.KXNORW(reg.K1, reg.K1, reg.K1)
	t.KXNORW(reg.K2, reg.K2, reg.K2)
	t.CMPQ(left, Imm(1))
	t.JNE(LabelRef("whole"))
	t.masked(2)
	t.SUBQ(t.stride("left"), column)
	t.Label("whole")
	t.transposedSums(column)
	t.addSums(column)
	t.ADDQ(U32(rowBytes), column)
	t.DECQ(left)
	t.JNZ(LabelRef("strip"))
}

// transposedSums leaves the products of a block and a strip in memory [32, 32].
func (t *tiles) transposedSums(column reg.GPVirtual) {
	a, b, ldb, stride := reg.RSI, reg.RDI, reg.RDX, reg.RAX
	t.Load(t.Param("turned"), a)
	t.Load(t.Param("b"), b)
	t.ADDQ(column, b)
	t.Load(t.Param("ldb"), ldb)
	t.SHLQ(Imm(2), ldb)
	t.MOVQ(U32(64), stride)
	for i := range 4 {
		t.zeroTile(i)
	}
	steps, next := t.pointer("steps"), t.GP64()
	t.MOVQ(ldb, next)
	t.SHLQ(Imm(4), next)
	t.Label("step")
	t.CMPQ(steps, Imm(1))
	t.JNE(LabelRef("wholeStep"))
	t.Load(t.Param("lastB"), b)
	t.ADDQ(column, b)
	t.Label("wholeStep")
	t.loadTile(4, a, 0, stride)
	t.loadTile(5, a, tileBytes, stride)
	t.loadTile(6, b, 0, ldb)
	t.loadTile(7, b, 64, ldb)
	t.multiplyBlock()
	t.ADDQ(U32(pairBytes), a)
	t.ADDQ(next, b)
	t.DECQ(steps)
	t.JNZ(LabelRef("step"))
	t.MOVQ(U32(rowBytes), stride)
	t.storeBlock(stride)
}

// addSums adds a block's sums to c, without the rows of the last block that overlap the one before.
func (t *tiles) addSums(column reg.GPVirtual) {
	e := opmasked{vectors: t.vectors, masks: []reg.Register{reg.K1, reg.K2}}
	c, ldc, sums, rows := t.pointer("c"), t.stride("ldc"), t.pointer("sums"), t.GP64()
	t.ADDQ(column, c)
	t.MOVQ(U32(blockRows), rows)
	t.CMPQ(t.memory("blocks"), Imm(1))
	t.JNE(LabelRef("allRows"))
	above := t.pointer("above")
	t.SUBQ(above, rows)
	t.SHLQ(Imm(7), above)
	t.ADDQ(above, sums)
	t.Label("allRows")
	for j := range 2 {
		s := t.new()
		e.load(Mem{Base: c, Disp: j * t.bytes()}, j, s)
		t.VADDPS(Mem{Base: sums, Disp: j * t.bytes()}, s, s)
		e.store(s, j, Mem{Base: c, Disp: j * t.bytes()})
	}
	t.ADDQ(ldc, c)
	t.ADDQ(U32(rowBytes), sums)
	t.DECQ(rows)
	t.JNZ(LabelRef("allRows"))
}
