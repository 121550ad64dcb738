package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Products by tiles. A number is the sum of three of bfloat16, its parts, of 8 bits each: what remains of it after each is at
// most 2⁻⁸ of what was there. Of the nine products of parts the three smallest are left out, together at most 2⁻²³ of the whole.
// Blocks are of 32 rows and 32 columns, four tiles of sums; a step multiplies 32 numbers of a row, in pairs (i, i+16), by as
// many of a column.
const (
	parts     = 3
	blockRows = 32 // and a panel's columns
	tileBytes = 1024
	pairBytes = 2 * tileBytes     // two tiles: a part of 32 rows or columns of a step
	stepBytes = parts * pairBytes // [part][2 tiles][16 rows][64 bytes]
	sumsBytes = 4 * tileBytes     // at the start of scratch, before a block's parts
)

// tilesMultiply is a product in blocks of 32 rows of c. Transposed, these are columns of a.
func (v *vectors) tilesMultiply(transposed bool) {
	name, a := "tilesMultiply", "a[m, k]"
	if transposed {
		name, a = "tilesTransposeMultiply", "a[k, m]ᵀ, the last 32 rows of which are at last,"
	}
	v.function(name, "func(m int, a *float32, lda int, last *float32, b *float32, steps int, panels int, from *float32, ldf int, panel int, "+
		"c *float32, ldc int, y *float32, ldy int, floor float32, ends *int32, mask *int32, scratch *float32, config *byte, ahead *float32, step int)",
		"is c[m, columns] = max(floor, from + "+a+"·b), or where y is not nil (from + a·b) where y ≠ 0, else 0. "+
			"k is 32·steps, of which ends masks the last 32; mask is that of the last panel's columns; b is laid out by tilesPack.")
	config := v.Load(v.Param("config"), reg.RAX)
	v.configureTiles(config)
	ahead := v.pointer("ahead")
	v.Label("rows")
	if transposed {
		v.splitColumns()
	} else {
		v.splitRows()
	}
	t := tiles{vectors: v, ahead: ahead}
	t.panels()
	v.nextRows(transposed)
	v.CMPQ(v.memory("m"), Imm(0))
	v.JG(LabelRef("rows"))
	v.releaseTiles()
	v.end()
}

// nextRows moves all that goes down the rows on by a block.
func (v *vectors) nextRows(transposed bool) {
	advance := func(pointer, stride string) {
		s := v.stride(stride)
		v.SHLQ(Imm(5), s)
		v.ADDQ(s, v.memory(pointer))
	}
	if transposed {
		v.ADDQ(Imm(4*blockRows), v.memory("a"))
		v.ADDQ(Imm(4*blockRows), v.memory("last"))
	} else {
		advance("a", "lda")
	}
	advance("from", "ldf")
	advance("c", "ldc")
	advance("y", "ldy") // also where it is nil: then its stride is 0
	v.SUBQ(Imm(blockRows), v.memory("m"))
}

// blockRows is how many rows the block has.
func (v *vectors) blockRows() reg.GPVirtual {
	rows, most := v.pointer("m"), v.GP64()
	v.MOVQ(U32(blockRows), most)
	v.CMPQ(rows, most)
	v.CMOVQGT(most, rows)
	return rows
}

// tiles is the state of a block of rows: registers that addresses of tiles use, and what to fetch.
type tiles struct {
	*vectors
	ahead reg.GPVirtual
}

// panels does a block's panels of 32 columns one after another.
func (t *tiles) panels() {
	left, b, scratch := t.pointer("panels"), reg.RDI, reg.RBX
	column := t.GP64() // bytes to the panel's first
	t.XORQ(column, column)
	fromColumn := t.GP64()
	t.XORQ(fromColumn, fromColumn)
	t.Load(t.Param("b"), b)
	t.Load(t.Param("scratch"), scratch)
	t.Label("panel")
	t.sums(b)
	t.Comment("all columns, or in the last panel those of the mask")
	t.KXNORW(reg.K1, reg.K1, reg.K1)
	t.KXNORW(reg.K2, reg.K2, reg.K2)
	t.CMPQ(left, Imm(1))
	t.JNE(LabelRef("whole"))
	t.masked(2)
	t.Label("whole")
	t.store(column, fromColumn)
	t.ADDQ(U32(4*blockRows), column)
	t.ADDQ(t.memory("panel"), fromColumn)
	t.DECQ(left)
	t.JNZ(LabelRef("panel"))
}

// order is that of the products of parts: the leading ones, (0, 0), are last, since every sum after them is rounded to their
// size; and no part of b is loaded twice.
var order = [][2]int{{0, 2}, {0, 1}, {1, 1}, {1, 0}, {2, 0}, {0, 0}}

// sums multiplies the block's parts by the panel's and leaves the sums in scratch, rows of 32. Moves b on to the next panel.
func (t *tiles) sums(b reg.Register) {
	a, stride, scratch := reg.RSI, reg.RDX, reg.RBX
	t.MOVQ(U32(64), stride)
	t.LEAQ(Mem{Base: scratch, Disp: sumsBytes}, a)
	for i := range 4 {
		t.zeroTile(i)
	}
	steps := t.pointer("steps")
	t.Label("step")
	partA, partB := -1, -1
	for _, o := range order {
		if o[0] != partA {
			partA = o[0]
			t.loadTile(4, a, partA*pairBytes, stride)
			t.loadTile(5, a, partA*pairBytes+tileBytes, stride)
		}
		if o[1] != partB {
			partB = o[1]
			t.loadTile(6, b, partB*pairBytes, stride)
			t.loadTile(7, b, partB*pairBytes+tileBytes, stride)
		}
		for i := range 4 {
			t.multiplyTiles(i, 4+i/2, 6+i%2)
			t.fetch(t.ahead)
		}
	}
	t.ADDQ(U32(stepBytes), a)
	t.ADDQ(U32(stepBytes), b)
	t.DECQ(steps)
	t.JNZ(LabelRef("step"))
	t.MOVQ(U32(128), stride)
	for i := range 4 {
		t.storeTile(i, scratch, i/2*16*128+i%2*64, stride)
	}
}

// store adds what the block's sums start from and stores them.
func (t *tiles) store(column, fromColumn reg.GPVirtual) {
	rows, sums := t.blockRows(), t.pointer("scratch")
	from, ldf := t.pointer("from"), t.stride("ldf")
	c, ldc := t.pointer("c"), t.stride("ldc")
	y, ldy := t.pointer("y"), t.stride("ldy")
	t.ADDQ(fromColumn, from)
	t.ADDQ(column, c)
	floor, zero := t.broadcast("floor"), t.zero()
	row := func(loop string, store func(s reg.VecVirtual, k reg.Register, j int)) {
		t.Label(loop)
		for j, k := range []reg.Register{reg.K1, reg.K2} {
			s := t.new()
			t.VMOVUPS_Z(Mem{Base: from, Disp: j * t.bytes()}, k, s)
			t.VADDPS(Mem{Base: sums, Disp: j * t.bytes()}, s, s)
			store(s, k, j)
			t.VMOVUPS(s, k, Mem{Base: c, Disp: j * t.bytes()})
		}
		t.ADDQ(ldf, from)
		t.ADDQ(ldc, c)
		t.ADDQ(ldy, y)
		t.ADDQ(Imm(uint64(2*t.bytes())), sums)
		t.DECQ(rows)
		t.JNZ(LabelRef(loop))
	}
	t.TESTQ(y, y)
	t.JNZ(LabelRef("masked"))
	row("rectified", func(s reg.VecVirtual, _ reg.Register, _ int) {
		t.VMAXPS(s, floor, s) // its first operand where one is not a number
	})
	t.JMP(LabelRef("stored"))
	t.Label("masked")
	t.ADDQ(column, y)
	row("maskedRow", func(s reg.VecVirtual, k reg.Register, j int) {
		of := t.new()
		t.VMOVUPS_Z(Mem{Base: y, Disp: j * t.bytes()}, k, of)
		t.keepWhere(of, zero, s)
	})
	t.Label("stored")
}
