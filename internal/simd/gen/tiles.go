package main

import (
	"math"

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

// split stores the parts of two vectors as pairs, each part pairBytes behind the one before. All parts but the last are
// rounded to the nearest, so that what follows is small. A NaN may be lost in these, but not in the last.
func (v *vectors) split(low, high reg.VecVirtual, to Mem) {
	upper, half := v.integer(upperBits), v.integer(roundingBit)
	for part := range parts {
		l, h, pair := low, high, v.new()
		if part < parts-1 {
			l, h = v.new(), v.new()
			v.VPADDD(half, low, l)
			v.VPADDD(half, high, h)
		}
		v.VPSRLD(Imm(16), l, pair)
		v.VPTERNLOGD(Imm(0xf8), upper, h, pair) // pair | h & upper
		v.VMOVUPS(pair, to.Offset(part*pairBytes))
		if part < parts-1 {
			v.VPANDD(upper, l, l)
			v.VSUBPS(l, low, low)
			v.VPANDD(upper, h, h)
			v.VSUBPS(h, high, high)
		}
	}
}

const (
	upperBits   = 0xffff0000 // of a float32, which make a bfloat16
	roundingBit = 0x8000     // half of the last of these
)

// keepBits has these in registers.
func (v *vectors) keepBits() {
	v.keep(math.Float32frombits(upperBits), math.Float32frombits(roundingBit))
}

// splitRows splits 32 rows of a, or those that are left, along k.
func (v *vectors) splitRows() {
	a, lda, to := v.pointer("a"), v.stride("lda"), v.partsPointer()
	rows := v.blockRows()
	v.keepBits()
	ends := v.pointer("ends")
	for j, k := range []reg.Register{reg.K3, reg.K4} {
		m := v.loaded(Mem{Base: ends, Disp: j * v.bytes()})
		v.VPTESTMD(m, m, k)
	}
	v.Label("splitRow")
	x, y, steps := v.GP64(), v.GP64(), v.pointer("steps")
	v.MOVQ(a, x)
	v.MOVQ(to, y)
	v.DECQ(steps)
	v.JZ(LabelRef("splitEnd"))
	v.Label("splitStep")
	v.split(v.loaded(Mem{Base: x}), v.loaded(Mem{Base: x, Disp: v.bytes()}), Mem{Base: y})
	v.ADDQ(Imm(uint64(2*v.bytes())), x)
	v.ADDQ(U32(stepBytes), y)
	v.DECQ(steps)
	v.JNZ(LabelRef("splitStep"))
	v.Label("splitEnd")
	low, high := v.new(), v.new()
	v.VMOVUPS_Z(Mem{Base: x}, reg.K3, low)
	v.VMOVUPS_Z(Mem{Base: x, Disp: v.bytes()}, reg.K4, high)
	v.split(low, high, Mem{Base: y})
	v.ADDQ(lda, a)
	v.ADDQ(Imm(64), to)
	v.DECQ(rows)
	v.JNZ(LabelRef("splitRow"))
}

// blockRows is how many rows the block has.
func (v *vectors) blockRows() reg.GPVirtual {
	rows, most := v.pointer("m"), v.GP64()
	v.MOVQ(U32(blockRows), most)
	v.CMPQ(rows, most)
	v.CMOVQGT(most, rows)
	return rows
}

// partsPointer is where a block's parts are kept, laid out as those of b: [step][part][32 rows][64 bytes].
func (v *vectors) partsPointer() reg.GPVirtual {
	to := v.pointer("scratch")
	v.ADDQ(U32(sumsBytes), to)
	return to
}

// splitColumns splits 32 columns of a, or those that are left, which are a multiple of 4, along its rows.
func (v *vectors) splitColumns() {
	v.keepBits()
	for i, k := range []reg.Register{reg.K5, reg.K6, reg.K7} {
		bits := v.GP32()
		v.MOVL(U32(0xf0<<(4*i)), bits)
		v.KMOVW(bits, k)
	}
	a, lda, to, steps := v.pointer("a"), v.stride("lda"), v.partsPointer(), v.pointer("steps")
	quarters := v.blockRows()
	v.ADDQ(Imm(3), quarters)
	v.SHRQ(Imm(2), quarters)
	lda3 := v.GP64()
	v.LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	v.Label("splitStep")
	v.CMPQ(steps, Imm(1))
	v.CMOVQEQ(v.memory("last"), a)
	x, y, left := v.GP64(), v.GP64(), v.GP64()
	v.MOVQ(a, x)
	v.MOVQ(to, y)
	v.MOVQ(quarters, left)
	v.Label("splitQuarter")
	v.splitQuarter(x, lda, lda3, y)
	v.ADDQ(Imm(16), x)
	v.ADDQ(U32(4*64), y)
	v.DECQ(left)
	v.JNZ(LabelRef("splitQuarter"))
	next := v.GP64()
	v.MOVQ(lda, next)
	v.SHLQ(Imm(5), next)
	v.ADDQ(next, a)
	v.ADDQ(U32(stepBytes), to)
	v.DECQ(steps)
	v.JNZ(LabelRef("splitStep"))
}

// splitQuarter splits four columns of 32 rows: every 128 bits of a vector take four numbers of one row, so that what is left
// is to transpose 4 by 4 numbers within them.
func (v *vectors) splitQuarter(a, lda, lda3, to reg.GPVirtual) {
	x, lda4, lda12 := v.GP64(), v.GP64(), v.GP64()
	v.MOVQ(a, x)
	v.LEAQ(Mem{Base: lda3, Index: lda, Scale: 1}, lda4)
	v.LEAQ(Mem{Base: lda3, Index: lda3, Scale: 2}, lda12)
	v.ADDQ(lda3, lda12)
	half := func() (columns [4]reg.VecVirtual) {
		var rows [4]reg.VecVirtual
		for i := range rows {
			rows[i] = v.new()
			v.VBROADCASTF32X4(Mem{Base: x}, rows[i])
			v.VBROADCASTF32X4(Mem{Base: x, Index: lda4, Scale: 1}, reg.K5, rows[i])
			v.VBROADCASTF32X4(Mem{Base: x, Index: lda4, Scale: 2}, reg.K6, rows[i])
			v.VBROADCASTF32X4(Mem{Base: x, Index: lda12, Scale: 1}, reg.K7, rows[i])
			v.ADDQ(lda, x)
		}
		v.ADDQ(lda12, x) // 16 rows down in all
		low, high, low2, high2 := v.new(), v.new(), v.new(), v.new()
		v.VUNPCKLPS(rows[1], rows[0], low)
		v.VUNPCKHPS(rows[1], rows[0], high)
		v.VUNPCKLPS(rows[3], rows[2], low2)
		v.VUNPCKHPS(rows[3], rows[2], high2)
		for i := range columns {
			columns[i] = v.new()
		}
		v.VUNPCKLPD(low2, low, columns[0])
		v.VUNPCKHPD(low2, low, columns[1])
		v.VUNPCKLPD(high2, high, columns[2])
		v.VUNPCKHPD(high2, high, columns[3])
		return columns
	}
	first, second := half(), half()
	for i := range first {
		v.split(first[i], second[i], Mem{Base: to, Disp: 64 * i})
	}
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
	mask := t.pointer("mask")
	for j, k := range []reg.Register{reg.K1, reg.K2} {
		m := t.loaded(Mem{Base: mask, Disp: j * t.bytes()})
		t.VPTESTMD(m, m, k)
	}
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
		const notEqual = 4 // or unordered
		of := t.new()
		t.VMOVUPS_Z(Mem{Base: y, Disp: j * t.bytes()}, k, of)
		t.VCMPPS(Imm(notEqual), zero, of, reg.K3)
		t.VMOVUPS_Z(s, reg.K3, s)
	})
	t.Label("stored")
}

// tilesPack lays out b for products by tiles: [panel][step][part][2 tiles][16 pairs of rows][64 bytes].
func (v *vectors) tilesPack() {
	v.function("tilesPack", "func(steps int, panels int, b *float32, ldb int, last *float32, mask *int32, dst *float32)",
		"lays out b[32·steps, columns], the last 32 rows of which are at last, for products by tiles; mask is that of the last panel's columns.")
	b, dst, panels := v.pointer("b"), v.pointer("dst"), v.pointer("panels")
	ldb := v.stride("ldb")
	ldb16, last := v.GP64(), v.pointer("last")
	v.MOVQ(ldb, ldb16)
	v.SHLQ(Imm(4), ldb16)
	v.keepBits()
	v.KXNORW(reg.K1, reg.K1, reg.K1)
	v.KXNORW(reg.K2, reg.K2, reg.K2)
	v.Label("panel")
	v.CMPQ(panels, Imm(1))
	v.JNE(LabelRef("whole"))
	v.masked(2)
	v.Label("whole")
	x, steps := v.GP64(), v.pointer("steps")
	v.MOVQ(b, x)
	v.Label("step")
	v.CMPQ(steps, Imm(1))
	v.CMOVQEQ(last, x)
	pairs := v.GP64()
	v.MOVQ(U32(16), pairs)
	v.Label("pair")
	for j, k := range []reg.Register{reg.K1, reg.K2} {
		low, high := v.new(), v.new()
		v.VMOVUPS_Z(Mem{Base: x, Disp: j * v.bytes()}, k, low)
		v.VMOVUPS_Z(Mem{Base: x, Index: ldb16, Scale: 1, Disp: j * v.bytes()}, k, high)
		v.split(low, high, Mem{Base: dst, Disp: j * tileBytes})
	}
	v.ADDQ(ldb, x)
	v.ADDQ(Imm(64), dst)
	v.DECQ(pairs)
	v.JNZ(LabelRef("pair"))
	v.ADDQ(ldb16, x)
	v.ADDQ(U32(stepBytes-16*64), dst)
	v.DECQ(steps)
	v.JNZ(LabelRef("step"))
	v.ADDQ(Imm(4*blockRows), b)
	v.ADDQ(Imm(4*blockRows), last)
	v.DECQ(panels)
	v.JNZ(LabelRef("panel"))
	v.end()
}
