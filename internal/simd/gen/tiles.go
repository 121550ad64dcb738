package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Products by tiles. A number is split into three bfloat16 of 8 bits each, its parts; each leaves a
// remainder of at most 2⁻⁸. Of the nine products of parts the three smallest are left out, together
// at most 2⁻²³ of the product. A block has 32 rows and 32 columns: four tiles of sums. A step
// multiplies 32 numbers of a row, in pairs (i, i+16), by 32 of a column.
const (
	parts     = 3
	blockRows = 32 // and a strip's columns
	tileBytes = 1024
	pairBytes = 2 * tileBytes     // two tiles: a part of 32 rows or columns of a step
	stepBytes = parts * pairBytes // [part][2 tiles][16 rows][64 bytes]
	sumsBytes = 4 * tileBytes     // at the start of scratch, before a block's parts
)

// tilesMultiply computes a product in blocks of 32 rows of c. Transposed, these are columns of a.
func (v *vectors) tilesMultiply(transposed bool) {
	name, a := "tilesMultiply", "a [m, k]"
	if transposed {
		name, a = "tilesTransposeMultiply", "the transpose of a [k, m], whose last 32 rows are at last"
	}
	v.begin(name, "func(m int, a *float32, lda int, last *float32, b *float32, steps int, strips int, from *float32, ldf int, strip int, "+
		"c *float32, ldc int, y *float32, ldy int, floor float32, ends *int32, mask *int32, scratch *float32, config *byte, ahead *float32, step int)",
		"computes c = max(floor, from + A·b) or, if y is not nil, from + A·b where y ≠ 0 and 0 elsewhere. "+
			"A is "+a+", with k = 32·steps; b is laid out by tilesPack; from, c and y [m, columns]. "+
			"from advances by strip bytes per strip. ends [32] is -1 in the rows of the last step, mask [32] in the columns "+
			"of the last strip. scratch has a block's sums and parts, config the tiles' configuration.")
	config := v.Load(v.Param("config"), reg.RAX)
	v.configureTiles(config)
	ahead := v.pointer("ahead")
	v.Label("rows")
	if transposed {
		v.splitColumns()
	} else {
		v.splitRows()
	}
	v.strips(ahead)
	v.nextRows(transposed)
	v.CMPQ(v.memory("m"), Imm(0))
	v.JG(LabelRef("rows"))
	v.releaseTiles()
	v.end()
}

// nextRows advances all pointers into rows by a block.
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

// blockRows returns how many rows the block has.
func (v *vectors) blockRows() reg.GPVirtual {
	rows, most := v.pointer("m"), v.GP64()
	v.MOVQ(U32(blockRows), most)
	v.CMPQ(rows, most)
	v.CMOVQGT(most, rows)
	return rows
}

// strips computes a block's strips of 32 columns one after another. It fetches from ahead.
func (v *vectors) strips(ahead reg.GPVirtual) {
	left, b, scratch := v.pointer("strips"), reg.RDI, reg.RBX
	column := v.GP64() // bytes from the first column to the strip's
	v.XORQ(column, column)
	fromColumn := v.GP64()
	v.XORQ(fromColumn, fromColumn)
	v.Load(v.Param("b"), b)
	v.Load(v.Param("scratch"), scratch)
	v.loop("strip", left, func() {
		v.sums(b, ahead)
		v.Comment("all columns, or in the last strip those of the mask")
		v.allColumns()
		v.lastMasked(left)
		v.storeStrip(column, fromColumn)
		v.advance(column, U32(4*blockRows), fromColumn, v.memory("strip"))
	})
}

// allColumns sets K1 and K2 to all columns of a strip.
func (v *vectors) allColumns() {
	v.KXNORW(reg.K1, reg.K1, reg.K1)
	v.KXNORW(reg.K2, reg.K2, reg.K2)
}

// lastMasked sets K1 and K2 to the columns of the mask if one strip is left.
func (v *vectors) lastMasked(left reg.GPVirtual) {
	v.CMPQ(left, Imm(1))
	v.JNE(LabelRef("whole"))
	v.masked(2)
	v.Label("whole")
}

// order is the order of the products of parts. The largest, (0, 0), come last, because every sum
// after them is rounded to their precision.
var order = [][2]int{{0, 2}, {0, 1}, {1, 1}, {1, 0}, {2, 0}, {0, 0}}

// sums multiplies the block's parts by the strip's, leaves the sums in scratch [32, 32] and
// advances b to the next strip.
func (v *vectors) sums(b reg.Register, ahead reg.GPVirtual) {
	a, stride, scratch := reg.RSI, reg.RDX, reg.RBX
	v.MOVQ(U32(64), stride)
	v.LEAQ(Mem{Base: scratch, Disp: sumsBytes}, a)
	for i := range 4 {
		v.zeroTile(i)
	}
	steps := v.pointer("steps")
	v.loop("step", steps, func() {
		loaded := [2]int{-1, -1}
		for _, o := range order {
			for side, from := range []reg.Register{a, b} {
				if part := o[side]; part != loaded[side] {
					loaded[side] = part
					v.moveTile(tileLoad, 4+2*side, from, part*pairBytes, stride)
					v.moveTile(tileLoad, 5+2*side, from, part*pairBytes+tileBytes, stride)
				}
			}
			for i := range 4 {
				v.multiplyTiles(i, 4+i/2, 6+i%2)
				v.fetch(ahead)
			}
		}
		v.advance(a, U32(stepBytes), b, U32(stepBytes))
	})
	v.MOVQ(U32(128), stride)
	for i := range 4 {
		v.moveTile(tileStore, i, scratch, i/2*16*128+i%2*64, stride)
	}
}

// storeStrip adds the initial values to the block's sums and stores them.
func (v *vectors) storeStrip(column, fromColumn reg.GPVirtual) {
	rows, sums := v.blockRows(), v.pointer("scratch")
	from, ldf := v.pointer("from"), v.stride("ldf")
	c, ldc := v.pointer("c"), v.stride("ldc")
	y, ldy := v.pointer("y"), v.stride("ldy")
	v.ADDQ(fromColumn, from)
	v.ADDQ(column, c)
	floor, zero := v.broadcast("floor"), v.zero()
	e := v.stripEdge()
	row := func(loop string, change func(s reg.VecVirtual, j int)) {
		v.loop(loop, rows, func() {
			for j := range e.masks {
				s := v.load(e, Mem{Base: from, Disp: j * v.bytes()}, j)
				v.VADDPS(Mem{Base: sums, Disp: j * v.bytes()}, s, s)
				change(s, j)
				e.store(s, j, Mem{Base: c, Disp: j * v.bytes()})
			}
			v.advance(from, ldf, c, ldc, y, ldy, sums, U8(2*v.bytes()))
		})
	}
	v.TESTQ(y, y)
	v.JNZ(LabelRef("masked"))
	row("rectified", func(s reg.VecVirtual, _ int) { v.VMAXPS(s, floor, s) }) // its first operand if one is a NaN
	v.JMP(LabelRef("stored"))
	v.Label("masked")
	v.ADDQ(column, y)
	row("maskedRow", func(s reg.VecVirtual, j int) {
		v.keepWhere(v.load(e, Mem{Base: y, Disp: j * v.bytes()}, j), zero, s)
	})
	v.Label("stored")
}
