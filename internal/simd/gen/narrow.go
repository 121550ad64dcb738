package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// narrowLanes is the number of sums into which every element of a narrow product is split. It is
// the same for both lengths of vectors, so both instruction sets add in the same order.
const narrowLanes = 16

// narrow multiplies by a matrix of n columns, too few to fill a vector. So k runs along the
// vectors, and the lanes of the sums are added up at the end.
func (v *vectors) narrow(n int) {
	v.function(kernel{goes: "narrow(t *product)", vectors: "t.columns", portable: "none",
		doc: "computes a product with a narrow matrix, without the mask.",
		assembly: "computes c = max(floor, from + a·b) of one column, or as many as the name says: a [m, k], b [k/16][columns][16], " +
			"from (ldfrom 0: one row) and c [m, columns]. mask [16] is -1 in the first k mod 16 elements. y is not read.",
		more: []string{"mask *int32 mask(t.k%narrowLanes)"}}, n)
	p := narrow{vectors: v, n: n, parts: narrowLanes / v.lanes}
	p.tail = v.masked(p.parts)
	p.m, p.a, p.from, p.c = v.pointer("m"), v.pointer("a"), v.pointer("from"), v.pointer("c")
	p.lda = v.stride("lda")
	// The number of rows leaves registers for their elements and for one vector of b. AVX-512 uses
	// only the first 16 registers too, because AVX512F cannot extract halves of the others.
	rows := map[int]int{1: 6, 2: 4, 3: 3, 4: 2}[n]
	if v.lanes == 8 {
		rows = map[int]int{1: 4, 2: 2, 3: 2, 4: 1}[n]
	}
	v.Label("blocks")
	v.CMPQ(p.m, Imm(uint64(rows)))
	v.JL(LabelRef("rows"))
	p.block(rows, "block")
	v.JMP(LabelRef("blocks"))
	v.Label("rows")
	v.TESTQ(p.m, p.m)
	v.JZ(LabelRef("end"))
	p.block(1, "row")
	v.JMP(LabelRef("rows"))
	v.Label("end")
	v.end()
}

// narrow holds the registers of a narrow product: what is left to do.
type narrow struct {
	*vectors
	n, parts      int // columns; vectors of sums for each
	tail          edge
	m, a, from, c reg.GPVirtual
	lda           reg.GPVirtual
}

// block computes some rows of the product.
func (p *narrow) block(rows int, prefix string) {
	sums := make([][][]reg.VecVirtual, rows)
	for r := range sums {
		for range p.n {
			sums[r] = append(sums[r], p.zeros(p.parts))
		}
	}
	pointers := p.rowPointers(p.a, p.lda, rows)
	b, k := p.pointer("b"), p.pointer("k")
	p.steps(k, narrowLanes, [3]string{prefix + "Loop", prefix + "Tail", prefix + "Summed"}, func() {
		p.step(whole{p.vectors}, pointers, b, sums)
		for _, q := range pointers {
			p.ADDQ(Imm(4*narrowLanes), q)
		}
		p.ADDQ(U32(4*narrowLanes*p.n), b)
	}, func() { p.step(p.tail, pointers, b, sums) })
	p.store(sums)
	p.IMUL3Q(Imm(uint64(rows)), p.lda, b)
	p.ADDQ(b, p.a)
	p.SUBQ(Imm(uint64(rows)), p.m)
}

// step adds the products of 16 consecutive k.
func (p *narrow) step(e edge, pointers []reg.GPVirtual, b reg.GPVirtual, sums [][][]reg.VecVirtual) {
	for part := range p.parts {
		var xs []reg.VecVirtual
		for r := range sums {
			xs = append(xs, p.load(e, p.row(pointers, p.lda, r, part*p.bytes()), part))
		}
		for j := range p.n {
			y := p.loaded(Mem{Base: b, Disp: 4*narrowLanes*j + part*p.bytes()})
			for r, x := range xs {
				p.VFMADD231PS(x, y, sums[r][j][part])
			}
		}
	}
}

// store adds up the lanes and stores the rows.
func (p *narrow) store(sums [][][]reg.VecVirtual) {
	floor := p.broadcast("floor").AsX()
	ldf, ldc := p.stride("ldfrom"), p.stride("ldc")
	for _, row := range sums {
		for j, parts := range row {
			s := p.reduce(parts, p.VADDPS).AsX()
			p.VADDSS(Mem{Base: p.from, Disp: 4 * j}, s, s)
			p.VMAXSS(s, floor, s)
			p.VMOVSS(s, Mem{Base: p.c, Disp: 4 * j})
		}
		p.advance(p.from, ldf, p.c, ldc)
	}
}
