package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Products of bfloat16 numbers with AVX512_BF16. A dword holds two numbers of the dimension that is
// summed over: the later one in its low half, because VDPBF16PS adds the high halves' product last. So
// sums run in order, each product added with one rounding, as in the float32 kernels. Their loops are
// the float32 kernels' loops over dwords.

// halves emits the functions of bfloat16 numbers.
func halves(sets []*vectors) {
	v := sets[0]
	v.bf16 = true
	v.multiplyHalves()
	v.transposeProduct("transposeMultiplyHalves", "none", " and b [m, columns] are pairs of rows of bfloat16", 2)
	v.sumHalves()
	v.halve()
}

// multiplyAdd adds x·y to the sum: of floats, or of pairs of bfloat16.
func (v *vectors) multiplyAdd(x, y, sum reg.VecVirtual) {
	if v.bf16 {
		v.placeholder("VDPBF16PS", x, y, sum, true)
		return
	}
	v.VFMADD231PS(x, y, sum)
}

// multiplyHalves is multiply for bfloat16 numbers, with results in float32 or bfloat16.
func (v *vectors) multiplyHalves() {
	v.begin("multiplyHalves",
		"func(m int, a *float32, lda int, b *float32, k int, from *float32, ldfrom int, c *float32, ldc int, "+
			"pairs *float32, ldp int, y *float32, ldy int, floor float32, mask *int32, half *int32, ahead *float32, step int)",
		"computes max(floor, from + a·b) or, if y is not nil, from + a·b where y ≠ 0 and 0 elsewhere. "+
			"a [m, k] and b [k, 32] have two bfloat16 in every element; from [m, columns] (ldfrom 0: one row). If pairs is nil, "+
			"the result is c [m, columns] in float32, otherwise c [m, columns/2] by rows and pairs [m/2, columns] by pairs "+
			"of rows, in bfloat16. y [m, columns/2] is by rows. mask [32] is -1 in the columns, half [32] in the elements of "+
			"a row of bfloat16. ahead and step say what to prefetch.")
	e := v.masked(2)
	v.test(v.pointer("half"), []reg.Register{reg.K4})
	p := v.product(e, 2, "half")
	h := halfProduct{product: p, pairs: v.pointer("pairs")}
	v.blocks(p.prefix, p.m, func(rows int) { h.finish(rows, h.start(rows)) })
	v.end()
}

// halfProduct is a product of bfloat16 numbers. K4 is the mask of a row's elements, two numbers each.
type halfProduct struct {
	product
	pairs reg.GPVirtual
}

// finish stores the sums of some rows.
func (p *halfProduct) finish(rows int, sums [][]reg.VecVirtual) {
	halves, masked, done := p.label(rows, "Halves"), p.label(rows, "Masked"), p.label(rows, "Stored")
	p.TESTQ(p.pairs, p.pairs)
	p.JNZ(LabelRef(halves))
	ldc := p.stride("ldc")
	p.TESTQ(p.y, p.y)
	p.JNZ(LabelRef(masked))
	p.storeRectified(sums, ldc)
	p.JMP(LabelRef(done))
	p.Label(masked)
	p.storeWhere(sums, ldc)
	p.JMP(LabelRef(done))
	p.Label(halves)
	p.storeHalves(rows, sums)
	p.Label(done)
}

// storeWhere stores float32 sums where y ≠ 0 and 0 elsewhere.
func (p *halfProduct) storeWhere(sums [][]reg.VecVirtual, ldc reg.GPVirtual) {
	ldy := p.stride("ldy")
	for _, row := range sums {
		y := p.new()
		p.VMOVDQU32_Z(Mem{Base: p.y}, reg.K4, y)
		p.turnPairs(y)
		p.whereNonzero(y)
		for j, s := range row {
			p.VMOVUPS_Z(s, reg.K3, s)
			p.edge.store(s, j, Mem{Base: p.c, Disp: j * p.bytes()})
			p.KSHIFTRD(Imm(16), reg.K3, reg.K3)
		}
		p.advance(p.c, ldc, p.y, ldy)
	}
}

// whereNonzero sets K3 where bfloat16 numbers are neither 0 nor -0.
func (v *vectors) whereNonzero(y reg.VecVirtual) { v.VPTESTMW(v.integer(0x7fff7fff), y, reg.K3) }

// turnPairs swaps the halves of dwords.
func (v *vectors) turnPairs(x reg.VecVirtual) { v.VPROLD(Imm(16), x, x) }

// storeHalves stores the sums as bfloat16, by rows and by pairs of rows.
func (p *halfProduct) storeHalves(rows int, sums [][]reg.VecVirtual) {
	masked, done := p.label(rows, "HalvesMasked"), p.label(rows, "HalvesReady")
	ldc := p.stride("ldc")
	p.TESTQ(p.y, p.y)
	p.JNZ(LabelRef(masked))
	floor := p.broadcast("floor")
	for _, row := range sums {
		for _, s := range row {
			p.VMAXPS(s, floor, s)
		}
		p.narrowTo(row, row[0])
	}
	p.JMP(LabelRef(done))
	p.Label(masked)
	ldy := p.stride("ldy")
	for _, row := range sums {
		y := p.new()
		p.VMOVDQU32_Z(Mem{Base: p.y}, reg.K4, y)
		p.narrowTo(row, row[0])
		p.whereNonzero(y)
		p.VMOVDQU16_Z(row[0], reg.K3, row[0])
		p.ADDQ(ldy, p.y)
	}
	p.Label(done)
	for _, row := range sums {
		p.VMOVDQU32(row[0], reg.K4, Mem{Base: p.c})
		p.ADDQ(ldc, p.c)
	}
	ldp := p.stride("ldp")
	low, high := p.loaded(p.pairIndex(0)), p.loaded(p.pairIndex(16))
	for r := 0; r < rows; r += 2 {
		rest := sums[r+1:] // of an odd last row, the second is 0
		if len(rest) == 0 {
			rest = [][]reg.VecVirtual{{p.zero()}}
		}
		p.storePairs(sums[r][0], rest[0][0], low, high, p.pairs)
		p.ADDQ(ldp, p.pairs)
	}
}

// storePairs stores the pairs of two rows of 32 bfloat16. It overwrites second.
func (p *halfProduct) storePairs(first, second, low, high reg.VecVirtual, to reg.GPVirtual) {
	pairs := p.new()
	p.VMOVDQU32(second, pairs)
	p.VPERMT2W(first, low, pairs)
	p.VPERMT2W(first, high, second)
	p.edge.store(pairs, 0, Mem{Base: to})
	p.edge.store(second, 1, Mem{Base: to, Disp: p.bytes()})
}

// narrowTo rounds a row's two vectors to bfloat16, the columns of each dword swapped.
func (v *vectors) narrowTo(row []reg.VecVirtual, to reg.VecVirtual) {
	v.placeholder("VCVTNE2PS2BF16", row[0], row[1], to, false)
	v.turnPairs(to)
}

// pairIndex returns the indices with which VPERMT2W makes 16 pairs from column first on, of a second
// row (its table) and a first row (32 and more). In both, the columns of each dword are swapped.
func (v *vectors) pairIndex(first int) Mem {
	return v.table("pairsFrom%d", first, func(i int) Constant {
		at := uint32((first + i) ^ 1)
		return U32(at | (32+at)<<16)
	})
}

// sumHalves sums rows of bfloat16.
func (v *vectors) sumHalves() {
	v.function(kernel{goes: "sumHalves(m, columns int, a Matrix, dst []float32)", portable: "none",
		doc:      "computes dst [columns] += the sum of all rows of the pairs a [m, columns], at most 16 columns.",
		assembly: "is the kernel of sumHalves; mask [16] is -1 in the columns.",
		more:     []string{"mask *int32 mask(columns)"}})
	m, a, dst, lda := v.pointer("m"), v.pointer("a"), v.pointer("dst"), v.stride("lda")
	e := v.masked(1)
	one, sum := v.loaded(v.integer(0x3f803f80)), v.zero()
	v.loop("loop", m, func() {
		v.multiplyAdd(v.load(e, Mem{Base: a}, 0), one, sum)
		v.ADDQ(lda, a)
	})
	v.addTo(e, Mem{Base: dst}, 0, sum)
	v.end()
}

// halve rounds two rows of floats to bfloat16.
func (v *vectors) halve() {
	v.begin("halve", "func(n int, first *float32, second *float32, a *float32, b *float32, pairs *float32, mask *int32, half *int32)",
		"rounds first and second [n] to bfloat16: by rows to a and b [n/2], and their pairs to pairs [n]. If second is nil, it is "+
			"zero and b is not written. mask [32] is -1 in the columns of the last 32 or fewer, half [32] in their elements.")
	first, second, a, b, to := v.pointer("first"), v.pointer("second"), v.pointer("a"), v.pointer("b"), v.pointer("pairs")
	n := v.pointer("n")
	p := halfProduct{product: product{vectors: v, edge: v.stripEdge()}}
	low, high := v.loaded(v.pairIndex(0)), v.loaded(v.pairIndex(16))
	v.allColumns()
	v.KXNORW(reg.K4, reg.K4, reg.K4)
	v.Label("columns")
	v.CMPQ(n, Imm(32))
	v.JG(LabelRef("whole"))
	v.masked(2)
	v.test(v.pointer("half"), []reg.Register{reg.K4})
	v.Label("whole")
	rows := [][]reg.VecVirtual{{v.new(), v.new()}, v.zeros(2)}
	load := func(from reg.GPVirtual, row []reg.VecVirtual) {
		for j, x := range row {
			p.edge.fill(Mem{Base: from, Disp: j * v.bytes()}, j, x)
		}
	}
	load(first, rows[0])
	v.narrowTo(rows[0], rows[0][0])
	v.VMOVDQU32(rows[0][0], reg.K4, Mem{Base: a})
	v.TESTQ(second, second)
	v.JZ(LabelRef("single"))
	load(second, rows[1])
	v.narrowTo(rows[1], rows[1][0])
	v.VMOVDQU32(rows[1][0], reg.K4, Mem{Base: b})
	v.ADDQ(U32(128), second)
	v.Label("single")
	p.storePairs(rows[0][0], rows[1][0], low, high, to)
	v.advance(first, U32(128), a, Imm(64), b, Imm(64), to, U32(128))
	v.SUBQ(Imm(32), n)
	v.JG(LabelRef("columns"))
	v.end()
}
