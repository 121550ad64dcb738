package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	upperBits   = 0xffff0000 // the bits of a float32 that make a bfloat16
	roundingBit = 0x8000     // half of the lowest of them
)

// keepBits keeps these constants in registers.
func (v *vectors) keepBits() {
	v.keep(math.Float32frombits(upperBits), math.Float32frombits(roundingBit))
}

// split splits the numbers of two vectors into bfloat16 parts and stores them as pairs (low, high),
// each part pairBytes after the one before. All parts but the last are rounded to nearest, so that
// the remainder is small. A NaN may be lost in these parts, but not in the last.
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

// splitRows splits the next 32 rows of a, or the last fewer ones, into parts along k.
func (v *vectors) splitRows() {
	a, lda, to := v.pointer("a"), v.stride("lda"), v.partsPointer()
	rows := v.blockRows()
	v.keepBits()
	ends := opmasked{v, []reg.Register{reg.K3, reg.K4}}
	v.test(v.pointer("ends"), ends.masks)
	v.loop("splitRow", rows, func() {
		x, y, steps := v.GP64(), v.GP64(), v.pointer("steps")
		v.MOVQ(a, x)
		v.MOVQ(to, y)
		split := func(e edge) {
			v.split(v.load(e, Mem{Base: x}, 0), v.load(e, Mem{Base: x, Disp: v.bytes()}, 1), Mem{Base: y})
		}
		v.DECQ(steps)
		v.JZ(LabelRef("splitEnd"))
		v.loop("splitStep", steps, func() {
			split(whole{v})
			v.advance(x, U8(2*v.bytes()), y, U32(stepBytes))
		})
		v.Label("splitEnd")
		split(ends)
		v.advance(a, lda, to, Imm(64))
	})
}

// partsPointer returns the address of a block's parts, which have the layout of b's:
// [step][part][32 rows][64 bytes].
func (v *vectors) partsPointer() reg.GPVirtual {
	to := v.pointer("scratch")
	v.ADDQ(U32(sumsBytes), to)
	return to
}

// splitColumns splits the next 32 columns of a, or the last fewer ones, a multiple of 4, into parts
// along its rows.
func (v *vectors) splitColumns() {
	v.keepBits()
	for i, k := range []reg.Register{reg.K5, reg.K6, reg.K7} { // the second, third and last 128 bits of a vector
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
	v.loop("splitStep", steps, func() {
		v.CMPQ(steps, Imm(1))
		v.CMOVQEQ(v.memory("last"), a)
		x, y, left := v.GP64(), v.GP64(), v.GP64()
		v.MOVQ(a, x)
		v.MOVQ(to, y)
		v.MOVQ(quarters, left)
		v.loop("splitQuarter", left, func() {
			v.splitQuarter(x, lda, lda3, y)
			v.advance(x, Imm(16), y, U32(4*64))
		})
		next := v.GP64()
		v.MOVQ(lda, next)
		v.SHLQ(Imm(5), next)
		v.advance(a, next, to, U32(stepBytes))
	})
}

// splitQuarter splits four columns of 32 rows. Every 128 bits of a vector take four numbers of one
// row, which leaves 4 by 4 transposes within them.
func (v *vectors) splitQuarter(a, lda, lda3, to reg.GPVirtual) {
	x, lda4, lda12 := v.GP64(), v.GP64(), v.GP64()
	v.MOVQ(a, x)
	v.LEAQ(Mem{Base: lda3, Index: lda, Scale: 1}, lda4)
	v.LEAQ(Mem{Base: lda3, Index: lda3, Scale: 2}, lda12)
	v.ADDQ(lda3, lda12)
	first := v.fourColumns(x, lda, lda4, lda12)
	second := v.fourColumns(x, lda, lda4, lda12)
	for i := range first {
		v.split(first[i], second[i], Mem{Base: to, Disp: 64 * i})
	}
}

// fourColumns returns four columns of 16 rows of a and moves a 16 rows down. lda4 and lda12 are 4 and
// 12 times lda; K5 to K7 are the masks of 128 bits each.
func (v *vectors) fourColumns(a, lda, lda4, lda12 reg.GPVirtual) [4]reg.VecVirtual {
	var rows [4]reg.VecVirtual
	for i := range rows {
		rows[i] = v.new()
		v.VBROADCASTF32X4(Mem{Base: a}, rows[i])
		v.VBROADCASTF32X4(Mem{Base: a, Index: lda4, Scale: 1}, reg.K5, rows[i])
		v.VBROADCASTF32X4(Mem{Base: a, Index: lda4, Scale: 2}, reg.K6, rows[i])
		v.VBROADCASTF32X4(Mem{Base: a, Index: lda12, Scale: 1}, reg.K7, rows[i])
		v.ADDQ(lda, a)
	}
	v.ADDQ(lda12, a)
	low, high := v.to(v.VUNPCKLPS, rows[1], rows[0]), v.to(v.VUNPCKHPS, rows[1], rows[0])
	low2, high2 := v.to(v.VUNPCKLPS, rows[3], rows[2]), v.to(v.VUNPCKHPS, rows[3], rows[2])
	return [4]reg.VecVirtual{v.to(v.VUNPCKLPD, low2, low), v.to(v.VUNPCKHPD, low2, low), v.to(v.VUNPCKLPD, high2, high), v.to(v.VUNPCKHPD, high2, high)}
}

// tilesPack splits b into the layout [strip][step][part][2 tiles][16 pairs of rows][64 bytes].
func (v *vectors) tilesPack() {
	v.begin("tilesPack", "func(steps int, strips int, b *float32, ldb int, last *float32, mask *int32, dst *float32)",
		"splits b [32·steps, columns], whose last 32 rows are at last [32, columns], into bfloat16 parts at "+
			"dst [strips][steps][3 parts][2 tiles][16 pairs of rows][16 pairs]. mask [32] is -1 in the last strip's columns.")
	b, dst, strips := v.pointer("b"), v.pointer("dst"), v.pointer("strips")
	ldb := v.stride("ldb")
	ldb16, last := v.GP64(), v.pointer("last")
	v.MOVQ(ldb, ldb16)
	v.SHLQ(Imm(4), ldb16)
	v.keepBits()
	v.allColumns()
	e := v.stripEdge()
	v.loop("strip", strips, func() {
		v.lastMasked(strips)
		x, steps := v.GP64(), v.pointer("steps")
		v.MOVQ(b, x)
		v.loop("step", steps, func() {
			v.CMPQ(steps, Imm(1))
			v.CMOVQEQ(last, x)
			pairs := v.GP64()
			v.MOVQ(U32(16), pairs)
			v.loop("pair", pairs, func() {
				for j := range 2 {
					low := v.load(e, Mem{Base: x, Disp: j * v.bytes()}, j)
					high := v.load(e, Mem{Base: x, Index: ldb16, Scale: 1, Disp: j * v.bytes()}, j)
					v.split(low, high, Mem{Base: dst, Disp: j * tileBytes})
				}
				v.advance(x, ldb, dst, Imm(64))
			})
			v.advance(x, ldb16, dst, U32(stepBytes-16*64))
		})
		v.advance(b, Imm(4*blockRows), last, Imm(4*blockRows))
	})
	v.end()
}
